#include "constrain/tokens/item_memory.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "constrain/mix_hash.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain {

ItemMemory::ItemMemory() : levels_(1), sets_(1) {}

std::size_t ItemMemory::Hash::operator()(const Level& level) const {
  std::uint64_t hash = level.outer;
  for (const std::uint32_t part : {level.set, level.text, level.length})
    hash = mix_hash(hash, part);
  return mix_hash(hash, level.symbol);
}

MemoryId ItemMemory::id_of(Level level) {
  const bool is_here = level.wants_item || (level.may_run_out && level.first < level.end);
  level.may_be_equal = is_here || levels_[level.outer].may_be_equal;
  level.is_amid = level.length != kBetween || levels_[level.outer].is_amid;
  const auto [found, is_new] = ids_.try_emplace(level, static_cast<MemoryId>(levels_.size()));
  if (is_new) {
    levels_.push_back(level);
    if (memory_bytes() > kMostBytes) {
      throw sampling::ConstraintError("the items of arrays that must differ are too many to keep");
    }
  }
  return found->second;
}

MemoryId ItemMemory::open(MemoryId outer) { return id_of({.outer = outer}); }

/// The items before the one that comes next.
ItemMemory::SetId ItemMemory::with_last(MemoryId memory) {
  const Level& level = levels_[memory];
  if (level.text == kNothing) return level.set;
  const auto known = made_sets_.find(memory);
  if (known != made_sets_.end()) return known->second;
  const Item last{static_cast<std::uint32_t>(symbols_.size()), levels_[level.text].length};
  symbols_.resize(symbols_.size() + last.length);
  MemoryId at = level.text;
  for (std::size_t i = symbols_.size(); i > last.begin; at = levels_[at].text) {
    symbols_[--i] = levels_[at].symbol;
  }
  Set made{sets_[level.set].items, memory};
  const auto place =
      std::ranges::lower_bound(made.items, last, [&](const Item& left, const Item& right) {
        return std::ranges::lexicographical_compare(text_of(left), text_of(right));
      });
  made.items.insert(place, last);
  n_set_items_ += made.items.size();
  sets_.push_back(std::move(made));
  const auto id = static_cast<SetId>(sets_.size() - 1);
  made_sets_.emplace(memory, id);
  return id;
}

MemoryId ItemMemory::want_item(MemoryId memory) {
  Level level = levels_[memory];
  level.wants_item = true;
  return id_of(level);
}

MemoryId ItemMemory::begin_item(MemoryId memory, bool may_run_out) {
  CHECK(memory != kNothing && levels_[memory].length == kBetween);
  const SetId set = with_last(memory);
  return id_of({.outer = levels_[memory].outer,
                .set = set,
                .length = 0,
                .end = static_cast<std::uint32_t>(sets_[set].items.size()),
                .may_run_out = may_run_out});
}

std::optional<MemoryId> ItemMemory::end_item(MemoryId memory) {
  const Level& level = levels_[memory];
  CHECK(level.length != kBetween && level.length > 0);
  if (is_equal(memory)) return std::nullopt;
  return id_of({.outer = level.outer, .set = level.set, .text = memory});
}

bool ItemMemory::is_equal(MemoryId memory) const {
  const Level& level = levels_[memory];
  // Among those that begin with it the shortest comes first.
  return level.first < level.end && sets_[level.set].items[level.first].length == level.length;
}

MemoryId ItemMemory::read(MemoryId memory, Symbol symbol) {
  if (!levels_[memory].is_amid) return memory;
  const MemoryId outer = read(levels_[memory].outer, symbol);
  Level next = levels_[memory];
  next.outer = outer;
  if (next.length != kBetween) {
    const std::vector<Item>& items = sets_[next.set].items;
    const auto at = [&](std::uint32_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::uint32_t index = next.length;
    const auto lower = std::partition_point(at(next.first), at(next.end), [&](const Item& item) {
      return item.length <= index || symbol_at(item, index) < symbol;
    });
    const auto upper = std::partition_point(
        lower, at(next.end), [&](const Item& item) { return symbol_at(item, index) == symbol; });
    next.first = static_cast<std::uint32_t>(lower - items.begin());
    next.end = static_cast<std::uint32_t>(upper - items.begin());
    if (next.first == next.end) next.first = next.end = 0;
    next.text = memory;
    next.symbol = symbol;
    ++next.length;
  }
  return id_of(next);
}

void ItemMemory::add_next(MemoryId memory, SymbolSet& out) const {
  for (; memory != kNothing; memory = levels_[memory].outer) {
    const Level& level = levels_[memory];
    if (!level.may_be_equal) return;
    if (level.length != kBetween) add_next_of_innermost(memory, out);
  }
}

void ItemMemory::add_next_of_innermost(MemoryId memory, SymbolSet& out) const {
  const Level& level = levels_[memory];
  const auto items = std::span(sets_[level.set].items).first(level.end);
  for (std::size_t i = level.first; i < items.size();) {
    if (items[i].length == level.length) {  // the first alone, if any
      ++i;
      continue;
    }
    const Symbol symbol = symbol_at(items[i], level.length);
    out.set(symbol);
    const auto same = items.subspan(i);
    i += static_cast<std::size_t>(
        std::ranges::partition_point(
            same, [&](const Item& item) { return symbol_at(item, level.length) == symbol; }) -
        same.begin());
  }
}

void ItemMemory::forget_since(const Mark& mark) {
  while (sets_.size() > mark.n_sets) {
    made_sets_.erase(sets_.back().made_of);
    n_set_items_ -= sets_.back().items.size();
    sets_.pop_back();
  }
  while (levels_.size() > mark.n_levels) {
    ids_.erase(levels_.back());
    levels_.pop_back();
  }
  symbols_.resize(mark.n_symbols);
}

/// Lists of earlier items are copied for each item, so old ones are dropped when they are many, and
/// all where no array is open.
void ItemMemory::use_only(std::span<const MemoryId> memories) {
  constexpr std::size_t kManyItems = 1U << 18;
  if (std::ranges::all_of(memories, [](MemoryId memory) { return memory == kNothing; })) {
    if (levels_.size() > 1) *this = ItemMemory();
    return;
  }
  if (n_set_items_ < kManyItems) return;
  std::vector<bool> is_used(sets_.size());
  for (MemoryId memory : memories) {
    for (; memory != kNothing; memory = levels_[memory].outer) is_used[levels_[memory].set] = true;
  }
  for (std::size_t id = 0; id < sets_.size(); ++id) {
    Set& set = sets_[id];
    if (is_used[id] || set.items.empty()) continue;
    made_sets_.erase(set.made_of);
    n_set_items_ -= set.items.size();
    set.items = {};
  }
}

std::size_t ItemMemory::memory_bytes() const {
  return levels_.size() * 2 * (sizeof(Level) + sizeof(std::uint64_t)) + sets_.size() * sizeof(Set) +
         n_set_items_ * sizeof(Item) + symbols_.size() * sizeof(Symbol);
}

}  // namespace pleiad::constrain
