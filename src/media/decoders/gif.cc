#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "base/text_format.h"
#include "media/decoders/decoder.h"
#include "media/decoders/row_writer.h"

namespace pleiad::media {
namespace {

/// A file that giflib reads; only what stands before the second frame is looked at.
struct GifFile {
  GifFileType* file = nullptr;
  Bytes left;
  bool ended = false;

  ~GifFile() {
    if (file != nullptr) DGifCloseFile(file, nullptr);
  }
};

int read_gif_bytes(GifFileType* file, GifByteType* to, int n) {
  auto& gif = *static_cast<GifFile*>(file->UserData);
  const std::size_t read = std::min(gif.left.size(), static_cast<std::size_t>(std::max(n, 0)));
  std::memcpy(to, gif.left.data(), read);
  gif.left = gif.left.subspan(read);
  if (read < static_cast<std::size_t>(n)) gif.ended = true;
  return static_cast<int>(read);
}

[[noreturn]] void fail_gif(const GifFile& gif, int error, Bytes bytes) {
  if (gif.ended) throw BadPicture("ends early, after {} bytes", format_count(bytes.size()));
  if (error == D_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc();
  const char* const text = GifErrorString(error);
  throw BadPicture("cannot be decoded: {}", text == nullptr ? "its data are damaged" : text);
}

/// The index that the first frame says to be transparent, once everything before its data has been
/// read.
std::optional<int> read_to_first_frame(GifFile& gif, Bytes bytes) {
  std::optional<int> transparent;
  for (;;) {
    GifRecordType record = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(gif.file, &record) == GIF_ERROR) fail_gif(gif, gif.file->Error, bytes);
    if (record == TERMINATE_RECORD_TYPE) throw BadPicture("has no frame");
    if (record == IMAGE_DESC_RECORD_TYPE) {
      if (DGifGetImageDesc(gif.file) == GIF_ERROR) fail_gif(gif, gif.file->Error, bytes);
      return transparent;
    }
    int code = 0;
    GifByteType* extension = nullptr;
    if (DGifGetExtension(gif.file, &code, &extension) == GIF_ERROR)
      fail_gif(gif, gif.file->Error, bytes);
    while (extension != nullptr) {
      GraphicsControlBlock control;
      if (code == GRAPHICS_EXT_FUNC_CODE &&
          DGifExtensionToGCB(extension[0], extension + 1, &control) == GIF_OK) {
        transparent.reset();
        if (control.TransparentColor != NO_TRANSPARENT_COLOR)
          transparent = control.TransparentColor;
      }
      if (DGifGetExtensionNext(gif.file, &extension) == GIF_ERROR)
        fail_gif(gif, gif.file->Error, bytes);
    }
  }
}

using Palette = std::array<std::array<std::uint8_t, 4>, 256>;

/// Colours by index; without a table of colours the index is the gray. What is transparent is
/// white.
Palette gif_palette(const GifFileType& file, std::optional<int> transparent) {
  const ColorMapObject* map = file.Image.ColorMap != nullptr ? file.Image.ColorMap : file.SColorMap;
  Palette palette = {};
  for (std::size_t index = 0; index < palette.size(); ++index) {
    palette[index].fill(static_cast<std::uint8_t>(index));
    if (map == nullptr || index >= static_cast<std::size_t>(map->ColorCount)) continue;
    const GifColorType& colour = map->Colors[index];
    palette[index] = {colour.Red, colour.Green, colour.Blue, 0};
  }
  if (transparent) palette[static_cast<std::size_t>(*transparent)].fill(255);
  return palette;
}

/// The rows of a frame in the order in which they come.
std::vector<int> gif_rows(int height, bool interlaced) {
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(height));
  const auto add = [&](int first, int step) {
    for (int y = first; y < height; y += step) rows.push_back(y);
  };
  if (!interlaced) {
    add(0, 1);
    return rows;
  }
  add(0, 8);
  add(4, 8);
  add(2, 4);
  add(1, 2);
  return rows;
}

}  // namespace

void decode_gif(Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  GifFile gif;
  gif.left = bytes;
  int error = D_GIF_SUCCEEDED;
  gif.file = DGifOpen(&gif, read_gif_bytes, &error);
  if (gif.file == nullptr) fail_gif(gif, error, bytes);
  const std::optional<int> transparent = read_to_first_frame(gif, bytes);
  const GifImageDesc frame = gif.file->Image;
  // A frame that goes beyond the screen makes it larger.
  const std::uint64_t right =
      static_cast<std::uint64_t>(frame.Left) + static_cast<std::uint64_t>(frame.Width);
  const std::uint64_t bottom =
      static_cast<std::uint64_t>(frame.Top) + static_cast<std::uint64_t>(frame.Height);
  const std::uint64_t width = std::max(static_cast<std::uint64_t>(gif.file->SWidth), right);
  const std::uint64_t height = std::max(static_cast<std::uint64_t>(gif.file->SHeight), bottom);
  check_size(width, height, limits);
  if (frame.Width <= 0 || frame.Height <= 0) throw BadPicture("has a frame without pixels");

  const auto frame_width = static_cast<std::size_t>(frame.Width);
  std::vector<GifPixelType> indexes(frame_width * static_cast<std::size_t>(frame.Height));
  for (const int y : gif_rows(frame.Height, frame.Interlace)) {
    GifPixelType* const row = indexes.data() + frame_width * static_cast<std::size_t>(y);
    if (DGifGetLine(gif.file, row, frame.Width) == GIF_ERROR) fail_gif(gif, gif.file->Error, bytes);
  }

  const Palette palette = gif_palette(*gif.file, transparent);
  const auto uncovered = palette[static_cast<std::size_t>(transparent.value_or(0))];
  const PictureSize size = {static_cast<int>(width), static_cast<int>(height)};
  RowWriter writer(sink, size, {});
  for (int y = 0; y < size.height; ++y) {
    std::uint8_t* const row = writer.next_row();
    const bool covered = y >= frame.Top && y < frame.Top + frame.Height;
    const GifPixelType* const from =
        covered ? indexes.data() + frame_width * static_cast<std::size_t>(y - frame.Top) : nullptr;
    for (int x = 0; x < size.width; ++x) {
      const bool inside = covered && x >= frame.Left && x < frame.Left + frame.Width;
      const auto& colour = inside ? palette[from[x - frame.Left]] : uncovered;
      std::memcpy(row + static_cast<std::size_t>(x) * 4, colour.data(), 4);
    }
  }
  writer.finish();
}

}  // namespace pleiad::media
