#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "text/vocabulary.h"

// Sets of tokens, a bit each.
namespace pleiad::constrain {

inline void set_bit(std::span<std::uint64_t> bits, text::TokenId token) {
  bits[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
}

inline void clear_bit(std::span<std::uint64_t> bits, text::TokenId token) {
  bits[static_cast<std::size_t>(token) / 64] &= ~(std::uint64_t{1} << (token % 64));
}

inline bool has_bit(std::span<const std::uint64_t> bits, text::TokenId token) {
  return (bits[static_cast<std::size_t>(token) / 64] >> (token % 64) & 1) != 0;
}

/// `bits` may be empty.
inline void add_bits(std::span<std::uint64_t> to, std::span<const std::uint64_t> bits) {
  for (std::size_t i = 0; i < bits.size(); ++i) to[i] |= bits[i];
}

}  // namespace pleiad::constrain
