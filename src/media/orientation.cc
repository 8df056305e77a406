#include "media/orientation.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "media/byte_reader.h"

namespace pleiad::media {
namespace {

constexpr std::uint32_t kOrientationTag = 0x0112;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void mirror_row(std::uint8_t* row, int width) {
  for (int left = 0, right = width - 1; left < right; ++left, --right) {
    std::swap_ranges(row + left * 3, row + left * 3 + 3, row + right * 3);
  }
}

/// [height, width, 3] -> [width, height, 3], in squares that stay in the fastest cache.
Pixels transposed(const Pixels& picture) {
  constexpr int kSquare = 32;
  const auto width = static_cast<std::size_t>(picture.size.width);
  const auto height = static_cast<std::size_t>(picture.size.height);
  Pixels out = {{picture.size.height, picture.size.width},
                std::vector<std::uint8_t>(picture.rgb.size())};
  for (std::size_t y_block = 0; y_block < height; y_block += kSquare) {
    for (std::size_t x_block = 0; x_block < width; x_block += kSquare) {
      for (std::size_t x = x_block; x < std::min(width, x_block + kSquare); ++x) {
        for (std::size_t y = y_block; y < std::min(height, y_block + kSquare); ++y) {
          std::memcpy(&out.rgb[(x * height + y) * 3], &picture.rgb[(y * width + x) * 3], 3);
        }
      }
    }
  }
  return out;
}

}  // namespace

Orientation orientation_of_tag(int value) {
  switch (value) {
    case 2:
      return {.mirror_x = true};
    case 3:
      return {.mirror_x = true, .mirror_y = true};
    case 4:
      return {.mirror_y = true};
    case 5:
      return {.transpose = true};
    case 6:
      return {.mirror_y = true, .transpose = true};
    case 7:
      return {.mirror_x = true, .mirror_y = true, .transpose = true};
    case 8:
      return {.mirror_x = true, .transpose = true};
    default:
      return {};
  }
}

PictureSize oriented(PictureSize stored, Orientation orientation) {
  return orientation.transpose ? PictureSize{stored.height, stored.width} : stored;
}

Pixels orient(Pixels stored, Orientation orientation) {
  const auto row_size = static_cast<std::size_t>(stored.size.width) * 3;
  if (orientation.mirror_x) {
    for (int y = 0; y < stored.size.height; ++y) {
      mirror_row(stored.rgb.data() + static_cast<std::size_t>(y) * row_size, stored.size.width);
    }
  }
  if (orientation.mirror_y) {
    for (int top = 0, bottom = stored.size.height - 1; top < bottom; ++top, --bottom) {
      std::uint8_t* const row = stored.rgb.data() + static_cast<std::size_t>(top) * row_size;
      std::swap_ranges(row, row + row_size,
                       stored.rgb.data() + static_cast<std::size_t>(bottom) * row_size);
    }
  }
  return orientation.transpose ? transposed(stored) : stored;
}

int orientation_in_exif(std::span<const std::byte> exif) {
  using namespace std::string_view_literals;
  while (text_of(exif).starts_with("Exif\0\0"sv)) exif = exif.subspan(6);
  const bool little = text_of(exif).starts_with("II"sv);
  if (!little && !text_of(exif).starts_with("MM"sv)) return 0;
  const auto u16 = [&](std::uint64_t at) {
    return little ? read_u16_little(exif, at) : read_u16_big(exif, at);
  };
  const auto u32 = [&](std::uint64_t at) {
    return little ? read_u32_little(exif, at) : read_u32_big(exif, at);
  };
  const std::uint64_t directory = u32(4);
  const std::uint32_t n_entries = u16(directory);
  for (std::uint32_t entry = 0; entry < n_entries; ++entry) {
    const std::uint64_t at = directory + 2 + std::uint64_t{12} * entry;
    if (at + 12 > exif.size()) return 0;
    if (u16(at) != kOrientationTag) continue;
    if (u32(at + 4) != 1) return 0;
    switch (u16(at + 2)) {  // its type
      case 1:
        return static_cast<int>(read_u8(exif, at + 8));
      case 3:
        return static_cast<int>(u16(at + 8));
      case 4:
        return u32(at + 8) <= 8 ? static_cast<int>(u32(at + 8)) : 0;
      default:
        return 0;
    }
  }
  return 0;
}

int orientation_in_xmp(std::span<const std::byte> xmp) {
  constexpr std::string_view kName = "tiff:Orientation";
  const std::string_view text = text_of(xmp);
  for (std::size_t at = text.find(kName); at != std::string_view::npos;
       at = text.find(kName, at + 1)) {
    std::string_view rest = text.substr(at + kName.size());
    if (rest.starts_with("=\"")) {
      rest.remove_prefix(2);
    } else if (rest.starts_with(">")) {
      rest.remove_prefix(1);
    } else {
      continue;
    }
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') return rest[0] - '0';
  }
  return 0;
}

}  // namespace pleiad::media
