#pragma once

#include <cstdint>
#include <vector>

#include "text/token.h"

namespace pleiad::text {

/// (left piece, right piece) -> rank and joined piece, eight bytes a slot so
/// that half a million merges stay in a few megabytes.
class MergeTable {
 public:
  using Rank = std::uint32_t;
  static constexpr Rank kNoMerge = (Rank{1} << 22) - 1;

  explicit MergeTable(std::size_t n_merges);

  /// The same pair again replaces its rank.
  void insert(TokenId left, TokenId right, Rank rank, TokenId joined);

  void prefetch(TokenId left, TokenId right) const {
    __builtin_prefetch(&slots_[slot_of(key_of(left, right))], 1);
  }

  Rank rank(TokenId left, TokenId right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t at = slot_of(key);; at = (at + 1) & mask_) {
      const std::uint64_t slot = slots_[at];
      if (slot >> kRankBits == key) return static_cast<Rank>(slot) & kNoMerge;
      if (slot == kEmpty) return kNoMerge;
    }
  }
  TokenId joined(Rank rank) const { return joined_[rank]; }

 private:
  static constexpr int kIdBits = 21;
  static constexpr int kRankBits = 22;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  static std::uint64_t key_of(TokenId left, TokenId right) {
    return static_cast<std::uint64_t>(left) << kIdBits | static_cast<std::uint64_t>(right);
  }
  std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15 >> shift_);
  }

  std::size_t mask_;
  int shift_;
  std::vector<std::uint64_t> slots_;  // left id, right id, rank
  std::vector<TokenId> joined_;       // by rank
};

/// Which two characters may stand side by side inside a piece, as a bitmap that
/// may say yes too often but never no wrongly. Where the answer is no, text can be
/// cut before merging without changing the result: no merge ever spans the cut.
class JoinFilter {
 public:
  JoinFilter() : words_(kBits / 64) {}

  void allow(char32_t left, char32_t right) {
    const std::uint32_t bit = bit_of(left, right);
    words_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  bool may_join(char32_t left, char32_t right) const {
    const std::uint32_t bit = bit_of(left, right);
    return words_[bit / 64] >> bit % 64 & 1;
  }

 private:
  static constexpr int kLogBits = 22;
  static constexpr std::uint32_t kBits = std::uint32_t{1} << kLogBits;

  static std::uint32_t bit_of(char32_t left, char32_t right) {
    const std::uint64_t pair = static_cast<std::uint64_t>(left) << 21 | right;
    return static_cast<std::uint32_t>(pair * 0x9E3779B97F4A7C15 >> (64 - kLogBits));
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace pleiad::text
