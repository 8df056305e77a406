#include "model/picture_input.h"

#include <cstddef>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/sha256.h"

namespace pleiad {

PictureInput make_picture_input(int width, int height, std::vector<std::uint8_t> rgb) {
  CHECK(width > 0 && height > 0, "a picture of {}x{}", width, height);
  const auto n_bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
  CHECK(rgb.size() == n_bytes, "{} bytes for {}x{} pixels", rgb.size(), width, height);
  Sha256Digest sum;
  std::array<std::byte, 8> size = {};  // little-endian
  for (std::size_t i = 0; i < 4; ++i) {
    size[i] = static_cast<std::byte>(static_cast<std::uint32_t>(width) >> 8 * i);
    size[4 + i] = static_cast<std::byte>(static_cast<std::uint32_t>(height) >> 8 * i);
  }
  sum.add(size);
  sum.add(std::as_bytes(std::span(rgb)));
  return {sum.finish(), width, height, std::move(rgb)};
}

}  // namespace pleiad
