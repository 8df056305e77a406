#include "constrain/testing/slow_matcher.h"

#include <utility>
#include <vector>

namespace pleiad::constrain {
namespace {

/// All of them, first those with which a name is over soonest.
std::vector<Symbol> find_symbols_of_names() {
  std::vector<Symbol> out;
  for (Symbol symbol = kFirstTag; symbol < kSymbols; ++symbol) out.push_back(symbol);
  for (const char mark : {'"', ':'}) out.push_back(symbol_of(mark));
  for (Symbol symbol = 0; symbol < kFirstTag; ++symbol) {
    if (symbol != symbol_of(':') && symbol != symbol_of('"')) out.push_back(symbol);
  }
  return out;
}

const std::vector<Symbol>& symbols_of_names() {
  static const std::vector<Symbol> out = find_symbols_of_names();
  return out;
}

}  // namespace

SlowMatcher::Ways SlowMatcher::after(std::span<const Symbol> token) const {
  if (token.empty()) return ways_;
  Ways ways;
  const Ways* from = &ways_;
  for (const Symbol symbol : token) {
    Ways next;
    for (const Way& way : *from) read(way, symbol, next);
    ways = std::move(next);
    from = &ways;
  }
  // Those that can read no more are of use only where nothing need follow: never before the end.
  std::erase_if(
      ways, [&](const Way& way) { return automaton_.edges(way.state).empty() || !has_names(way); });
  return ways;
}

void SlowMatcher::read(const Way& way, Symbol symbol, Ways& out) const {
  for (const Edge& edge : automaton_.edges(way.state)) {
    if (symbol < edge.first || symbol > edge.last) continue;
    if (edge.needs_none && way.counter.need > 0) continue;
    Way to = {edge.target, way.counter, way.stack, way.objects};
    if (edge.counts && !to.counter.count()) continue;
    const std::uint64_t left = way.counter.keys();
    if (edge.key != 0 && (left >> (edge.key - 1) & 1) == 0) continue;
    if (edge.key != 0) to.counter = Counter::of_keys(left - (1ULL << (edge.key - 1)));
    if (edge.object != 0 && !has_key(edge.object, way)) continue;
    if (!note(edge, symbol, to)) continue;
    settle(to, out);
  }
}

bool SlowMatcher::note(const Edge& edge, Symbol symbol, Way& way) {
  std::vector<Object>& objects = way.objects;
  if (edge.opens_set && symbol == symbol_of('{')) {
    objects.push_back({.depth = way.stack.size()});
  } else if (edge.closes_set && symbol == symbol_of('}')) {
    objects.pop_back();
  } else if (edge.name == NamePart::end) {
    Object& object = objects.back();
    if (!object.names.insert(object.name).second) return false;
    object.name.clear();
  } else if (edge.name != NamePart::none) {
    Object& object = objects.back();
    object.name.push_back(symbol);
    object.is_behind_comma = false;
  } else if (!objects.empty() && !edge.is_blank) {
    Object& object = objects.back();
    object.is_behind_comma = symbol == symbol_of(',') && way.stack.size() == object.depth;
  }
  return true;
}

bool SlowMatcher::has_names(const Way& way) const {
  constexpr std::size_t kMostTried = 3000;
  if (way.objects.empty()) return true;
  const Object& object = way.objects.back();
  if (!object.is_behind_comma && object.name.empty()) return true;
  struct Place {
    Way way;
    std::size_t n_read = 0;  // of symbols_of_names()
  };
  std::vector<Place> path = {{way}};
  Ways tried = {way};
  while (!path.empty() && tried.size() < kMostTried) {
    Place& at = path.back();
    if (at.n_read == symbols_of_names().size()) {
      path.pop_back();
      continue;
    }
    Ways next;
    read(at.way, symbols_of_names()[at.n_read++], next);
    for (const Way& to : next) {
      if (to.objects.size() < way.objects.size()) return true;
      if (to.objects[way.objects.size() - 1].names.size() > object.names.size()) return true;
      if (tried.insert(to).second) path.push_back({to});
    }
  }
  return !path.empty();
}

bool SlowMatcher::has_key(ObjectId id, const Way& way) const {
  const Automaton::Object& object = automaton_.object(id);
  for (const Edge& edge : automaton_.edges(object.key)) {
    const bool is_left = edge.key != 0 && (way.counter.keys() >> (edge.key - 1) & 1) != 0;
    if (is_left && may_end(edge.target, way.stack.size())) return true;
  }
  return object.others != 0 && may_end(object.others, way.stack.size());
}

void SlowMatcher::settle(const Way& way, Ways& out) const {
  ++n_looked_at_;
  if (!may_end(way.state, way.stack.size()) || !out.insert(way).second) return;
  for (const StateId jump : automaton_.jumps(way.state)) {
    settle({jump, way.counter, way.stack, way.objects}, out);
  }
  for (const Call& call : automaton_.calls(way.state)) {
    if (call.needs_none && way.counter.need > 0) continue;
    if (call.object != 0 && (way.counter.keys() & automaton_.object(call.object).required) != 0) {
      continue;
    }
    if (call.only_asks) {
      settle({call.back, way.counter, way.stack, way.objects}, out);
      continue;
    }
    Way inside = {call.rule.start, call.rule.counter, way.stack, way.objects};
    if (!automaton_.is_exit(call.back)) {
      if (!may_end(call.back, way.stack.size())) continue;
      inside.stack.push_back({call.back, way.counter});
    }
    settle(inside, out);
  }
  if (!automaton_.is_final(way.state) || way.stack.empty()) return;
  Way above = way;
  above.state = way.stack.back().back;
  above.counter = way.stack.back().counter;
  above.stack.pop_back();
  settle(above, out);
}

}  // namespace pleiad::constrain
