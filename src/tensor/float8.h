#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace pleiad {

namespace internal {
/// Four exponent bits (bias 7), three mantissa bits, no sign, all values finite.
constexpr float f32_from_e4m3_magnitude(std::uint32_t bits) {
  const std::uint32_t exponent = (bits >> 3) & 0xFU;
  const std::uint32_t mantissa = bits & 0x7U;
  if (exponent == 0) return static_cast<float>(mantissa) * 0x1p-9F;
  return std::bit_cast<float>(((exponent + 120U) << 23) | (mantissa << 20));
}
}  // namespace internal

/// FP8 E4M3 without infinities ("fn"): largest value 448, NaN is 0x7F and 0xFF.
constexpr float f32_from_e4m3(std::uint8_t bits) {
  if ((bits & 0x7FU) == 0x7FU) return std::numeric_limits<float>::quiet_NaN();
  const float magnitude = internal::f32_from_e4m3_magnitude(bits & 0x7FU);
  return (bits & 0x80U) != 0 ? -magnitude : magnitude;
}

/// The unsigned E4M3 scales of GGUF's NVFP4 blocks: the top bit is ignored, and
/// 0x7F, which would be NaN, means 0.
constexpr float f32_from_ue4m3(std::uint8_t bits) {
  if (bits == 0x7F) return 0.0F;
  return internal::f32_from_e4m3_magnitude(bits & 0x7FU);
}

/// FP4 E2M1: the values of the sixteen nibbles.
inline constexpr float kE2M1Values[16] = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                          -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};

}  // namespace pleiad
