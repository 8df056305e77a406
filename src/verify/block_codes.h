#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "tensor/blocks.h"
#include "tensor/float16.h"

namespace pleiad::verify {

// What a block of each type holds beside its values: which codes it uses, and whether
// its scales can be scales. The layouts are stated in tensor/blocks.h.

using Codes = std::array<bool, 256>;

inline bool is_finite_f16(std::uint16_t bits) { return std::isfinite(f32_from_f16(bits)); }

inline void mark_nibbles(const std::uint8_t* bytes, int count, Codes& codes) {
  for (int i = 0; i < count; ++i) {
    codes[bytes[i] & 0xFU] = true;
    codes[bytes[i] >> 4] = true;
  }
}

inline void mark(const blocks::Q8_0& block, Codes& codes) {
  for (const std::int8_t quant : block.quants) codes[static_cast<std::size_t>(quant + 128)] = true;
}
inline void mark(const blocks::Q4_0& block, Codes& codes) { mark_nibbles(block.quants, 16, codes); }
inline void mark(const blocks::Q4_1& block, Codes& codes) { mark_nibbles(block.quants, 16, codes); }
inline void mark(const blocks::Q4_K& block, Codes& codes) {
  mark_nibbles(block.quants, 128, codes);
}

/// Q5_0 and Q5_1
template <typename Block>
void mark_fives(const Block& block, Codes& codes) {
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned nibble = block.quants[i % 16] >> (i / 16 * 4) & 0xFU;
    codes[nibble | (block.high_bits[i / 8] >> (i % 8) & 1U) << 4] = true;
  }
}
inline void mark(const blocks::Q5_0& block, Codes& codes) { mark_fives(block, codes); }
inline void mark(const blocks::Q5_1& block, Codes& codes) { mark_fives(block, codes); }
inline void mark(const blocks::Q5_K& block, Codes& codes) {
  for (unsigned i = 0; i < 256; ++i) {
    const unsigned group = i / 32;
    const unsigned nibble = block.quants[group / 2 * 32 + i % 32] >> (group % 2 * 4) & 0xFU;
    codes[nibble | (block.high_bits[i % 32] >> group & 1U) << 4] = true;
  }
}
inline void mark(const blocks::Q6_K& block, Codes& codes) {
  for (unsigned i = 0; i < 256; ++i) {
    const unsigned half = i / 128;
    const unsigned group = i % 128 / 32;
    const unsigned low = block.low_bits[half * 64 + group % 2 * 32 + i % 32] >> (group / 2 * 4);
    const unsigned high = block.high_bits[half * 32 + i % 32] >> (group * 2);
    codes[(low & 0xFU) | (high & 3U) << 4] = true;
  }
}

/// Without their sign.
inline void mark_e2m1(const std::uint8_t* bytes, int count, Codes& codes) {
  for (int i = 0; i < count; ++i) {
    codes[bytes[i] & 7U] = true;
    codes[bytes[i] >> 4 & 7U] = true;
  }
}
inline void mark(const blocks::NvFp4& block, Codes& codes) { mark_e2m1(block.quants, 32, codes); }
inline void mark(const blocks::NvFp4Packed& block, Codes& codes) {
  mark_e2m1(block.quants, 8, codes);
}

template <typename Block>
bool has_good_scales(const Block& block) {
  if constexpr (requires { block.minimum; }) {
    if (!is_finite_f16(block.minimum)) return false;
  }
  if constexpr (requires { block.minimum_scale; }) {
    if (!is_finite_f16(block.minimum_scale)) return false;
  }
  return is_finite_f16(block.scale);
}
/// Its scales have no sign, and one code is no number.
inline bool has_good_scales(const blocks::NvFp4& block) {
  for (const std::uint8_t scale : block.scales) {
    if (scale >= 0x7F) return false;
  }
  return true;
}
inline bool has_good_scales(const blocks::NvFp4Packed&) { return true; }

}  // namespace pleiad::verify
