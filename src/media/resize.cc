#include "media/resize.h"

#include <cstring>

#include "base/check.h"
#include "media/decoders/row_writer.h"
#include "media/pick_kernels.h"
#include "media/row_resizer.h"

namespace pleiad::media {

Pixels resize_bicubic(const Pixels& picture, PictureSize target) {
  const auto width = static_cast<std::size_t>(picture.size.width);
  CHECK(picture.rgb.size() == width * static_cast<std::size_t>(picture.size.height) * 3, "{} bytes",
        picture.rgb.size());
  if (picture.size == target) return picture;
  RowResizer resizer([&](PictureSize) { return target; }, best_kernels());
  RowWriter writer(resizer, picture.size, {});
  const std::uint8_t* from = picture.rgb.data();
  for (int y = 0; y < picture.size.height; ++y) {
    std::uint8_t* to = writer.next_row();
    for (std::size_t x = 0; x < width; ++x, from += 3, to += 4) std::memcpy(to, from, 3);
  }
  writer.finish();
  return resizer.take();
}

}  // namespace pleiad::media
