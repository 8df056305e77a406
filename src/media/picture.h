#pragma once

#include <cstdint>
#include <vector>

namespace pleiad::media {

/// In pixels, as a person sees the picture: after its orientation was applied.
struct PictureSize {
  int width = 0;
  int height = 0;

  bool operator==(const PictureSize&) const = default;
};

/// Pixels of a picture: red, green, blue.
struct Pixels {
  PictureSize size;
  std::vector<std::uint8_t> rgb;  // [height, width, 3]
};

}  // namespace pleiad::media
