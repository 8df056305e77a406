#pragma once

#include <cstdint>

namespace pleiad::media {

// Arithmetic of pixels as Pillow does it, so that the results are the same.

/// a / 255, rounded, for 0 <= a <= 255 * 255.
inline std::uint32_t divide_by_255(std::uint32_t a) {
  const std::uint32_t biased = a + 128;
  return (biased + (biased >> 8)) >> 8;
}

/// A channel with that alpha over white.
inline std::uint8_t over_white(std::uint32_t value, std::uint32_t alpha) {
  // Pillow's alpha_composite has 7 more bits than the result, which does not matter over what is
  // opaque.
  return static_cast<std::uint8_t>(divide_by_255(value * alpha + 255 * (255 - alpha)));
}

/// [n, 4]: red, green, blue, alpha, in place; alpha keeps its bytes, which say nothing from here
/// on.
inline void row_over_white(std::uint8_t* rgba, int n) {
  for (int x = 0; x < n; ++x, rgba += 4) {
    const std::uint32_t alpha = rgba[3];
    if (alpha == 255) continue;
    for (int channel = 0; channel < 3; ++channel) rgba[channel] = over_white(rgba[channel], alpha);
  }
}

/// [n, 4]: colours that were multiplied with their alpha, as they were before.
inline void row_without_premultiplication(std::uint8_t* rgba, int n) {
  for (int x = 0; x < n; ++x, rgba += 4) {
    const std::uint32_t alpha = rgba[3];
    if (alpha == 0 || alpha == 255) continue;
    for (int channel = 0; channel < 3; ++channel) {
      const std::uint32_t value = rgba[channel] * 255U / alpha;
      rgba[channel] = static_cast<std::uint8_t>(value > 255 ? 255 : value);
    }
  }
}

/// One channel of CMYK, 255 being all of an ink: what is left of the light.
inline std::uint8_t without_ink(std::uint32_t ink, std::uint32_t black) {
  const std::uint32_t light = 255 - black;
  return static_cast<std::uint8_t>(light - divide_by_255(ink * light));
}

/// 16-bit gray to 8 bits, rounded.
inline std::uint8_t from_16_bits(std::uint32_t value) {
  return static_cast<std::uint8_t>((value + 128) / 257);
}

}  // namespace pleiad::media
