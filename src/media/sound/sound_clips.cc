#include <algorithm>

#include "base/check.h"
#include "media/sound/sound.h"

namespace pleiad::media {

std::vector<std::pair<std::int64_t, std::int64_t>> sound_clips(std::int64_t n_samples,
                                                               std::int64_t max_samples,
                                                               std::int64_t min_samples) {
  CHECK(min_samples > 0 && max_samples >= min_samples, "{} to {} samples", min_samples,
        max_samples);
  std::vector<std::pair<std::int64_t, std::int64_t>> clips;
  for (std::int64_t begin = 0; n_samples - begin >= min_samples; begin += max_samples) {
    clips.emplace_back(begin, std::min(begin + max_samples, n_samples));
  }
  return clips;
}

}  // namespace pleiad::media
