#include "model/gemma4/audio/log_mel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"

namespace pleiad::gemma4 {
namespace {

using testing_support::GoldenSound;
using testing_support::pattern_sound;
using testing_support::read_golden_matrix;
using testing_support::read_golden_sounds;

std::vector<float> features_of(const std::vector<float>& samples, std::int64_t at_once = 1 << 20) {
  const std::int64_t n = sound_frames(static_cast<std::int64_t>(samples.size()));
  std::vector<float> features(static_cast<std::size_t>(n * kMelBands));
  const LogMel log_mel;
  for (std::int64_t first = 0; first < n; first += at_once) {
    const std::int64_t count = std::min(at_once, n - first);
    log_mel.fill(samples, first,
                 std::span(features).subspan(static_cast<std::size_t>(first * kMelBands),
                                             static_cast<std::size_t>(count * kMelBands)));
  }
  return features;
}

// The reference's FFT is in single precision: of a loud frame's quietest bands it rounds most.
TEST(LogMel, EqualsTheReference) {
  int n_cases = 0;
  for (const GoldenSound& golden : read_golden_sounds()) {
    if (golden.features.empty()) continue;
    SCOPED_TRACE(golden.name);
    const auto expected = read_golden_matrix(golden.features);
    const auto found = features_of(pattern_sound(golden.n_samples, golden.seed).samples);
    ASSERT_EQ(found.size(), expected.values.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected.values[i], 2e-5)
          << i / kMelBands << ", band " << i % kMelBands;
    }
    ++n_cases;
  }
  EXPECT_EQ(n_cases, 3);
}

TEST(LogMel, OfSilenceIsTheFloor) {
  for (const float value : features_of(std::vector<float>(1000))) {
    EXPECT_FLOAT_EQ(value, std::log(0.001F));
  }
}

TEST(LogMel, HasTheSameBitsHoweverTheFramesAreCut) {
  const std::vector<float> samples = pattern_sound(5000, 3).samples;
  const auto whole = features_of(samples);
  EXPECT_EQ(features_of(samples, 1), whole);
  EXPECT_EQ(features_of(samples, 7), whole);
}

}  // namespace
}  // namespace pleiad::gemma4
