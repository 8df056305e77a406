#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "constrain/symbol.h"
#include "constrain/tokens/plain_characters.h"
#include "constrain/tokens/read_memory.h"

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

  ReadSets() = default;
  virtual ~ReadSets() = default;
  ReadSets(const ReadSets&) = delete;
  ReadSets& operator=(const ReadSets&) = delete;

  Id read(Id from, Symbol symbol) {
    const Id* const after = sets_[static_cast<std::size_t>(from)].after;
    if (after == nullptr) return find_after(from, symbol);
    return after[symbol] == ReadMemory::kUnknown ? read_first(from, symbol) : after[symbol];
  }
  /// What reading each symbol makes of it, as far as it was found out, ReadMemory::kUnknown where
  /// not; stays where it is. Null where the set remembers nothing.
  const Id* after(Id id) const { return sets_[static_cast<std::size_t>(id)].after; }
  /// The first symbol behind this one of which read() may make something else.
  std::size_t next_apart(Id from, Symbol symbol) const {
    const auto index = static_cast<std::size_t>(from);
    return sets_[index].after == nullptr ? std::size_t{symbol} + 1
                                         : memories_[index].next_apart(symbol);
  }
  std::size_t n_sets() const { return sets_.size(); }
  /// That may be read from the set, at most.
  std::size_t n_symbols(Id id) const { return sets_[static_cast<std::size_t>(id)].n_symbols; }
  const Facts& facts(Id id) const { return sets_[static_cast<std::size_t>(id)].facts; }

  /// What is told of plain text from the set on, without reading any; no `deepest` on the way is
  /// more than the set's. There may be more.
  virtual PlainReach plain_reach(Id) { return {}; }
  /// Whether there may be many more sets.
  virtual bool has_room() const = 0;
  /// Takes a walk over so many nodes of a trie from what a mask may cost.
  virtual void spend_walk(std::uint64_t n_nodes) = 0;

 protected:
  /// Of the next set, by its number; `memory` may be one that is not kept.
  void add_set(const Facts& facts, ReadMemory memory) {
    memories_.push_back(std::move(memory));
    const ReadMemory& kept = memories_.back();
    sets_.push_back({kept.is_kept() ? kept.all() : nullptr, facts, kept.n_symbols()});
  }
  void clear_sets() {
    sets_.clear();
    memories_.clear();
  }
  /// Without what memories hold.
  std::size_t set_bytes() const {
    return sets_.capacity() * sizeof(Set) + memories_.capacity() * sizeof(ReadMemory);
  }

  /// The set that reading the symbol makes, which nothing remembers.
  virtual Id find_after(Id from, Symbol symbol) = 0;

 private:
  struct Set {
    const Id* after = nullptr;  // of its memory
    Facts facts;
    std::uint32_t n_symbols = 0;
  };

  Id read_first(Id from, Symbol symbol) {
    const Id reached = find_after(from, symbol);
    memories_[static_cast<std::size_t>(from)].remember(symbol, reached);
    return reached;
  }

  std::vector<Set> sets_;             // by Id
  std::vector<ReadMemory> memories_;  // of each
};

}  // namespace pleiad::constrain
