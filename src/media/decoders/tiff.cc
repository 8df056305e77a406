#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_format.h"
#include "media/decoders/decoder.h"
#include "media/decoders/row_writer.h"
#include "media/decoders/tiff_layout.h"

namespace pleiad::media {
namespace {

/// Bytes that libtiff takes for a file, and the first thing that it had to complain of.
struct TiffFile {
  Bytes bytes;
  std::uint64_t at = 0;
  std::string complaint;
  bool ended = false;  // a tag points behind the end
};

TiffFile& file_of(thandle_t handle) { return *static_cast<TiffFile*>(handle); }

tmsize_t read_tiff(thandle_t handle, void* to, tmsize_t n) {
  TiffFile& file = file_of(handle);
  if (n <= 0 || file.at >= file.bytes.size()) return 0;
  const std::uint64_t read =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(n), file.bytes.size() - file.at);
  std::memcpy(to, file.bytes.data() + file.at, read);
  file.at += read;
  return static_cast<tmsize_t>(read);
}

tmsize_t write_tiff(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek_tiff(thandle_t handle, toff_t offset, int whence) {
  TiffFile& file = file_of(handle);
  const std::uint64_t base = whence == SEEK_CUR   ? file.at
                             : whence == SEEK_END ? file.bytes.size()
                                                  : 0;
  file.at = base + offset;
  return file.at;
}

int close_tiff(thandle_t) { return 0; }

toff_t tiff_file_size(thandle_t handle) { return file_of(handle).bytes.size(); }

int map_tiff(thandle_t handle, void** base, toff_t* size) {
  // libtiff does not write through it.
  *base = const_cast<std::byte*>(file_of(handle).bytes.data());
  *size = file_of(handle).bytes.size();
  return 1;
}

void unmap_tiff(thandle_t, void*, toff_t) {}

int on_tiff_error(TIFF*, void* data, const char*, const char* format, va_list arguments) {
  auto& file = *static_cast<TiffFile*>(data);
  std::array<char, 300> text = {};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  if (file.complaint.empty()) file.complaint = text.data();
  return 1;
}

/// Most are about tags that nobody needs; a tag that lies behind the end may be the table of
/// colours.
int on_tiff_warning(TIFF*, void* data, const char*, const char* format, va_list) {
  auto& file = *static_cast<TiffFile*>(data);
  file.ended = file.ended || std::string_view(format).starts_with("IO error");
  return 1;
}

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
struct FreeTiffOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};
using TiffPointer = std::unique_ptr<TIFF, CloseTiff>;

[[noreturn]] void fail_tiff(const TiffFile& file) {
  throw BadPicture("cannot be decoded: {}", file.complaint.empty()
                                                ? "its data are damaged"
                                                : printable(file.complaint, 200));
}

TiffPointer open_tiff(TiffFile& file, const DecodeLimits& limits) {
  const std::unique_ptr<TIFFOpenOptions, FreeTiffOptions> options(TIFFOpenOptionsAlloc());
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_tiff_error, &file);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_tiff_warning, &file);
  // A strip that holds a whole picture of 4 samples.
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                      static_cast<tmsize_t>(limits.max_pixels * 4 + (1 << 20)));
  TiffPointer tiff(TIFFClientOpenExt("picture", "r", &file, read_tiff, write_tiff, seek_tiff,
                                     close_tiff, tiff_file_size, map_tiff, unmap_tiff,
                                     options.get()));
  if (file.ended) throw BadPicture("ends early, after {} bytes", format_count(file.bytes.size()));
  if (!tiff) fail_tiff(file);
  return tiff;
}

std::size_t size_or_fail(tmsize_t size, const TiffFile& file) {
  if (size <= 0) fail_tiff(file);
  return static_cast<std::size_t>(size);
}

/// Bytes of a row of `width` pixels in one plane.
std::size_t plane_row_size(const TiffLayout& layout, std::size_t width) {
  return (width * static_cast<std::size_t>(layout.n_interleaved()) *
              static_cast<std::size_t>(layout.bits) +
          7) /
         8;
}

/// Rows one by one; of separate planes all of one after the other, since going to and fro would
/// decode again.
void write_strips(TIFF* tiff, const TiffFile& file, const TiffLayout& layout, RowWriter& writer) {
  const std::size_t row_size = size_or_fail(TIFFScanlineSize(tiff), file);
  if (row_size < plane_row_size(layout, static_cast<std::size_t>(layout.size.width)))
    fail_tiff(file);
  const auto height = static_cast<std::size_t>(layout.size.height);
  const auto n_planes = static_cast<std::size_t>(layout.n_planes());
  std::vector<std::uint8_t> rows(layout.planes ? row_size * height * n_planes : row_size);
  const auto read = [&](std::size_t y, std::size_t plane, std::uint8_t* to) {
    if (TIFFReadScanline(tiff, to, static_cast<std::uint32_t>(y),
                         static_cast<std::uint16_t>(plane)) != 1)
      fail_tiff(file);
  };
  if (layout.planes) {
    for (std::size_t plane = 0; plane < n_planes; ++plane) {
      for (std::size_t y = 0; y < height; ++y)
        read(y, plane, rows.data() + (plane * height + y) * row_size);
    }
  }
  std::vector<const std::uint8_t*> planes(n_planes);
  for (std::size_t y = 0; y < height; ++y) {
    if (!layout.planes) read(y, 0, rows.data());
    for (std::size_t plane = 0; plane < n_planes; ++plane) {
      planes[plane] = rows.data() + (layout.planes ? (plane * height + y) * row_size : 0);
    }
    convert_tiff_row(layout, planes, writer.next_row());
  }
}

/// All tiles that stand side by side at a time.
void write_tiles(TIFF* tiff, const TiffFile& file, const TiffLayout& layout,
                 const DecodeLimits& limits, RowWriter& writer) {
  std::uint32_t tile_width = 0;
  std::uint32_t tile_height = 0;
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_width);
  TIFFGetField(tiff, TIFFTAG_TILELENGTH, &tile_height);
  check_size(tile_width, tile_height, limits);
  const std::size_t tile_row = size_or_fail(TIFFTileRowSize(tiff), file);
  std::vector<std::uint8_t> tile(size_or_fail(TIFFTileSize(tiff), file));
  if (tile_row < plane_row_size(layout, tile_width) || tile.size() / tile_height < tile_row)
    fail_tiff(file);
  if (plane_row_size(layout, tile_width) * 8 %
          (static_cast<std::size_t>(layout.bits) * tile_width) !=
      0) {
    throw BadPicture("has tiles of {} pixels of {} bits, which fill no whole bytes", tile_width,
                     layout.bits);
  }
  const auto width = static_cast<std::uint32_t>(layout.size.width);
  const auto height = static_cast<std::uint32_t>(layout.size.height);
  const std::size_t n_across = (width + tile_width - 1) / tile_width;
  const std::size_t band_row = plane_row_size(layout, tile_width) * n_across;
  const auto n_planes = static_cast<std::size_t>(layout.n_planes());
  std::vector<std::uint8_t> band(band_row * std::min(tile_height, height) *
                                 n_planes);  // [planes, rows, band_row]
  std::vector<const std::uint8_t*> planes(n_planes);
  for (std::uint32_t top = 0; top < height; top += tile_height) {
    const std::uint32_t n_rows = std::min(tile_height, height - top);
    for (std::size_t plane = 0; plane < n_planes; ++plane) {
      for (std::size_t across = 0; across < n_across; ++across) {
        const auto left = static_cast<std::uint32_t>(across) * tile_width;
        if (TIFFReadTile(tiff, tile.data(), left, top, 0, static_cast<std::uint16_t>(plane)) < 0)
          fail_tiff(file);
        for (std::size_t row = 0; row < n_rows; ++row) {
          std::memcpy(band.data() + (plane * n_rows + row) * band_row +
                          across * plane_row_size(layout, tile_width),
                      tile.data() + row * tile_row, plane_row_size(layout, tile_width));
        }
      }
    }
    for (std::size_t row = 0; row < n_rows; ++row) {
      for (std::size_t plane = 0; plane < n_planes; ++plane)
        planes[plane] = band.data() + (plane * n_rows + row) * band_row;
      convert_tiff_row(layout, planes, writer.next_row());
    }
  }
}

/// Rare colours (YCbCr that is no JPEG, CIE L*a*b*, LogLuv), by libtiff's own conversion of a whole
/// picture.
void write_by_libtiff(TIFF* tiff, const TiffFile& file, const TiffLayout& layout,
                      RowWriter& writer) {
  std::array<char, 1024> message = {};
  if (TIFFRGBAImageOK(tiff, message.data()) == 0)
    throw BadPicture("cannot be decoded: {}", printable(message.data(), 200));
  const auto width = static_cast<std::size_t>(layout.size.width);
  const auto height = static_cast<std::size_t>(layout.size.height);
  std::vector<std::uint32_t> pixels(width * height);  // red in the lowest byte
  // Rows as they are stored, whatever the orientation is: that is applied later.
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  if (TIFFReadRGBAImageOriented(tiff, static_cast<std::uint32_t>(width),
                                static_cast<std::uint32_t>(height), pixels.data(),
                                ORIENTATION_TOPLEFT, 1) == 0) {
    fail_tiff(file);
  }
  for (std::size_t y = 0; y < height; ++y) {
    std::uint8_t* const row = writer.next_row();
    for (std::size_t x = 0; x < width; ++x) {
      const std::uint32_t pixel = pixels[y * width + x];
      row[x * 4] = static_cast<std::uint8_t>(TIFFGetR(pixel));
      row[x * 4 + 1] = static_cast<std::uint8_t>(TIFFGetG(pixel));
      row[x * 4 + 2] = static_cast<std::uint8_t>(TIFFGetB(pixel));
    }
  }
}

}  // namespace

void decode_tiff(Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  TiffFile file;
  file.bytes = bytes;
  const TiffPointer tiff = open_tiff(file, limits);
  const TiffLayout layout = read_tiff_layout(tiff.get(), limits);
  RowWriter writer(sink, layout.size, layout.orientation);
  if (layout.by_libtiff) {
    write_by_libtiff(tiff.get(), file, layout, writer);
  } else if (layout.tiled) {
    write_tiles(tiff.get(), file, layout, limits, writer);
  } else {
    write_strips(tiff.get(), file, layout, writer);
  }
  writer.finish();
}

}  // namespace pleiad::media
