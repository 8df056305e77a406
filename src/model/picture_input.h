#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace pleiad {

/// A picture as a tower sees it: decoded, turned upright and resized.
struct PictureInput {
  /// SHA-256 of size and pixels: what the picture is known by in caches.
  std::array<std::uint8_t, 32> digest = {};
  int width = 0;  // pixels; multiples of patch size * pooling (48 in all released models)
  int height = 0;
  std::vector<std::uint8_t> rgb;  // [height, width, 3]
};

/// Computes the digest. `rgb` is [height, width, 3].
PictureInput make_picture_input(int width, int height, std::vector<std::uint8_t> rgb);

}  // namespace pleiad
