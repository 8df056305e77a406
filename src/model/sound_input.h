#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace pleiad {

/// Samples a second of what towers hear.
inline constexpr int kSoundRate = 16'000;

/// A clip of sound as a tower hears it: decoded, mixed to one channel and resampled.
struct SoundInput {
  /// SHA-256 of the samples: what the clip is known by in caches.
  std::array<std::uint8_t, 32> digest = {};
  std::vector<float> samples;  // kSoundRate a second, from -1 to 1
};

/// Computes the digest.
SoundInput make_sound_input(std::vector<float> samples);

}  // namespace pleiad
