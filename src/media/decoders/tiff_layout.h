#pragma once

#include <tiffio.h>

#include <array>
#include <cstdint>
#include <vector>

#include "media/decoders/decoder.h"

namespace pleiad::media {

enum class TiffColours : std::uint8_t { gray, inverted_gray, rgb, palette, cmyk };
enum class TiffAlpha : std::uint8_t { none, separate, premultiplied };

/// How the first picture of a TIFF lies in its file.
struct TiffLayout {
  PictureSize size;
  Orientation orientation;
  TiffColours colours = TiffColours::gray;
  TiffAlpha alpha = TiffAlpha::none;
  int bits = 0;         // of a sample: 1, 2, 4, 8 or 16
  int n_samples = 0;    // of a pixel
  bool planes = false;  // the samples of a kind lie together
  bool tiled = false;
  /// Left to libtiff's own conversion, for colours that are rare.
  bool by_libtiff = false;
  std::vector<std::array<std::uint8_t, 4>> palette;  // [2^bits]

  /// Samples that lie side by side.
  int n_interleaved() const { return planes ? 1 : n_samples; }
  int n_planes() const { return planes ? n_samples : 1; }
};

/// Reads it and checks the limits. Throws BadPicture for what is not read.
TiffLayout read_tiff_layout(TIFF* tiff, const DecodeLimits& limits);

/// A row: of each plane [width, n_interleaved] samples as libtiff has them -> [width, 4], over
/// white.
void convert_tiff_row(const TiffLayout& layout, const std::vector<const std::uint8_t*>& planes,
                      std::uint8_t* out);

}  // namespace pleiad::media
