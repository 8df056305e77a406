// Any bytes at all, read by what we parse ourselves: formats, orientations in Exif and XMP, chunks
// of PNG, headers of BMP.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "media/decoders/bmp_header.h"
#include "media/decoders/decoder.h"
#include "media/decoders/png_chunks.h"
#include "media/orientation.h"
#include "media/picture_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleiad::media;
  const auto bytes = std::as_bytes(std::span(data, size));
  (void)sniff_picture(bytes);
  (void)orientation_of_tag(orientation_in_exif(bytes));
  const int xmp = orientation_in_xmp(bytes);
  if (xmp < 0 || xmp > 9) std::abort();
  try {
    (void)png_orientation(bytes);
  } catch (const BadPicture& error) {
    if (error.what()[0] == '\0') std::abort();
  }
  try {
    const BmpHeader header = read_bmp_header(bytes, {});
    const std::size_t n_colours = header.bits <= 8 ? std::size_t{1} << header.bits : 0;
    if (header.size.width < 1 || header.size.height < 1 || header.palette.size() != n_colours)
      std::abort();
  } catch (const BadPicture& error) {
    if (error.what()[0] == '\0') std::abort();
  }
  return 0;
}
