#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/text_format.h"
#include "media/decoders/colours.h"
#include "media/decoders/decoder.h"
#include "media/decoders/png_chunks.h"
#include "media/decoders/row_writer.h"

namespace pleiad::media {
namespace {

/// libpng's errors jump, as libjpeg's do: calls into it stand in functions that hold nothing to be
/// destroyed.
struct PngDecoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  Bytes left;  // not read yet
  bool ended = false;
  std::array<char, 200> message = {};

  ~PngDecoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void on_png_error(png_structp png, png_const_charp message) {
  auto& decoder = *static_cast<PngDecoder*>(png_get_error_ptr(png));
  std::snprintf(decoder.message.data(), decoder.message.size(), "%s", message);
  png_longjmp(png, 1);
}

void on_png_warning(png_structp, png_const_charp) {}

void read_png_bytes(png_structp png, png_bytep to, std::size_t n) {
  auto& decoder = *static_cast<PngDecoder*>(png_get_io_ptr(png));
  if (n > decoder.left.size()) {
    decoder.ended = true;
    png_error(png, "no more bytes");
  }
  std::memcpy(to, decoder.left.data(), n);
  decoder.left = decoder.left.subspan(n);
}

bool read_png_header(PngDecoder& decoder) {
  decoder.png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, on_png_error, on_png_warning);
  if (decoder.png == nullptr) return false;
  decoder.info = png_create_info_struct(decoder.png);
  if (decoder.info == nullptr) return false;
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  // Sides are checked by check_size, in words of our own.
  png_set_user_limits(decoder.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(decoder.png, 1 << 20);
  // Colour profiles, texts and whatever else a picture does not need, which an attacker can make
  // large.
  png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_read_fn(decoder.png, &decoder, read_png_bytes);
  png_read_info(decoder.png, decoder.info);
  return true;
}

/// What rows are made of, after libpng's own conversions.
struct PngRows {
  bool gray_16 = false;  // [width] of 16 bits, high byte first; with alpha [width, 2]
  bool alpha = false;    // else [width, 4]
  int n_passes = 1;
  std::size_t row_size = 0;
};

bool start_png(PngDecoder& decoder, PngRows& rows) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  const int type = png_get_color_type(decoder.png, decoder.info);
  const int depth = png_get_bit_depth(decoder.png, decoder.info);
  const bool transparent = png_get_valid(decoder.png, decoder.info, PNG_INFO_tRNS) != 0;
  rows.alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 || transparent;
  rows.gray_16 = type == PNG_COLOR_TYPE_GRAY && depth == 16;
  png_set_expand(decoder.png);
  if (!rows.gray_16) {
    png_set_strip_16(decoder.png);  // the high byte, as Pillow has it
    png_set_gray_to_rgb(decoder.png);
    png_set_add_alpha(decoder.png, 0xFF, PNG_FILLER_AFTER);
  }
  rows.n_passes = png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
  rows.row_size = png_get_rowbytes(decoder.png, decoder.info);
  return true;
}

bool read_png_row(PngDecoder& decoder, std::uint8_t* row) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_read_row(decoder.png, row, nullptr);
  return true;
}

[[noreturn]] void fail_png(const PngDecoder& decoder, Bytes bytes) {
  if (decoder.ended) throw BadPicture("ends early, after {} bytes", format_count(bytes.size()));
  if (decoder.png == nullptr || decoder.info == nullptr) throw std::bad_alloc();
  throw BadPicture("cannot be decoded: {}", printable(decoder.message.data(), 200));
}

/// [width] or [width, 2] of 16 bits -> [width, 4] of 8.
void row_of_16_bits(const std::uint8_t* from, int width, bool alpha, std::uint8_t* to) {
  const int step = alpha ? 4 : 2;
  for (int x = 0; x < width; ++x, from += step, to += 4) {
    const bool hidden = alpha && from[2] == 0 && from[3] == 0;  // by tRNS: all or nothing
    const std::uint8_t gray =
        hidden ? 255 : from_16_bits(static_cast<std::uint32_t>(from[0]) << 8 | from[1]);
    to[0] = to[1] = to[2] = gray;
  }
}

}  // namespace

void decode_png(Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  PngDecoder decoder;
  decoder.left = bytes;
  if (!read_png_header(decoder)) fail_png(decoder, bytes);
  const png_uint_32 width = png_get_image_width(decoder.png, decoder.info);
  const png_uint_32 height = png_get_image_height(decoder.png, decoder.info);
  check_size(width, height, limits);
  PngRows rows;
  if (!start_png(decoder, rows)) fail_png(decoder, bytes);

  const PictureSize size = {static_cast<int>(width), static_cast<int>(height)};
  RowWriter writer(sink, size, png_orientation(bytes));
  // Interlaced pictures come in seven passes over all rows, each of which adds some pixels.
  const bool whole = rows.n_passes > 1;
  std::vector<std::uint8_t> kept(rows.gray_16 || whole ? rows.row_size * (whole ? height : 1) : 0);
  for (int pass = 1; pass < rows.n_passes; ++pass) {
    for (std::size_t y = 0; y < height; ++y) {
      if (!read_png_row(decoder, kept.data() + y * rows.row_size)) fail_png(decoder, bytes);
    }
  }
  for (std::size_t y = 0; y < height; ++y) {
    std::uint8_t* const out = writer.next_row();
    std::uint8_t* const row = kept.empty() ? out : kept.data() + (whole ? y * rows.row_size : 0);
    if (!read_png_row(decoder, row)) fail_png(decoder, bytes);
    if (rows.gray_16) {
      row_of_16_bits(row, size.width, rows.alpha, out);
      continue;
    }
    if (row != out) std::memcpy(out, row, rows.row_size);
    if (rows.alpha) row_over_white(out, size.width);
  }
  writer.finish();
}

}  // namespace pleiad::media
