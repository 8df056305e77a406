#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "media/ffmpeg/api.h"
#include "media/sound/sound_samples.h"

namespace pleiad::media {

/// From any rate to kSoundRate as libsoxr's HQ recipe does it (20 bits, linear phase), in this
/// thread. What has that rate already stays as it is, bit for bit.
class Resampler {
 public:
  /// Throws std::bad_alloc.
  explicit Resampler(int rate);

  /// More samples in; what is ready of the result is appended.
  void add(std::span<const float> samples, SoundSamples& result);
  /// After the last: the rest, to as many samples as librosa makes of them (resample(), which is
  /// what the reference calls): ceil(n * (16000 / rate)), zeros where libsoxr has fewer.
  void finish(SoundSamples& result);

 private:
  struct Delete {
    void operator()(soxr* resampler) const { stream_libraries().soxr_delete(resampler); }
  };

  double ratio_;
  std::int64_t n_in_ = 0;
  std::unique_ptr<soxr, Delete> soxr_;  // null: nothing to do
  std::vector<float> made_;             // at a time
};

}  // namespace pleiad::media
