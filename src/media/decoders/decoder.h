#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"
#include "media/decode.h"
#include "media/orientation.h"
#include "media/picture.h"
#include "media/picture_format.h"

namespace pleiad::media {

/// What is wrong with a picture: "has no pixels", what follows "is a PNG picture that". Does not
/// leave decode_picture and prepare_picture.
class BadPicture : public Error {
 public:
  using Error::Error;
};

/// Bytes behind the last row that whoever takes rows may read.
inline constexpr std::size_t kRowSlack = 64;

/// Takes a picture as it is decoded.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// Once, before any row; the size is within the limits.
  virtual void begin(PictureSize stored, Orientation orientation) = 0;
  /// The next rows as they are stored: [n_rows, width, 4], red, green, blue and a byte that says
  /// nothing, and kRowSlack bytes of anything.
  virtual void rows(const std::uint8_t* rgbx, int n_rows) = 0;
};

using Bytes = std::span<const std::byte>;

// Each calls begin() and then rows() until all of the picture is there, or throws BadPicture.
// Errors of the libraries' own are passed on in their words.
void decode_jpeg(Bytes bytes, const DecodeLimits& limits, RowSink& sink);
void decode_png(Bytes bytes, const DecodeLimits& limits, RowSink& sink);
void decode_webp(Bytes bytes, const DecodeLimits& limits, RowSink& sink);
void decode_gif(Bytes bytes, const DecodeLimits& limits, RowSink& sink);
void decode_bmp(Bytes bytes, const DecodeLimits& limits, RowSink& sink);
void decode_tiff(Bytes bytes, const DecodeLimits& limits, RowSink& sink);
/// HEIC and AVIF.
void decode_heif(Bytes bytes, const DecodeLimits& limits, RowSink& sink);

/// What load_decoders() does for libheif.
void load_heif_plugins();

/// Decodes bytes of the format that they begin like. Throws BadPicture with the name of the format.
void decode_rows(Bytes bytes, const DecodeLimits& limits, RowSink& sink);

/// Throws BadPicture for a size outside the limits.
void check_size(std::uint64_t width, std::uint64_t height, const DecodeLimits& limits);

}  // namespace pleiad::media
