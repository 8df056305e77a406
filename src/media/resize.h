#pragma once

#include "media/picture.h"

namespace pleiad::media {

/// Bicubic (a = -0.5) with antialiasing, bit for bit as Pillow's Image.resize(target, BICUBIC): two
/// passes, horizontal first, with weights of 22 fractional bits, each rounded and clipped to 8
/// bits.
Pixels resize_bicubic(const Pixels& picture, PictureSize target);

}  // namespace pleiad::media
