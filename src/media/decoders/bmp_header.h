#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "media/decoders/decoder.h"

namespace pleiad::media {

/// Where a channel lies in a pixel of 16 or 32 bits.
struct BmpChannel {
  std::uint32_t mask = 0;

  /// Its value in a pixel, scaled to 8 bits; 0 without a mask.
  std::uint8_t of(std::uint32_t pixel) const;
};

enum class BmpCoding : std::uint8_t { plain, rle8, rle4 };

/// What stands before the pixels of a BMP. The sizes have been checked against the limits.
struct BmpHeader {
  PictureSize size;
  bool top_down = false;  // the first row comes first
  int bits = 0;           // of a pixel: 1, 4, 8, 16, 24 or 32
  BmpCoding coding = BmpCoding::plain;
  std::array<BmpChannel, 4> channels = {};  // red, green, blue, alpha: 16 and 32 bits
  bool alpha = false;
  std::vector<std::array<std::uint8_t, 4>> palette;  // 2^bits colours: up to 8 bits
  std::uint64_t pixels = 0;                          // where they begin
};

/// Windows' headers of 40 to 124 bytes, OS/2's of 12 and 64. Throws BadPicture.
BmpHeader read_bmp_header(Bytes bytes, const DecodeLimits& limits);

}  // namespace pleiad::media
