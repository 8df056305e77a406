#pragma once

#include <bit>
#include <cstdint>

namespace pleiad {

// Conversions between the bits of 16-bit floats and float, exact one way and
// rounding to nearest, ties to even, the other way.

constexpr float f32_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

constexpr std::uint16_t bf16_from_f32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // A NaN stays one: rounding could carry it into infinity.
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  const std::uint32_t ties_to_even = 0x7FFFU + ((bits >> 16) & 1U);
  return static_cast<std::uint16_t>((bits + ties_to_even) >> 16);
}

constexpr float f32_from_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0x1F) {  // infinity or NaN
    return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
  }
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }
  // Zero or subnormal: mantissa * 2^-24, exact in float.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

constexpr std::uint16_t f16_from_f32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) {  // NaN, kept quiet
    return static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13) & 0x3FFU));
  }
  if (magnitude >= 0x477FF000U) return sign | 0x7C00U;  // rounds beyond 65504
  if (magnitude >= 0x38800000U) {                       // normal: 2^-14 and more
    const std::uint32_t rebased = magnitude - (112U << 23);
    const std::uint32_t ties_to_even = 0xFFFU + ((rebased >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | ((rebased + ties_to_even) >> 13));
  }
  if (magnitude <= 0x33000000U) return sign;  // at most 2^-25: the tie goes to zero
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
  const std::uint32_t shift = 126U - exponent;  // 14 .. 24
  const std::uint32_t kept = mantissa >> shift;
  const std::uint32_t rest = mantissa & ((1U << shift) - 1U);
  const std::uint32_t half = 1U << (shift - 1U);
  const bool up = rest > half || (rest == half && (kept & 1U) != 0);
  return static_cast<std::uint16_t>(sign | (kept + (up ? 1U : 0U)));
}

}  // namespace pleiad
