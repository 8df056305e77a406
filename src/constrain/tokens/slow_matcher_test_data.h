#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/tokens/token_trie.h"

// Who masks are compared with: every way through an automaton as a value of its own, nothing
// shared, nothing remembered, one token at a time.
namespace pleiad::constrain {

class SlowMatcher {
 public:
  explicit SlowMatcher(const Automaton& automaton) : automaton_(automaton) {
    settle({automaton.start(), {}, {}}, ways_);
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
  struct Way {
    StateId state;
    Counter counter;
    std::vector<Frame> stack;

    auto key() const { return std::tie(state, counter.need, counter.room, stack); }
    bool operator<(const Way& other) const { return key() < other.key(); }
  };
  using Ways = std::set<Way>;

  Ways after(std::span<const Symbol> token) const {
    Ways ways = ways_;
    for (const Symbol symbol : token) {
      Ways next;
      for (const Way& way : ways) {
        for (const Edge& edge : automaton_.edges(way.state)) {
          if (symbol < edge.first || symbol > edge.last) continue;
          if (edge.needs_none && way.counter.need > 0) continue;
          Way to = {edge.target, way.counter, way.stack};
          if (edge.counts && !to.counter.count()) continue;
          const std::uint64_t left = way.counter.keys();
          if (edge.key != 0 && (left >> (edge.key - 1) & 1) == 0) continue;
          if (edge.key != 0) to.counter = Counter::of_keys(left - (1ULL << (edge.key - 1)));
          if (edge.object != 0 && !has_key(edge.object, way)) continue;
          settle(to, next);
        }
      }
      ways = std::move(next);
    }
    // Those that can read no more are of use only where nothing need follow: never before the end.
    std::erase_if(ways, [&](const Way& way) { return automaton_.edges(way.state).empty(); });
    return ways;
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
      settle({jump, way.counter, way.stack}, out);
    }
    for (const Call& call : automaton_.calls(way.state)) {
      if (call.needs_none && way.counter.need > 0) continue;
      if (call.object != 0 && (way.counter.keys() & automaton_.object(call.object).required) != 0) {
        continue;
      }
      if (call.only_asks) {
        settle({call.back, way.counter, way.stack}, out);
        continue;
      }
      Way inside = {call.rule.start, call.rule.counter, way.stack};
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
