#include "media/encode_png.h"

#include <png.h>

#include <new>

#include "base/check.h"

namespace pleiad::media {

std::string encode_png(const Pixels& pixels) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(pixels.size.width);
  image.height = static_cast<png_uint_32>(pixels.size.height);
  image.format = PNG_FORMAT_RGB;
  CHECK(image.width > 0 && image.height > 0, "{} x {}", image.width, image.height);
  std::string file(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t n_bytes = file.size();
  if (png_image_write_to_memory(&image, file.data(), &n_bytes, 0, pixels.rgb.data(), 0, nullptr) ==
      0) {
    throw std::bad_alloc();  // nothing else can fail
  }
  file.resize(n_bytes);
  return file;
}

}  // namespace pleiad::media
