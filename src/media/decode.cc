#include "media/decode.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/text_format.h"
#include "media/decoders/decoder.h"

namespace pleiad::media {
namespace {

/// Keeps a whole picture.
class WholePicture final : public RowSink {
 public:
  void begin(PictureSize stored, Orientation orientation) override {
    pixels_.size = stored;
    pixels_.rgb.resize(static_cast<std::size_t>(stored.width) *
                       static_cast<std::size_t>(stored.height) * 3);
    orientation_ = orientation;
  }

  void rows(const std::uint8_t* rgbx, int n_rows) override {
    const std::size_t n_pixels =
        static_cast<std::size_t>(pixels_.size.width) * static_cast<std::size_t>(n_rows);
    CHECK(filled_ + n_pixels * 3 <= pixels_.rgb.size(), "{} rows", n_rows);
    std::uint8_t* to = pixels_.rgb.data() + filled_;
    for (std::size_t pixel = 0; pixel < n_pixels; ++pixel, to += 3, rgbx += 4)
      std::memcpy(to, rgbx, 3);
    filled_ += n_pixels * 3;
  }

  Pixels take() {
    CHECK(filled_ == pixels_.rgb.size(), "{} bytes", filled_);
    return orient(std::move(pixels_), orientation_);
  }

 private:
  Pixels pixels_;
  Orientation orientation_;
  std::size_t filled_ = 0;
};

void decode_format(PictureFormat format, Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  switch (format) {
    case PictureFormat::jpeg:
      return decode_jpeg(bytes, limits, sink);
    case PictureFormat::png:
      return decode_png(bytes, limits, sink);
    case PictureFormat::webp:
      return decode_webp(bytes, limits, sink);
    case PictureFormat::gif:
      return decode_gif(bytes, limits, sink);
    case PictureFormat::bmp:
      return decode_bmp(bytes, limits, sink);
    case PictureFormat::tiff:
      return decode_tiff(bytes, limits, sink);
    case PictureFormat::heic:
    case PictureFormat::avif:
      return decode_heif(bytes, limits, sink);
  }
}

/// "a JPEG picture", "an AVIF picture"
std::string with_article(PictureFormat format) {
  return fmt::format("{} {} picture", format == PictureFormat::avif ? "an" : "a",
                     format_name(format));
}

std::string first_bytes(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<int>(byte));
  }
  return text;
}

}  // namespace

void check_size(std::uint64_t width, std::uint64_t height, const DecodeLimits& limits) {
  if (width == 0 || height == 0) throw BadPicture("has {} x {} pixels", width, height);
  const auto longest = static_cast<std::uint64_t>(limits.max_side);
  if (width > longest || height > longest) {
    throw BadPicture("has {} x {} pixels; a side may have {} at most", format_count(width),
                     format_count(height), format_count(longest));
  }
  if (width * height > limits.max_pixels) {
    throw BadPicture("has {} x {} = {} pixels; at most {} are read", format_count(width),
                     format_count(height), format_count(width * height),
                     format_count(limits.max_pixels));
  }
}

void decode_rows(Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  if (bytes.empty()) throw BadPicture("is not a picture: there are no bytes");
  const std::optional<PictureFormat> format = sniff_picture(bytes);
  if (!format) {
    throw BadPicture(
        "is not a picture: expected JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF, found {} bytes "
        "that begin {}",
        format_count(bytes.size()), first_bytes(bytes));
  }
  try {
    decode_format(*format, bytes, limits, sink);
  } catch (const BadPicture& error) {
    throw BadPicture("is {} that {}", with_article(*format), error.what());
  } catch (const std::bad_alloc&) {
    throw BadPicture("is {} that needs more memory than a picture may have", with_article(*format));
  }
}

void load_decoders() { load_heif_plugins(); }

Result<Pixels> decode_picture(std::span<const std::byte> bytes, const DecodeLimits& limits) {
  try {
    WholePicture picture;
    decode_rows(bytes, limits, picture);
    return picture.take();
  } catch (const BadPicture& error) {
    return Failure{error.what()};
  }
}

}  // namespace pleiad::media
