#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
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

  Ways after(std::span<const Symbol> token) const;

  void read(const Way& way, Symbol symbol, Ways& out) const;

  /// False where a name ends that the object has.
  static bool note(const Edge& edge, Symbol symbol, Way& way);

  /// Whether the name that is being written, or has to come, can end as another one, or a listed
  /// one comes and the object ends: by trying texts, the newest first, since what is begun (an
  /// escape's digits) is mostly soon ended. Where a great many of them lead nowhere it is taken for
  /// granted.
  bool has_names(const Way& way) const;

  bool may_end(StateId state, std::size_t depth) const {
    return depth + automaton_.height(state) <= Automaton::kMaxDepth;
  }

  /// Whether a key of the object may come next.
  bool has_key(ObjectId id, const Way& way) const;

  /// Takes the way in, and all that it leads to by reading nothing.
  void settle(const Way& way, Ways& out) const;

  const Automaton& automaton_;
  Ways ways_;
  mutable std::size_t n_looked_at_ = 0;
};

}  // namespace pleiad::constrain
