#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constrain/symbol.h"
#include "constrain/tokens/plain_characters.h"
#include "constrain/tokens/read_memory.h"
#include "constrain/tokens/steady_memory.h"
#include "constrain/tokens/text_ending.h"

namespace pleiad::constrain {

/// Plain text that may follow, whatever its characters are.
struct PlainReach {
  KindSet kinds = 0;          // all texts of these,
  std::uint32_t most = 0;     // of at most so many characters,
  KindSet kinds_forever = 0;  // and of these however many

  static constexpr std::uint32_t kForever = ~std::uint32_t{0};

  bool has(KindSet asked, std::uint32_t n_characters) const {
    return (asked & ~kinds_forever) == 0 || ((asked & ~kinds) == 0 && n_characters <= most);
  }
};

/// Sets of ways through a form, by number from 0 on: what reading a symbol makes of one is another.
/// Of sets above a place that is not known, where a way may end: what goes on from there is
/// somebody else's to find.
///
/// A walk over a vocabulary asks for the same few sets again and again: what it asks lies here, at
/// hand.
class ReadSets {
 public:
  using Id = ReadMemory::Id;
  static constexpr Id kDead = ReadMemory::kDead;

  struct Facts {
    /// The kinds of characters that may follow where a way ends at the set, with kNotPlain for all
    /// else; 0 where none ends. May have kinds that do not.
    KindSet behind_end = 0;
    std::uint32_t deepest = 0;  // see Threads
    std::uint32_t n_ways = 1;   // about what it costs to read a symbol from it for the first time
  };

  /// Of so many sets it is remembered what reading them made; others are read again. (Not counted
  /// are those that lead on with one symbol alone.)
  explicit ReadSets(std::size_t most_remembered) : most_remembered_(most_remembered) {}
  virtual ~ReadSets() = default;
  ReadSets(const ReadSets&) = delete;
  ReadSets& operator=(const ReadSets&) = delete;

  Id read(Id from, Symbol symbol) {
    const Set& set = sets_[static_cast<std::size_t>(from)];
    if (set.after == nullptr) return read_beside_rows(from, symbol);
    return set.after[symbol] == ReadMemory::kUnknown ? read_first(from, symbol) : set.after[symbol];
  }
  /// What reading each symbol makes of it, as far as it was found out, ReadMemory::kUnknown where
  /// not; stays where it is. Null where the set remembers nothing, or of its only symbol alone.
  const Id* after(Id id) const { return sets_[static_cast<std::size_t>(id)].after; }
  /// The same, where the set remembers anything.
  const Id* after_all(Id id) {
    const Set& set = sets_[static_cast<std::size_t>(id)];
    return set.after == nullptr && set.only != kSymbols ? remember_all(id) : set.after;
  }
  /// The symbol that alone may be read from the set; kSymbols where that is not known of any.
  Symbol only_symbol(Id id) const { return sets_[static_cast<std::size_t>(id)].only; }
  /// The first symbol behind this one of which read() may make something else.
  std::size_t next_apart(Id from, Symbol symbol) const {
    const auto index = static_cast<std::size_t>(from);
    const Set& set = sets_[index];
    if (set.after != nullptr) return memories_[index].next_apart(symbol);
    if (set.only == kSymbols) return std::size_t{symbol} + 1;
    return symbol < set.only ? set.only : symbol == set.only ? symbol + 1U : kSymbols;
  }
  std::size_t n_sets() const { return sets_.size(); }
  /// That may be read from the set, at most.
  std::size_t n_symbols(Id id) const { return sets_[static_cast<std::size_t>(id)].n_symbols; }
  const Facts& facts(Id id) const { return sets_[static_cast<std::size_t>(id)].facts; }

  /// What is told of plain text from the set on, without reading any; no `deepest` on the way is
  /// more than the set's. There may be more.
  virtual PlainReach plain_reach(Id) { return {}; }
  /// Whether from the set on all plain text of at most so many characters leads on but what begins
  /// or ends so, without a `deepest` on the way that is more than the set's; there may be more
  /// endings. False, and any of them, where that is not told.
  virtual bool tell_dead_endings(Id, std::uint32_t, std::vector<TextEnding>&) { return false; }
  /// Whether there may be many more sets.
  virtual bool has_room() const = 0;
  /// Takes a walk over so many nodes of a trie from what a mask may cost.
  virtual void spend_walk(std::uint64_t n_nodes) = 0;

 protected:
  /// Of the next set, by its number; `memory` may be one that is not kept.
  void add_set(const Facts& facts, const ReadMemory& memory) {
    memories_.push_back(memory);
    sets_.push_back({.after = memory.all(), .facts = facts, .n_symbols = memory.n_symbols()});
  }
  /// The same, of one from which nothing but `only` may be read: most sets amid names and words.
  void add_set(const Facts& facts, Symbol only) {
    memories_.emplace_back();
    sets_.push_back({.facts = facts, .n_symbols = 1, .only = only});
  }
  /// For a set that is to be added; not kept where enough are.
  ReadMemory new_memory() {
    ReadMemory memory;
    if (n_remembered_ == most_remembered_) return memory;
    ++n_remembered_;
    memory.keep(after_.add(kSymbols).data());
    return memory;
  }
  void clear_sets() {
    sets_.clear();
    memories_.clear();
    after_.clear();
    n_remembered_ = 0;
  }
  std::size_t set_bytes() const {
    return sets_.capacity() * sizeof(Set) + memories_.capacity() * sizeof(ReadMemory) +
           after_.memory_bytes();
  }

  /// The set that reading the symbol makes, which nothing remembers.
  virtual Id find_after(Id from, Symbol symbol) = 0;

 private:
  /// Of what sets remember, kept when they are forgotten: of so many sets.
  static constexpr std::size_t kMostKept = 3'000;

  struct Set {
    const Id* after = nullptr;  // of its memory
    Facts facts = {};
    std::uint32_t n_symbols = 0;
    Symbol only = kSymbols;                // see only_symbol(); where that is known
    Id after_only = ReadMemory::kUnknown;  // what reading it makes
  };

  Id read_beside_rows(Id from, Symbol symbol) {
    const Set& set = sets_[static_cast<std::size_t>(from)];
    if (set.only == kSymbols) return find_after(from, symbol);
    if (symbol != set.only) return kDead;
    if (set.after_only != ReadMemory::kUnknown) return set.after_only;
    const Id reached = find_after(from, symbol);
    sets_[static_cast<std::size_t>(from)].after_only = reached;
    return reached;
  }

  /// Null where enough are remembered.
  const Id* remember_all(Id id) {
    Set& set = sets_[static_cast<std::size_t>(id)];
    ReadMemory memory = new_memory();
    if (!memory.is_kept()) return nullptr;
    memory.add_edge(set.only, set.only);
    memory.remember(set.only, set.after_only);
    set.after = memory.all();
    memories_[static_cast<std::size_t>(id)] = memory;
    return set.after;
  }

  Id read_first(Id from, Symbol symbol) {
    const Id reached = find_after(from, symbol);
    memories_[static_cast<std::size_t>(from)].remember(symbol, reached);
    return reached;
  }

  std::vector<Set> sets_;             // by Id
  std::vector<ReadMemory> memories_;  // of each
  SteadyMemory<Id> after_{kMostKept * kSymbols};
  std::size_t most_remembered_;
  std::size_t n_remembered_ = 0;
};

}  // namespace pleiad::constrain
