#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/tokens/hash_index.h"
#include "constrain/tokens/inside_strings.h"
#include "constrain/tokens/item_memory.h"
#include "constrain/tokens/stack_pool.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain {

/// One way through the automaton: where it is, and where it may return to.
struct Thread {
  StateId state = 0;
  Counter counter = {};
  StackId stacks = StackPool::kBottom;
  MemoryId memory = ItemMemory::kNothing;

  bool operator==(const Thread&) const = default;
};

/// All ways that what was read so far allows.
struct Threads {
  std::vector<Thread> list;     // those that can read a symbol
  bool reached_bottom = false;  // one has returned from the bottom of its stack
  bool has_dropped = false;     // one was left out for its item, which equals another,
  bool has_repeated = false;    // or for its name, when it would have ended
  std::uint32_t deepest = 0;    // stack depth and height that any of them needs

  bool alive() const { return !list.empty() || reached_bottom; }
  bool can_go_on() const { return !list.empty(); }
  void clear() {
    list.clear();
    reached_bottom = false;
    has_dropped = false;
    has_repeated = false;
    deepest = 0;
  }
};

/// Runs an automaton. Keeps scratch memory and the stacks of its threads. A form may leave open how
/// a text came about, in more ways with every bracket: what has too many is given up with a
/// sampling::ConstraintError, since a client chooses the form and, by what he lets the reply begin
/// with or prefer, the text.
class Machine {
 public:
  /// Ways at one place of a text, but for where they return to. Forms that people write have some
  /// tens.
  static constexpr std::size_t kMostThreads = 4096;
  /// How often it may be found in one step that one of them returns elsewhere too.
  static constexpr std::size_t kMostReturns = 65'536;
  static constexpr std::uint64_t kAnySteps = std::numeric_limits<std::uint64_t>::max();

  /// Where items have to differ, and names, whether they do.
  enum class Items : std::uint8_t { not_compared, compared };

  /// Ways that would go deeper than `max_depth` are not taken. Where items are compared, ways whose
  /// item would be equal to an earlier one whatever comes next are not taken either; `strings` of
  /// the automaton, if it is known, makes that quick to see. All live as long as this.
  Machine(const Automaton& automaton, std::uint32_t max_depth, Items items = Items::not_compared,
          const InsideStrings* strings = nullptr)
      : automaton_(automaton),
        strings_(strings),
        max_depth_(max_depth),
        compares_items_(items == Items::compared && automaton.remembers()) {}

  /// From now on so many steps, each a thread that is looked at; what needs more is given up.
  void allow_steps(std::uint64_t n) { steps_left_ = n; }
  std::uint64_t steps_left() const { return steps_left_; }

  void begin(const Thread& thread, Threads& out);
  /// `out` is another than `from`.
  void read(std::span<const Thread> from, Symbol symbol, Threads& out);
  void read(const Threads& from, Symbol symbol, Threads& out) { read(from.list, symbol, out); }

  /// As if items were not compared: what the threads may go on with, those that were left out here
  /// too, and read() of them.
  void without_items(const Threads& threads, Threads& out);
  void read_without_items(const Threads& from, Symbol symbol, Threads& out);

  /// The symbol that has to come next; nothing where there is none or a choice, or where one seems
  /// to be.
  std::optional<Symbol> only_symbol(const Threads& threads);
  /// All that may come next.
  SymbolSet symbols(const Threads& threads);
  /// But white space that says nothing.
  SymbolSet symbols_but_blanks(const Threads& threads);
  /// Those with which an earlier name of the object goes on, or ends, or which may stand before it.
  SymbolSet symbols_of_names(const Threads& threads);

  StackPool& stacks() { return stacks_; }
  const StackPool& stacks() const { return stacks_; }
  const ItemMemory& memory() const { return memory_; }

  /// What is read from here on goes on from these threads.
  void go_on_from(Threads& threads);

  /// While one lives the machine looks ahead: of the threads that are read meanwhile none is used
  /// afterwards, and nothing of them is kept.
  class LookAhead {
   public:
    explicit LookAhead(Machine& machine)
        : machine_(machine), n_stacks_(machine.stacks_.size()), memory_(machine.memory_.mark()) {}
    ~LookAhead() {
      if (!machine_.compares_items_) return;  // stacks that come back need not be made again
      machine_.stacks_.forget_since(n_stacks_);
      machine_.memory_.forget_since(memory_);
    }
    LookAhead(const LookAhead&) = delete;
    LookAhead& operator=(const LookAhead&) = delete;

   private:
    Machine& machine_;
    std::size_t n_stacks_;
    ItemMemory::Mark memory_;
  };

 private:
  /// Whatever items will be.
  void read_any(std::span<const Thread> from, Symbol symbol, Threads& out);
  class NotCompared;

  std::optional<MemoryId> remember(const Edge& edge, Symbol symbol, MemoryId memory);
  void drop_equal(Threads& threads);
  std::optional<Symbol> only_different_symbol(const Threads& threads);
  bool may_differ(const Thread& thread);
  std::vector<Symbol> other_symbols(const Threads& at, SymbolSet equal) const;
  bool surely_differs(const Thread& thread) const;
  bool may_take(const Edge& edge, const Thread& thread) const;
  /// The depth that another key of the object can need at most; kNever where none may come.
  std::uint32_t depth_of_keys(ObjectId object, const Thread& thread) const;
  bool may_call(const Call& call, const Counter& counter) const;
  /// No text that goes on with it ends.
  bool is_dead(const Edge& edge) const;
  void spend(std::uint64_t steps);
  void follow(const Thread& thread, Threads& out);
  void follow_back(const Thread& thread, Threads& out);
  void visit(const Thread& thread, Threads& out);
  void follow_all(Threads& out);

  const Automaton& automaton_;
  const InsideStrings* strings_;
  std::uint32_t max_depth_;
  bool compares_items_;
  StackPool stacks_;
  ItemMemory memory_;

  static constexpr std::uint32_t kNoPart = std::numeric_limits<std::uint32_t>::max();

  /// What ways have to have in common to be one.
  struct Place {
    StateId state = 0;
    Counter counter = {};
    MemoryId memory = ItemMemory::kNothing;
    std::uint32_t depth = 0;  // of the stacks

    bool operator==(const Place&) const = default;
  };

  Place place_of(const Thread& thread) const {
    return {thread.state, thread.counter, thread.memory, stacks_.depth(thread.stacks)};
  }
  /// How far a thread of the current step was followed.
  struct Progress {
    std::uint32_t last_part = kNoPart;  // of its stacks, those that are not followed yet
    bool is_waiting = false;
    bool is_followed = false;  // with its own stacks
  };
  struct Part {
    StackId stacks = StackPool::kBottom;
    std::uint32_t before = kNoPart;  // the same thread's part before this one
  };
  struct Waiting {
    std::uint32_t number = 0;  // in Threads::list, or in seen_
    bool reads = false;
  };

  /// Threads that were taken in during the current step.
  struct Taken {
    std::vector<Progress> progress;  // of each
    HashIndex numbers;               // by their places, where they are many

    void clear();
  };

  static std::uint64_t hash_of(const Place& place);
  std::size_t find_or_number(const Thread& thread, const std::vector<Thread>& known,
                             HashIndex& numbers) const;
  bool add_returns(StackId stacks, const Thread& thread, Progress& progress);
  std::vector<StackId> take_parts(Progress& progress) const;
  void begin_step(Threads& out);

  // In the current step:
  std::vector<Thread> seen_;  // those without edges
  Taken of_list_;             // of Threads::list
  Taken of_seen_;
  std::vector<Waiting> waiting_;  // all that were, in order
  std::vector<Part> parts_;
  std::uint64_t steps_left_ = kAnySteps;
};

}  // namespace pleiad::constrain
