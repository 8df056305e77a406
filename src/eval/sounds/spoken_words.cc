#include "eval/sounds/spoken_words.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad::eval {

float mu_law_sample(unsigned char code) {
  constexpr int kBias = 0x84;
  const int bits = ~code & 0xFF;
  const int exponent = (bits >> 4) & 7;
  const int magnitude = ((((bits & 0x0F) << 3) + kBias) << exponent) - kBias;
  return static_cast<float>((bits & 0x80) != 0 ? -magnitude : magnitude) / 32768.0F;
}

std::vector<float> spoken(std::string_view word) {
  const auto words = recorded_words();
  const auto found = std::ranges::find(words, word, &RecordedWord::word);
  CHECK(found != words.end(), "no word {}", word);
  std::vector<float> samples;
  samples.reserve(found->mu_law.size());
  for (const unsigned char code : found->mu_law) samples.push_back(mu_law_sample(code));
  return samples;
}

}  // namespace pleiad::eval
