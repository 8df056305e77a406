#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/sound_input.h"

namespace pleiad::eval {

/// A sine wave that begins and ends softly, and the silence behind it.
struct Tone {
  double hertz = 440;
  double end_hertz = 440;  // where it ends; it gets there at an even pace
  double seconds = 0.3;
  double pause = 0.25;  // seconds
};

/// What a sound of the battery plays: words, or tones, one after the other.
struct PlayedSound {
  std::vector<std::string_view> words = {};  // of recorded_words()
  std::vector<Tone> tones = {};
  std::uint32_t seed = 1;  // how loud it is, the silence around it, the pauses between words
};

/// Its samples, the same on every machine: they are rounded to 16 bits.
SoundInput play(const PlayedSound& sound);

}  // namespace pleiad::eval
