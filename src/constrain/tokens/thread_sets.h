#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "constrain/tokens/machine.h"
#include "constrain/tokens/plain_characters.h"

namespace pleiad::constrain {

/// The sets of threads that reading tokens leads through, above a stack that is not known: what a
/// symbol makes of each, found out once for all symbols that an automaton treats alike.
class ThreadSets {
 public:
  using Id = std::int32_t;
  static constexpr Id kDead = -1;

  /// `longest`: the most symbols of a token.
  ThreadSets(const Automaton& automaton, std::uint32_t longest)
      : automaton_(automaton), longest_(longest), machine_(automaton, Automaton::kNever) {}

  /// The set that begins with this thread, its stack being the bottom; kDead where it can read
  /// nothing and has not ended.
  Id begin(StateId state, const Counter& counter);
  Id read(Id from, Symbol symbol);
  const Threads& threads(Id id) const { return sets_[static_cast<std::size_t>(id)].threads; }

  /// Any text of these characters, at most so many of them, may follow, and amid it nothing ends.
  struct PlainText {
    KindSet kinds = 0;
    std::uint32_t most = 0;     // kForever: however many
    std::uint32_t deepest = 0;  // see Threads
    KindSet dead = 0;           // behind any such text these are
    KindSet dead_behind = 0;    // behind `most` of them these are
  };
  static constexpr std::uint32_t kForever = ~std::uint32_t{0};
  const PlainText& plain_text(Id id);
  /// False where plain_text(id) cannot have all of these kinds.
  bool may_have(Id id, KindSet kinds);

  /// What is read from here on takes so many steps at most (Machine::allow_steps()).
  void allow_steps(std::uint64_t n) { machine_.allow_steps(n); }
  /// Before a table is made, which keeps ids from here on: forgets all where that is much.
  void make_room();
  std::size_t memory_bytes() const;

 private:
  static constexpr Id kUnknown = -2;
  static constexpr std::size_t kWords = (kSymbols + 64) / 64;

  struct Set {
    Threads threads;
    std::vector<Id> after;  // [kSymbols], or empty: read again
    /// Where the symbols begin that differ from the one before.
    std::array<std::uint64_t, kWords> cuts = {};
    /// What any character of each kind leads to; kUnknown where they differ. Or empty.
    std::vector<Id> after_kinds;
    std::uint32_t deepest_of_kinds = 0;  // see Threads
    bool has_plain = false;
    bool was_explored = false;
    PlainText plain;
  };

  Set& set(Id id) { return sets_[static_cast<std::size_t>(id)]; }
  Id intern(const Threads& threads);
  void prepare(Set& set) const;
  PlainText follow_most(Id id);
  const std::vector<Id>& after_kinds(Id from);
  Id after_kind(Id from, std::size_t kind, std::uint32_t& deepest);
  Id after_spelling(Id from, const std::vector<SymbolRange>& spelling, std::size_t at,
                    std::uint32_t& deepest);
  void explore(Id id);
  bool explore(Id id, KindSet& kinds);
  KindSet living_kinds(Id from, KindSet kinds);
  KindSet dead_kinds(Id from);
  bool leads_on(Id from, std::size_t kind, std::vector<Id>& to);
  bool leads_on(Id from, const std::vector<SymbolRange>& spelling, std::size_t at,
                std::vector<Id>& to);

  const Automaton& automaton_;
  std::uint32_t longest_;
  Machine machine_;
  std::vector<Set> sets_;
  std::size_t n_threads_ = 0;      // in sets_
  std::size_t n_remembering_ = 0;  // of sets_
  std::unordered_multimap<std::uint64_t, Id> ids_;
  std::size_t n_explored_ = 0;  // for this table
  std::vector<Id> explored_;    // of explore()
  std::uint32_t deepest_ = 0;   // of all that it read
  Threads scratch_;
};

}  // namespace pleiad::constrain
