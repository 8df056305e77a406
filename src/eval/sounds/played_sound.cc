#include "eval/sounds/played_sound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "eval/dice.h"
#include "eval/sounds/spoken_words.h"

namespace pleiad::eval {
namespace {

constexpr double kRamp = 0.02;  // seconds in which a tone comes and goes
constexpr double kPeak = 0.7;   // of a tone, as of words

std::size_t n_samples(double seconds) { return static_cast<std::size_t>(seconds * kSoundRate); }

void add_silence(std::vector<float>& samples, double seconds) {
  samples.resize(samples.size() + n_samples(seconds));
}

void add_tone(std::vector<float>& samples, const Tone& tone) {
  const std::size_t n = n_samples(tone.seconds);
  double cycles = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(n);
    const double seconds = static_cast<double>(std::min(i, n - i)) / kSoundRate;  // to an end
    const double loudness = kPeak * std::min(1.0, seconds / kRamp);
    samples.push_back(static_cast<float>(loudness * std::sin(2 * std::numbers::pi * cycles)));
    cycles += (tone.hertz + at * (tone.end_hertz - tone.hertz)) / kSoundRate;
  }
  add_silence(samples, tone.pause);
}

}  // namespace

SoundInput play(const PlayedSound& sound) {
  Dice dice(sound.seed);
  std::vector<float> samples;
  add_silence(samples, dice.between(0.02, 0.15));
  const double gain = dice.between(0.4, 1.3);
  for (std::size_t i = 0; i < sound.words.size(); ++i) {
    if (i > 0) add_silence(samples, dice.between(0.3, 0.5));
    const std::vector<float> word = spoken(sound.words[i]);
    samples.insert(samples.end(), word.begin(), word.end());
  }
  for (const Tone& tone : sound.tones) add_tone(samples, tone);
  add_silence(samples, dice.between(0.15, 0.3));
  for (float& sample : samples) {
    sample = static_cast<float>(std::round(sample * gain * 32767) / 32768);
  }
  return make_sound_input(std::move(samples));
}

}  // namespace pleiad::eval
