#pragma once

#include <cstddef>
#include <span>

#include "media/picture.h"

namespace pleiad::media {

/// How stored pixels become an upright picture: mirrored, then the two axes exchanged.
struct Orientation {
  bool mirror_x = false;  // the first column becomes the last
  bool mirror_y = false;
  bool transpose = false;

  bool operator==(const Orientation&) const = default;
};

/// Of a value of the tag Orientation (TIFF 6.0, Exif 2.3): 1 to 8. Others leave a picture as it is.
Orientation orientation_of_tag(int value);

/// The size of the upright picture.
PictureSize oriented(PictureSize stored, Orientation orientation);

/// The upright picture.
Pixels orient(Pixels stored, Orientation orientation);

/// The value of Orientation in Exif data (a TIFF header and directories, maybe behind "Exif\0\0");
/// 0 without one.
int orientation_in_exif(std::span<const std::byte> exif);

/// The same in an XMP packet: `tiff:Orientation="6"` or `<tiff:Orientation>6`.
int orientation_in_xmp(std::span<const std::byte> xmp);

}  // namespace pleiad::media
