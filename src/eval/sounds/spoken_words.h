#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pleiad::eval {

/// A word as the program has it: said by one of espeak-ng's voices, without silence around it.
struct RecordedWord {
  std::string_view word;
  std::span<const unsigned char> mu_law;  // G.711, kSoundRate samples a second
};

/// Those of words/: the ten digits and some commands.
std::span<const RecordedWord> recorded_words();

/// A sample of G.711's mu-law, from -1 to 1.
float mu_law_sample(unsigned char code);

/// Samples of a word, kSoundRate a second, whose peak is at 0.7. Another word is a CHECK.
std::vector<float> spoken(std::string_view word);

}  // namespace pleiad::eval
