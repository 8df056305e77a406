#include <algorithm>
#include <cstring>
#include <vector>

#include "base/round_up.h"
#include "base/text_format.h"
#include "media/byte_reader.h"
#include "media/decoders/bmp_header.h"
#include "media/decoders/colours.h"
#include "media/decoders/decoder.h"
#include "media/decoders/row_writer.h"

namespace pleiad::media {
namespace {

[[noreturn]] void fail_short(Bytes bytes) {
  throw BadPicture("ends early, after {} bytes", format_count(bytes.size()));
}

/// Runs of 8-bit or 4-bit indexes -> one index a byte, [height, width], the last row first. What
/// the runs leave out has index 0. Each step consumes bytes of the file or ends.
std::vector<std::uint8_t> decode_runs(Bytes bytes, const BmpHeader& header) {
  const auto width = static_cast<std::uint64_t>(header.size.width);
  const auto height = static_cast<std::uint64_t>(header.size.height);
  const bool nibbles = header.coding == BmpCoding::rle4;
  std::vector<std::uint8_t> indexes(width * height);
  std::uint64_t at = header.pixels;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  const auto put = [&](std::uint32_t index) {
    if (x < width) indexes[y * width + x] = static_cast<std::uint8_t>(index);
    ++x;
  };
  while (y < height) {
    if (at >= bytes.size() || bytes.size() - at < 2) {
      if (y == height - 1 && x >= width) break;  // all there but for its end
      fail_short(bytes);
    }
    const std::uint32_t n = read_u8(bytes, at);
    const std::uint32_t value = read_u8(bytes, at + 1);
    at += 2;
    if (n > 0) {
      for (std::uint32_t i = 0; i < n; ++i)
        put(!nibbles ? value : i % 2 == 0 ? value >> 4 : value & 15U);
    } else if (value == 0) {  // end of the row
      x = 0;
      ++y;
    } else if (value == 1) {  // end of the picture
      break;
    } else if (value == 2) {  // on by some pixels and rows
      x += read_u8(bytes, at);
      y += read_u8(bytes, at + 1);
      at += 2;
    } else {  // so many indexes as they are, filled up to 16 bits
      const std::uint64_t size = nibbles ? divided_up(value, 2) : value;
      if (bytes.size() - at < size) fail_short(bytes);
      for (std::uint32_t i = 0; i < value; ++i) {
        const std::uint32_t byte = read_u8(bytes, at + (nibbles ? i / 2 : i));
        put(!nibbles ? byte : i % 2 == 0 ? byte >> 4 : byte & 15U);
      }
      at += size + size % 2;
    }
  }
  return indexes;
}

void row_of_indexes(const std::byte* from, const BmpHeader& header, std::uint8_t* to) {
  const int per_byte = 8 / header.bits;
  for (int x = 0; x < header.size.width; ++x, to += 4) {
    const int shift = header.bits * (per_byte - 1 - x % per_byte);
    const auto index =
        std::to_integer<std::uint32_t>(from[x / per_byte]) >> shift & ((1U << header.bits) - 1);
    std::memcpy(to, header.palette[index].data(), 4);
  }
}

void row_of_masked_pixels(Bytes from, const BmpHeader& header, std::uint8_t* to) {
  for (int x = 0; x < header.size.width; ++x, to += 4) {
    const auto at = static_cast<std::uint64_t>(x);
    const std::uint32_t pixel =
        header.bits == 16 ? read_u16_little(from, at * 2) : read_u32_little(from, at * 4);
    for (std::size_t channel = 0; channel < 4; ++channel)
      to[channel] = header.channels[channel].of(pixel);
  }
}

void row_of_24_bits(const std::byte* from, int width, std::uint8_t* to) {
  for (int x = 0; x < width; ++x, from += 3, to += 4) {
    for (int channel = 0; channel < 3; ++channel)
      to[channel] = std::to_integer<std::uint8_t>(from[2 - channel]);
  }
}

void write_plain(Bytes bytes, const BmpHeader& header, RowWriter& writer) {
  const auto height = static_cast<std::uint64_t>(header.size.height);
  const std::uint64_t row_bits =
      static_cast<std::uint64_t>(header.size.width) * static_cast<std::uint64_t>(header.bits);
  const std::uint64_t row_size = (row_bits + 31) / 32 * 4;
  const std::uint64_t used = (row_bits + 7) / 8;  // the last row may come without what fills it up
  if (header.pixels > bytes.size() || bytes.size() - header.pixels < row_size * (height - 1) + used)
    fail_short(bytes);
  for (std::uint64_t y = 0; y < height; ++y) {
    const std::uint64_t stored = header.top_down ? y : height - 1 - y;
    const Bytes from = bytes.subspan(header.pixels + stored * row_size, used);
    std::uint8_t* const row = writer.next_row();
    if (header.bits <= 8) {
      row_of_indexes(from.data(), header, row);
    } else if (header.bits == 24) {
      row_of_24_bits(from.data(), header.size.width, row);
    } else {
      row_of_masked_pixels(from, header, row);
      if (header.alpha) row_over_white(row, header.size.width);
    }
  }
}

void write_runs(Bytes bytes, const BmpHeader& header, RowWriter& writer) {
  const std::vector<std::uint8_t> indexes = decode_runs(bytes, header);
  const auto width = static_cast<std::size_t>(header.size.width);
  for (std::size_t y = static_cast<std::size_t>(header.size.height); y-- > 0;) {
    std::uint8_t* const row = writer.next_row();
    for (std::size_t x = 0; x < width; ++x) {
      // A run of 4-bit indexes has no others, one of 8-bit indexes a palette of 256.
      std::memcpy(row + x * 4, header.palette[indexes[y * width + x]].data(), 4);
    }
  }
}

}  // namespace

void decode_bmp(Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  const BmpHeader header = read_bmp_header(bytes, limits);
  RowWriter writer(sink, header.size, {});
  if (header.coding == BmpCoding::plain) {
    write_plain(bytes, header, writer);
  } else {
    write_runs(bytes, header, writer);
  }
  writer.finish();
}

}  // namespace pleiad::media
