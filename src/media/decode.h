#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "media/picture.h"

namespace pleiad::media {

/// What a picture may cost. All are checked from the headers of a file, before memory is taken for
/// its pixels.
struct DecodeLimits {
  std::uint64_t max_pixels = 100'000'000;
  int max_side = 65'535;
  /// Passes over a progressive JPEG, each of which costs as much as a picture of its size. Files of
  /// cameras, programs and optimizers have 2 to 20.
  int max_scans = 100;
};

/// The picture upright, with 8 bits a channel: orientation applied, transparency over white, 16-bit
/// gray scaled by 255/65535, palettes and CMYK converted, colour profiles ignored; of an animation
/// the first frame, of a file of several pages the first. The same pixels as Pillow's.
///
/// A Failure is a sentence without its subject, "is a JPEG picture that ends early, after 812
/// bytes": what the format is, what is wrong or which limit is passed. Pictures that end early or
/// are damaged are refused: what would stand in for the missing part is no picture.
///
/// It decodes in this process. Bytes of strangers go to MediaReader (media/reader.h), which calls
/// this in a confined one.
Result<Pixels> decode_picture(std::span<const std::byte> bytes, const DecodeLimits& limits);

/// Loads what decoders fetch from the system when they are used first (libheif's plugins), for a
/// process that is about to give up the right to open files.
void load_decoders();

}  // namespace pleiad::media
