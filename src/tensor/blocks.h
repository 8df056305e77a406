#pragma once

#include <cstdint>

// The block layouts as they lie in a file: plain structs without padding and
// without alignment, so that a pointer into a mapped file may be used as is.
// Numbers are little-endian; `f16` fields hold the bits of a half float. The
// arithmetic is stated beside each struct and done by tensor/decode.cc.

namespace pleiad::blocks {

#pragma pack(push, 1)

/// value[i] = scale * quants[i]
struct Q8_0 {
  static constexpr int kSize = 32;
  std::uint16_t scale;  // f16
  std::int8_t quants[32];
};

/// value[i] = scale * (nibble[i] - 8); byte j holds elements j (low) and j + 16.
struct Q4_0 {
  static constexpr int kSize = 32;
  std::uint16_t scale;  // f16
  std::uint8_t quants[16];
};

/// value[i] = scale * nibble[i] + minimum; nibbles as in Q4_0.
struct Q4_1 {
  static constexpr int kSize = 32;
  std::uint16_t scale;    // f16
  std::uint16_t minimum;  // f16
  std::uint8_t quants[16];
};

/// value[i] = scale * (q[i] - 16), q = nibble as in Q4_0 plus 16 * bit i of `high_bits`.
struct Q5_0 {
  static constexpr int kSize = 32;
  std::uint16_t scale;  // f16
  std::uint8_t high_bits[4];
  std::uint8_t quants[16];
};

/// value[i] = scale * q[i] + minimum, q as in Q5_0.
struct Q5_1 {
  static constexpr int kSize = 32;
  std::uint16_t scale;    // f16
  std::uint16_t minimum;  // f16
  std::uint8_t high_bits[4];
  std::uint8_t quants[16];
};

/// Eight groups of 32: value = scale * s[g] * nibble - minimum_scale * m[g].
/// Groups 2k and 2k + 1 are the low and high nibbles of bytes 32k .. 32k + 31.
/// s and m are 6-bit numbers: of the 12 bytes b, for g < 4 s[g] = b[g] & 63 and
/// m[g] = b[g + 4] & 63; for g >= 4 the low four bits of s and m are the low and
/// high nibble of b[g + 4], their upper two bits the top bits of b[g - 4] and b[g].
struct Q4_K {
  static constexpr int kSize = 256;
  std::uint16_t scale;          // f16
  std::uint16_t minimum_scale;  // f16
  std::uint8_t scales[12];
  std::uint8_t quants[128];
};

/// As Q4_K, with q = nibble + 16 * bit g of high_bits[i], i the place in the group.
struct Q5_K {
  static constexpr int kSize = 256;
  std::uint16_t scale;          // f16
  std::uint16_t minimum_scale;  // f16
  std::uint8_t scales[12];
  std::uint8_t high_bits[32];
  std::uint8_t quants[128];
};

/// Two halves of 128; element i of group of 32 g (0..3) of half h has
/// low four bits: nibble g / 2 (0 low, 1 high) of low_bits[64h + 32(g % 2) + i],
/// high two bits: bits 2g of high_bits[32h + i];
/// value = scale * scales[8h + 2g + i / 16] * (q - 32).
struct Q6_K {
  static constexpr int kSize = 256;
  std::uint8_t low_bits[128];
  std::uint8_t high_bits[64];
  std::int8_t scales[16];
  std::uint16_t scale;  // f16
};

/// Four groups of 16, each with its own scale (unsigned E4M3): group s owns bytes
/// 8s .. 8s + 7, byte j holds elements j (low nibble) and j + 8. Nibbles are E2M1.
struct NvFp4 {
  static constexpr int kSize = 64;
  std::uint8_t scales[4];
  std::uint8_t quants[32];
};

/// Sixteen E2M1 values, byte j holds elements 2j (low nibble) and 2j + 1; the scale
/// of the group lies in another tensor.
struct NvFp4Packed {
  static constexpr int kSize = 16;
  std::uint8_t quants[8];
};

#pragma pack(pop)

static_assert(sizeof(Q8_0) == 34);
static_assert(sizeof(Q4_0) == 18);
static_assert(sizeof(Q4_1) == 20);
static_assert(sizeof(Q5_0) == 22);
static_assert(sizeof(Q5_1) == 24);
static_assert(sizeof(Q4_K) == 144);
static_assert(sizeof(Q5_K) == 176);
static_assert(sizeof(Q6_K) == 210);
static_assert(sizeof(NvFp4) == 36);
static_assert(sizeof(NvFp4Packed) == 8);
static_assert(alignof(Q8_0) == 1 && alignof(Q6_K) == 1);

}  // namespace pleiad::blocks
