#pragma once

#include <functional>
#include <span>

#include "media/ffmpeg/input.h"
#include "media/sound/sound.h"

namespace pleiad::media {

/// Samples of one channel, in the order of the file.
using TakeSamples = std::function<void(std::span<const float>)>;

/// What a track of sound turned out to be.
struct DecodedSound {
  int rate = 0;
  int channels = 0;
  std::int64_t n_samples = 0;  // of one channel
  double seconds() const { return rate == 0 ? 0 : static_cast<double>(n_samples) / rate; }
};

/// Decodes the track, whose packets the input gives, hands over the mean of its channels as it
/// comes, and checks that all of it is there. `begin` is told the rate before the first samples.
/// Throws BadStream.
DecodedSound decode_sound(StreamInput& input, const AVStream& track, const SoundLimits& limits,
                          const std::function<void(int rate)>& begin, const TakeSamples& take);

}  // namespace pleiad::media
