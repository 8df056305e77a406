#include "media/decoders/bmp_header.h"

#include <algorithm>
#include <bit>

#include "media/byte_reader.h"

namespace pleiad::media {
namespace {

constexpr std::uint64_t kFileHeader = 14;
constexpr std::uint32_t kCoreHeader = 12;
constexpr std::uint32_t kOs2Header = 64;

enum Compression : std::uint32_t { kPlain = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3 };

/// The masks of `bits` pixels; `at`: where they stand in the file, where they do.
void read_masks(Bytes bytes, std::uint32_t header_size, std::uint32_t compression,
                BmpHeader& header) {
  const auto set = [&](std::uint32_t red, std::uint32_t green, std::uint32_t blue,
                       std::uint32_t alpha) {
    header.channels = {BmpChannel{red}, BmpChannel{green}, BmpChannel{blue}, BmpChannel{alpha}};
  };
  if (compression == kBitFields && header.bits != 16 && header.bits != 32) {
    throw BadPicture("has masks for pixels of {} bits; expected 16 or 32", header.bits);
  }
  if (header.bits == 16) set(0x7C00, 0x03E0, 0x001F, 0);
  if (header.bits == 32) set(0xFF0000, 0xFF00, 0xFF, 0);
  if (compression != kBitFields) return;
  // Inside the headers that have room for them, else behind.
  constexpr std::uint64_t kMasks = kFileHeader + 40;
  set(read_u32_little(bytes, kMasks), read_u32_little(bytes, kMasks + 4),
      read_u32_little(bytes, kMasks + 8),
      header_size >= 56 ? read_u32_little(bytes, kMasks + 12) : 0);
  std::uint32_t together = 0;
  for (std::size_t channel = 0; channel < header.channels.size(); ++channel) {
    const std::uint32_t mask = header.channels[channel].mask;
    const std::uint32_t low = mask == 0 ? 0 : mask >> std::countr_zero(mask);
    const bool whole = (low & (low + 1)) == 0;  // ones without a gap
    if (!whole || (mask & together) != 0 || (mask == 0 && channel < 3)) {
      throw BadPicture("has masks of its channels that are empty, overlap or have gaps");
    }
    together |= mask;
  }
  header.alpha = header.channels[3].mask != 0;
}

/// Colours at `at`, of which the file says to have `n`.
void read_palette(Bytes bytes, std::uint64_t at, std::uint64_t n, std::uint64_t colour_size,
                  BmpHeader& header) {
  header.palette.resize(std::size_t{1} << header.bits);
  n = std::min<std::uint64_t>(n, header.palette.size());
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto channel = [&](std::uint64_t from) {
      return static_cast<std::uint8_t>(read_u8(bytes, at + i * colour_size + from));
    };
    header.palette[i] = {channel(2), channel(1), channel(0), 0};
  }
}

BmpCoding coding_of(std::uint32_t compression, std::uint32_t header_size, int bits, bool top_down) {
  // OS/2 numbers other codings with 3 and 4.
  if (compression == kPlain || (compression == kBitFields && header_size != kOs2Header))
    return BmpCoding::plain;
  if (!top_down && compression == kRle8 && bits == 8) return BmpCoding::rle8;
  if (!top_down && compression == kRle4 && bits == 4) return BmpCoding::rle4;
  throw BadPicture("has compression {} of {} bits a pixel, which is not read", compression, bits);
}

}  // namespace

std::uint8_t BmpChannel::of(std::uint32_t pixel) const {
  if (mask == 0) return 0;
  const int shift = std::countr_zero(mask);
  const std::uint64_t most = mask >> shift;
  return static_cast<std::uint8_t>(((pixel & mask) >> shift) * std::uint64_t{255} / most);
}

BmpHeader read_bmp_header(Bytes bytes, const DecodeLimits& limits) {
  const std::uint32_t header_size = read_u32_little(bytes, kFileHeader);
  constexpr std::array<std::uint32_t, 7> kKnown = {kCoreHeader, 40, 52, 56, kOs2Header, 108, 124};
  if (std::find(kKnown.begin(), kKnown.end(), header_size) == kKnown.end()) {
    throw BadPicture("has a header of {} bytes; expected 12, 40, 52, 56, 64, 108 or 124",
                     header_size);
  }
  if (bytes.size() < kFileHeader + header_size) throw BadPicture("ends in its header");

  BmpHeader header;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::uint32_t compression = kPlain;
  std::uint64_t n_colours = 0;
  if (header_size == kCoreHeader) {
    width = read_u16_little(bytes, 18);
    height = read_u16_little(bytes, 20);
    header.bits = static_cast<int>(read_u16_little(bytes, 24));
  } else {
    width = static_cast<std::int32_t>(read_u32_little(bytes, 18));
    height = static_cast<std::int32_t>(read_u32_little(bytes, 22));
    header.bits = static_cast<int>(read_u16_little(bytes, 28));
    compression = read_u32_little(bytes, 30);
    n_colours = read_u32_little(bytes, 46);
  }
  header.top_down = height < 0;
  height = header.top_down ? -height : height;
  if (width < 0) throw BadPicture("has a width of {} pixels", width);
  check_size(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height), limits);
  header.size = {static_cast<int>(width), static_cast<int>(height)};
  constexpr std::array kBits = {1, 4, 8, 16, 24, 32};
  if (std::find(kBits.begin(), kBits.end(), header.bits) == kBits.end()) {
    throw BadPicture("has {} bits a pixel; expected 1, 4, 8, 16, 24 or 32", header.bits);
  }
  header.coding = coding_of(compression, header_size, header.bits, header.top_down);

  const bool separate_masks = compression == kBitFields && header_size == 40;
  std::uint64_t behind = kFileHeader + header_size + (separate_masks ? 12 : 0);
  header.pixels = read_u32_little(bytes, 10);
  if (header.bits <= 8) {
    const std::uint64_t colour_size = header_size == kCoreHeader ? 3 : 4;
    if (n_colours == 0) n_colours = std::uint64_t{1} << header.bits;
    read_palette(bytes, behind, n_colours, colour_size, header);
    // Some writers say that pixels begin where the palette does.
    if (header.pixels == behind) header.pixels = 0;
    behind += n_colours * colour_size;
  } else {
    read_masks(bytes, header_size, compression, header);
  }
  if (header.pixels == 0) header.pixels = behind;
  return header;
}

}  // namespace pleiad::media
