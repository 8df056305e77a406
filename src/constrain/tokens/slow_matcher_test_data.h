#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/tokens/token_trie.h"

// Who masks are compared with: every way through an automaton as a value of its own, nothing
// shared, nothing remembered, one token at a time. Items of arrays are not compared. Of objects
// with free names it believes the marks that say what an object and a name is (Edge::opens_set,
// closes_set and name), and none on what may come: whether a name can follow it tries; and it
// believes heights.
namespace pleiad::constrain {

class SlowMatcher {
 public:
  explicit SlowMatcher(const Automaton& automaton) : automaton_(automaton) {
    settle({automaton.start(), {}, {}, {}}, ways_);
  }

  bool allows(std::span<const Symbol> token) const {
    return !token.empty() && !after(token).empty();
  }
  void accept(std::span<const Symbol> token) { ways_ = after(token); }
  /// Ways that were looked at so far, which is what it takes.
  std::size_t n_looked_at() const { return n_looked_at_; }

 private:
  struct Frame {
    StateId back;
    Counter counter;

    auto key() const { return std::tuple(back, counter.need, counter.room); }
    bool operator<(const Frame& other) const { return key() < other.key(); }
  };
  /// An open one, whose free names may not be the same.
  struct Object {
    std::size_t depth = 0;  // of the stack
    std::set<std::vector<Symbol>> names = {};
    std::vector<Symbol> name = {};  // that is being written; never empty then
    bool is_behind_comma = false;

    auto operator<=>(const Object&) const = default;
  };
  struct Way {
    StateId state;
    Counter counter;
    std::vector<Frame> stack;
    std::vector<Object> objects;

    auto key() const { return std::tie(state, counter.need, counter.room, stack, objects); }
    bool operator<(const Way& other) const { return key() < other.key(); }
  };
  using Ways = std::set<Way>;

  Ways after(std::span<const Symbol> token) const {
    Ways ways = ways_;
    for (const Symbol symbol : token) {
      Ways next;
      for (const Way& way : ways) read(way, symbol, next);
      ways = std::move(next);
    }
    // Those that can read no more are of use only where nothing need follow: never before the end.
    std::erase_if(ways, [&](const Way& way) {
      return automaton_.edges(way.state).empty() || !has_names(way);
    });
    return ways;
  }

  void read(const Way& way, Symbol symbol, Ways& out) const {
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

  /// False where a name ends that the object has.
  static bool note(const Edge& edge, Symbol symbol, Way& way) {
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

  /// Whether the name that is being written, or has to come, can end as another one, or a listed
  /// one comes and the object ends: by trying texts, the short ones first. Where a great many of
  /// them lead nowhere it is taken for granted.
  bool has_names(const Way& way) const {
    constexpr std::size_t kMostTried = 3000;
    if (way.objects.empty()) return true;
    const Object& object = way.objects.back();
    if (!object.is_behind_comma && object.name.empty()) return true;
    std::deque<Way> todo = {way};
    Ways tried = {way};
    while (!todo.empty() && tried.size() < kMostTried) {
      const Way at = std::move(todo.front());
      todo.pop_front();
      for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
        Ways next;
        read(at, static_cast<Symbol>(symbol), next);
        for (const Way& to : next) {
          if (to.objects.size() < way.objects.size()) return true;
          if (to.objects[way.objects.size() - 1].names.size() > object.names.size()) return true;
          if (tried.insert(to).second) todo.push_back(to);
        }
      }
    }
    return !todo.empty();
  }

  bool may_end(StateId state, std::size_t depth) const {
    return depth + automaton_.height(state) <= Automaton::kMaxDepth;
  }

  /// Whether a key of the object may come next.
  bool has_key(ObjectId id, const Way& way) const {
    const Automaton::Object& object = automaton_.object(id);
    for (const Edge& edge : automaton_.edges(object.key)) {
      const bool is_left = edge.key != 0 && (way.counter.keys() >> (edge.key - 1) & 1) != 0;
      if (is_left && may_end(edge.target, way.stack.size())) return true;
    }
    return object.others != 0 && may_end(object.others, way.stack.size());
  }

  /// Takes the way in, and all that it leads to by reading nothing.
  void settle(const Way& way, Ways& out) const {
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

  const Automaton& automaton_;
  Ways ways_;
  mutable std::size_t n_looked_at_ = 0;
};

}  // namespace pleiad::constrain
