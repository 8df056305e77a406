#pragma once

#include <string>

#include "media/picture.h"

namespace pleiad::media {

/// A PNG file with these pixels; there is at least one (a CHECK).
std::string encode_png(const Pixels& pixels);

}  // namespace pleiad::media
