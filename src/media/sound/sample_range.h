#pragma once

#include <cmath>

#include "media/sound/sound.h"

namespace pleiad::media {

/// Full scale is 1. Programs that mean to write 16-bit samples as numbers go to 32,768, resampling
/// a little beyond; what is larger is damage, and would be too large to compute with.
inline constexpr float kMostSample = 65'536;

inline bool is_sample(float value) { return std::abs(value) <= kMostSample; }  // no NaN

/// Of the result; resampling rounds up.
inline double most_samples(const SoundLimits& limits) {
  return std::ceil(limits.max_seconds * kSoundRate) + 1;
}

}  // namespace pleiad::media
