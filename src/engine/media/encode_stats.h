#pragma once

#include <cstdint>

#include "engine/media/prompt_media.h"

namespace pleiad {

/// What became of pictures, or of clips of sound.
struct EncodeStats {
  std::int64_t encoded = 0;  // through the tower
  std::int64_t cached = 0;   // not: they, or keys and values made of them, were there
  double seconds = 0;        // for those that were encoded

  std::int64_t n() const { return encoded + cached; }
};

/// A frame of a video counts as a picture.
struct MediaStats {
  EncodeStats pictures;
  EncodeStats sounds;

  EncodeStats& of(MediaTower tower) { return tower == MediaTower::audio ? sounds : pictures; }
  double seconds() const { return pictures.seconds + sounds.seconds; }
};

}  // namespace pleiad
