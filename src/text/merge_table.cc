#include "text/merge_table.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace pleiad::text {

MergeTable::MergeTable(std::size_t n_merges) : joined_(n_merges, -1) {
  CHECK(n_merges < kNoMerge);
  const std::size_t n_slots = std::bit_ceil(std::max<std::size_t>(n_merges * 2, 16));
  mask_ = n_slots - 1;
  shift_ = 64 - std::countr_zero(n_slots);
  slots_.assign(n_slots, kEmpty);
}

void MergeTable::insert(TokenId left, TokenId right, Rank rank, TokenId joined) {
  CHECK(rank < joined_.size());
  const std::uint64_t key = key_of(left, right);
  std::size_t at = slot_of(key);
  while (slots_[at] != kEmpty && slots_[at] >> kRankBits != key) at = (at + 1) & mask_;
  slots_[at] = key << kRankBits | rank;
  joined_[rank] = joined;
}

}  // namespace pleiad::text
