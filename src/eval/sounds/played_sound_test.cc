// What the battery's sounds play is there: words, numbers of tones, their pitches, silence around.

#include "eval/sounds/played_sound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "eval/battery.h"
#include "eval/sounds/spoken_words.h"

namespace pleiad::eval {
namespace {

float peak_of(const std::vector<float>& samples) {
  float peak = 0;
  for (const float sample : samples) peak = std::max(peak, std::abs(sample));
  return peak;
}

/// Stretches of sound with at least 0.15 seconds of silence between them.
int stretches(const std::vector<float>& samples) {
  const float floor = peak_of(samples) / 50;
  constexpr std::size_t kGap = kSoundRate * 15 / 100;
  int n = 0;
  std::size_t silent = kGap;
  for (const float sample : samples) {
    if (std::abs(sample) < floor) {
      ++silent;
    } else {
      n += silent >= kGap ? 1 : 0;
      silent = 0;
    }
  }
  return n;
}

/// Times that the wave goes up through zero within [first, last) seconds, a second.
double pitch(const std::vector<float>& samples, double first, double last) {
  const auto begin = static_cast<std::size_t>(first * kSoundRate);
  const auto end = static_cast<std::size_t>(last * kSoundRate);
  int n = 0;
  for (std::size_t i = begin + 1; i < end; ++i) n += samples[i - 1] < 0 && samples[i] >= 0 ? 1 : 0;
  return n / (last - first);
}

TEST(SpokenWords, AreDecodedAsG711Says) {
  EXPECT_EQ(mu_law_sample(0xFF), 0);
  EXPECT_EQ(mu_law_sample(0x80) * 32768, 32124);
  EXPECT_EQ(mu_law_sample(0x00) * 32768, -32124);
  EXPECT_EQ(mu_law_sample(0xFE) * 32768, 8);
  EXPECT_EQ(mu_law_sample(0x8F) * 32768, 16764);
}

TEST(SpokenWords, AreWordsLongAndLoud) {
  std::set<std::vector<float>> different;
  for (const RecordedWord& recorded : recorded_words()) {
    const std::vector<float> samples = spoken(recorded.word);
    EXPECT_GT(samples.size(), kSoundRate / 5) << recorded.word;
    EXPECT_LT(samples.size(), kSoundRate * 3 / 5) << recorded.word;
    EXPECT_NEAR(peak_of(samples), 0.7, 0.03) << recorded.word;
    EXPECT_TRUE(different.insert(samples).second) << recorded.word;
  }
  EXPECT_EQ(different.size(), 17U);
  EXPECT_THROW(spoken("maybe"), InternalError);
}

TEST(PlayedSound, HasItsTonesWithTheirPitches) {
  const PlayedSound sound = {.tones = {{.hertz = 400, .end_hertz = 400, .seconds = 1},
                                       {.hertz = 400, .end_hertz = 1200, .seconds = 1}},
                             .seed = 3};
  const std::vector<float> samples = play(sound).samples;
  EXPECT_EQ(stretches(samples), 2);
  std::size_t start = 0;
  while (samples[start] == 0) ++start;
  const double at = static_cast<double>(start) / kSoundRate;
  EXPECT_NEAR(pitch(samples, at, at + 1), 400, 3);
  EXPECT_NEAR(pitch(samples, at + 1.25, at + 1.35), 440, 15);
  EXPECT_NEAR(pitch(samples, at + 2.15, at + 2.25), 1160, 15);
}

TEST(PlayedSound, IsTheSameAtEveryCallAndAnotherWithAnotherSeed) {
  PlayedSound sound = {.words = {"four", "go"}, .seed = 5};
  EXPECT_EQ(play(sound).digest, play(sound).digest);
  const SoundInput first = play(sound);
  sound.seed = 6;
  EXPECT_NE(play(sound).digest, first.digest);
  EXPECT_EQ(stretches(first.samples), 2);
}

TEST(PlayedSound, OfTheBatteryIsHeardWhole) {
  int n_sounds = 0;
  for (const Check& check : make_battery({})) {
    for (const Case& item : check.cases) {
      for (const PlayedSound& sound : item.sounds) {
        ++n_sounds;
        const std::vector<float> samples = play(sound).samples;
        const std::string where = check.name + "/" + item.id;
        EXPECT_LT(samples.size(), 10 * kSoundRate) << where;  // a clip is 30 seconds at most
        EXPECT_TRUE(peak_of(samples) > 0.25 && peak_of(samples) < 0.95) << where;
        EXPECT_EQ(samples.front(), 0) << where;
        EXPECT_EQ(samples.back(), 0) << where;
        // A word may hold a short silence of its own: "eight", "stop".
        const auto n = static_cast<int>(sound.words.size() + sound.tones.size());
        EXPECT_GE(stretches(samples), n) << where;
        if (sound.words.empty()) {
          EXPECT_EQ(stretches(samples), n) << where;
        }
      }
    }
  }
  EXPECT_EQ(n_sounds, 17 + 12 + 12 + 24);
}

}  // namespace
}  // namespace pleiad::eval
