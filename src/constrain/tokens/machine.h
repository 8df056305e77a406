#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "constrain/automaton.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain {

using StackId = std::uint32_t;

/// Stacks of rules that wait for others to end. Equal stacks are one stack, so
/// that comparing two is comparing their ids.
class StackPool {
 public:
  static constexpr StackId kBottom = 0;

  struct Frame {
    StateId back = 0;
    Counter counter = {};
    StackId below = kBottom;

    bool operator==(const Frame&) const = default;
  };

  StackPool();
  StackId push(const Frame& frame);
  const Frame& top(StackId stack) const { return frames_[stack]; }
  std::uint32_t depth(StackId stack) const { return depths_[stack]; }
  void clear();

 private:
  struct Hash {
    std::size_t operator()(const Frame& frame) const;
  };

  std::vector<Frame> frames_;  // [0] is the bottom
  std::vector<std::uint32_t> depths_;
  std::unordered_map<Frame, StackId, Hash> ids_;
};

/// One way through the automaton: where it is, and where it returns to.
struct Thread {
  StateId state = 0;
  Counter counter = {};
  StackId stack = StackPool::kBottom;

  bool operator==(const Thread&) const = default;
};

/// All ways that what was read so far allows.
struct Threads {
  std::vector<Thread> list;     // those that can read a symbol
  bool reached_bottom = false;  // one has returned from the bottom of its stack
  std::uint32_t deepest = 0;    // stack depth and height that any of them needs

  bool alive() const { return !list.empty() || reached_bottom; }
  bool can_go_on() const { return !list.empty(); }
  void clear() {
    list.clear();
    reached_bottom = false;
    deepest = 0;
  }
};

/// Runs an automaton. Keeps scratch memory and the stacks of its threads. A form may leave open how
/// a text came about, in more ways with every bracket: what has too many is given up with a
/// sampling::ConstraintError, since a client chooses the form and, by what he lets the reply begin
/// with or prefer, the text.
class Machine {
 public:
  /// Ways at one place of a text. Forms that people write have some tens.
  static constexpr std::size_t kMostThreads = 4096;
  static constexpr std::uint64_t kAnySteps = std::numeric_limits<std::uint64_t>::max();

  /// Ways that would go deeper than `max_depth` are not taken.
  Machine(const Automaton& automaton, std::uint32_t max_depth)
      : automaton_(automaton), max_depth_(max_depth) {}

  /// From now on so many steps, each a thread that is looked at; what needs more is given up.
  void allow_steps(std::uint64_t n) { steps_left_ = n; }

  void begin(const Thread& thread, Threads& out);
  /// `out` is another than `from`.
  void read(const Threads& from, Symbol symbol, Threads& out);

  /// The symbol that has to come next; nothing where there is none or a choice, or where one seems
  /// to be.
  std::optional<Symbol> only_symbol(const Threads& threads);
  /// All that may come next.
  SymbolSet symbols(const Threads& threads);

  StackPool& stacks() { return stacks_; }
  const StackPool& stacks() const { return stacks_; }

 private:
  bool may_take(const Edge& edge, const Thread& thread) const;
  /// The depth that another key of the object can need at most; kNever where none may come.
  std::uint32_t depth_of_keys(ObjectId object, const Thread& thread) const;
  bool may_call(const Call& call, const Counter& counter) const;
  /// No text that goes on with it ends.
  bool is_dead(const Edge& edge) const;
  void spend(std::uint64_t steps);
  /// Follows all that reads nothing.
  void settle(const Thread& thread, Threads& out);
  void follow(const Thread& thread, Threads& out);
  void visit(const Thread& thread, Threads& out);

  const Automaton& automaton_;
  std::uint32_t max_depth_;
  StackPool stacks_;
  bool is_new(const Thread& thread, const std::vector<Thread>& known);

  struct Hash {
    std::size_t operator()(const Thread& thread) const;
  };

  std::vector<Thread> seen_;               // those without edges, in the current step
  std::unordered_set<Thread, Hash> many_;  // all in the current step, where they are many
  std::vector<Thread> todo_;
  std::uint64_t steps_left_ = kAnySteps;
};

}  // namespace pleiad::constrain
