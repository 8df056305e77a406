#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "media/sound/sound_samples.h"

namespace pleiad::media {

/// Samples of a second of what prepare_sound() makes: what the towers of the family hear.
inline constexpr int kSoundRate = 16'000;

/// Samples that give E2B and E4B one token; fewer give none.
inline constexpr std::int64_t kMinSoundSamples = 161;

/// What a sound may cost. What a file says of itself is checked before anything is decoded, and
/// what it turns out to be while it is.
struct SoundLimits {
  double max_seconds = 3'600;  // 90,000 tokens
  int max_rate = 768'000;
  int max_channels = 32;
};

/// Nothing can be chosen.
struct SoundOptions {};

/// A sound as a tower hears it.
struct PreparedSound {
  std::string format;         // for people: "MP3", "AAC in MP4", "PCM 24 bits in WAV"
  int original_rate = 0;      // samples of a second
  int original_channels = 0;  // those that it begins with
  double seconds = 0;         // of `samples`
  SoundSamples samples;       // mono, kSoundRate; -1 to 1 is full scale, floating-point files may
                              // go beyond, no NaN and no infinity
};

/// The sound of a file: channels by their mean, in the precision that the file has, resampled as
/// libsoxr's HQ does, the delay and the padding of encoders trimmed where the file tells them. Of
/// several tracks of sound the one that FFmpeg takes for the best.
///
/// A Failure is a sentence without its subject: "is an MP3 sound that ends early, ...". It decodes
/// in this process. Bytes of strangers go to MediaReader (media/reader.h).
Result<PreparedSound> prepare_sound(std::span<const std::byte> bytes, const SoundOptions& options,
                                    const SoundLimits& limits);

/// How a sound is heard by a tower that takes so many samples at a time: consecutive clips, as
/// half-open ranges of samples, each but the last of max_samples. A last one that is too short to
/// give a token (fewer than min_samples) is not there: the samples behind the end of the last
/// clip are not heard, which is to be told. Empty for a sound that is too short as a whole.
std::vector<std::pair<std::int64_t, std::int64_t>> sound_clips(
    std::int64_t n_samples, std::int64_t max_samples, std::int64_t min_samples = kMinSoundSamples);

}  // namespace pleiad::media
