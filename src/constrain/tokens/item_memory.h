#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "constrain/symbol.h"

namespace pleiad::constrain {

/// What a way through an automaton remembers: of each open array whose items differ, within each
/// other, its items and how far the next one is. An object with names that are not listed is such
/// an array of these. By number; equal memories have one.
using MemoryId = std::uint32_t;

/// The memories of all ways through one reply. Items are compared by their texts. Lookups cost the
/// logarithm of the items; another item costs a list of all before it.
class ItemMemory {
 public:
  static constexpr MemoryId kNothing = 0;
  /// What more needs is given up with a sampling::ConstraintError.
  static constexpr std::size_t kMostBytes = 64U << 20;

  ItemMemory();

  /// Of an array that begins, without items; `outer` is what was remembered so far.
  MemoryId open(MemoryId outer);
  /// Without the innermost array, which has ended.
  MemoryId close(MemoryId memory) const { return levels_[memory].outer; }
  /// Behind a ',': an item has to come.
  MemoryId want_item(MemoryId memory);
  /// Where no item is being written: one begins. `may_run_out`: there may be no other left; else it
  /// need not be watched before it ends.
  MemoryId begin_item(MemoryId memory, bool may_run_out = true);
  /// An item has to come that is not yet begun.
  bool wants_item(MemoryId memory) const { return levels_[memory].wants_item; }
  /// Whether one is being written.
  bool is_amid_item(MemoryId memory) const { return levels_[memory].length != kBetween; }
  /// Where one is being written: it has ended. Nothing where it is equal to an earlier one.
  std::optional<MemoryId> end_item(MemoryId memory);
  /// The symbol belongs to all items that are being written.
  MemoryId read(MemoryId memory, Symbol symbol);

  /// An earlier item of some array begins with what is being written, or an item has to come that
  /// is not yet begun.
  bool may_be_equal(MemoryId memory) const { return levels_[memory].may_be_equal; }
  /// The symbols with which such items go on.
  void add_next(MemoryId memory, SymbolSet& out) const;

  /// Where no item of the innermost array is being written: whether it has some.
  bool has_items(MemoryId memory) const {
    return levels_[memory].text != kNothing || !sets_[levels_[memory].set].items.empty();
  }
  /// Where one is: the symbols with which earlier ones go on.
  void add_next_of_innermost(MemoryId memory, SymbolSet& out) const;
  /// Whether it is equal to one, should it end.
  bool is_equal(MemoryId memory) const;

  struct Mark {
    std::size_t n_levels = 0;
    std::size_t n_sets = 0;
    std::size_t n_symbols = 0;
  };
  Mark mark() const { return {levels_.size(), sets_.size(), symbols_.size()}; }
  /// All that was remembered since; ids of it are used no more.
  void forget_since(const Mark& mark);
  /// From now on only these memories, and what is made of them, are used.
  void use_only(std::span<const MemoryId> memories);
  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kBetween = std::numeric_limits<std::uint32_t>::max();
  using SetId = std::uint32_t;

  struct Level {
    MemoryId outer = kNothing;
    SetId set = 0;                     // earlier items, but
    MemoryId text = kNothing;          // the last one, or the item so far without its last symbol
    std::uint32_t length = kBetween;   // of the item so far
    std::uint32_t first = 0, end = 0;  // of the set: those that begin with it
    Symbol symbol = 0;                 // its last one
    bool wants_item = false;
    bool may_run_out = true;    // of the item so far
    bool may_be_equal = false;  // here or further out
    bool is_amid = false;       // an item, here or further out

    bool operator==(const Level&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Level& level) const;
  };
  struct Item {
    std::uint32_t begin = 0;  // in symbols_
    std::uint32_t length = 0;
  };
  struct Set {
    std::vector<Item> items;  // by their texts
    MemoryId made_of = 0;     // the level that it was made of
  };

  MemoryId id_of(Level level);
  SetId with_last(MemoryId memory);
  Symbol symbol_at(const Item& item, std::uint32_t index) const {
    return symbols_[item.begin + index];
  }
  std::span<const Symbol> text_of(const Item& item) const {
    return {symbols_.data() + item.begin, item.length};
  }

  std::vector<Level> levels_;  // [0] is kNothing
  std::unordered_map<Level, MemoryId, Hash> ids_;
  std::vector<Set> sets_;  // [0] is empty
  std::unordered_map<MemoryId, SetId> made_sets_;
  std::vector<Symbol> symbols_;
  std::size_t n_set_items_ = 0;
};

}  // namespace pleiad::constrain
