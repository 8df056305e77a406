#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "constrain/tokens/dead_endings.h"
#include "constrain/tokens/hash_index.h"
#include "constrain/tokens/machine.h"
#include "constrain/tokens/plain_states.h"
#include "constrain/tokens/read_sets.h"
#include "constrain/tokens/steady_memory.h"

namespace pleiad::constrain {

/// The sets of threads that reading tokens leads through, above a stack that is not known: what a
/// symbol makes of each, found out once for all symbols that an automaton treats alike.
class ThreadSets final : public ReadSets {
 public:
  explicit ThreadSets(const Automaton& automaton);

  /// The set that begins with this thread, its stack being the bottom; kDead where it can read
  /// nothing and has not ended.
  Id begin(StateId state, const Counter& counter);
  /// That of the thread by itself, which may read: without those that it leads to before it does.
  Id alone(StateId state, const Counter& counter);
  PlainReach plain_reach(Id id) override;
  /// That of a set which begins with such a thread.
  PlainReach plain_reach(StateId state, const Counter& counter);
  bool tell_dead_endings(Id id, std::uint32_t most_characters,
                         std::vector<TextEnding>& endings) override;
  bool has_room() const override;
  /// Walks are no steps: the trie is bounded, and so is how often it is walked.
  void spend_walk(std::uint64_t) override {}

  /// What is read from here on takes so many steps at most (Machine::allow_steps()).
  void allow_steps(std::uint64_t n) { machine_.allow_steps(n); }
  /// Before a table is made, which keeps ids from here on: forgets all where that is much, and
  /// gives true then.
  bool make_room();
  std::size_t memory_bytes() const;

 private:
  /// See Threads.
  struct Set {
    std::span<const Thread> list;
    std::uint32_t deepest = 0;
    bool reached_bottom = false;
  };

  Id find_after(Id from, Symbol symbol) override;
  Id intern(const Threads& threads);
  void add_set_of(std::span<const Thread> threads, const Facts& facts);
  const Set& set(Id id) const { return sets_[static_cast<std::size_t>(id)]; }

  const Automaton& automaton_;
  Machine machine_;
  PlainStates plain_states_;
  DeadEndings dead_endings_;
  std::vector<Set> sets_;
  SteadyMemory<Thread> threads_;  // of these
  std::size_t n_threads_ = 0;     // of all of them
  HashIndex ids_;
  Threads scratch_;
};

}  // namespace pleiad::constrain
