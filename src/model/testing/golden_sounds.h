#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "model/sound_input.h"

// The tiny model with an audio tower of tests/golden/audio, and what the reference computed with it
// (tools/reference/media/make_sounds.py).

namespace pleiad::testing_support {

/// Holds the folder's checkpoint, e2b.gguf, mmproj-e2b.gguf with both towers, and audio-alone.gguf.
inline std::filesystem::path golden_audio() {
  return std::filesystem::path(golden_path()) / "audio" / "e2b";
}

/// The sound that a formula makes (tools/reference/media/sounds.py).
inline SoundInput pattern_sound(std::int64_t n, int seed) {
  std::vector<float> samples;
  const auto s = static_cast<std::uint64_t>(seed);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
    const auto triangle = [](std::uint64_t phase, std::int64_t half) {
      return std::abs(static_cast<std::int64_t>(phase) - half);
    };
    const std::int64_t tone = triangle(i * (37 + 11 * s) % 1600, 800) * 20 - 8000;
    const std::int64_t climb = triangle(i * (i / 64 + 5 + s) % 3000, 1500) * 6 - 4500;
    std::uint64_t mixed = (i + 1 + 7919 * s) * 2'654'435'761U % (1ULL << 32);
    mixed = (mixed ^ (mixed >> 15)) * 2'246'822'519U % (1ULL << 32);
    const std::int64_t noise = static_cast<std::int64_t>((mixed >> 16) % 3001) - 1500;
    const bool quiet = i / 4000 % 3 == 2;
    // Rounded down, as the formula's language divides.
    const auto floored = [](std::int64_t value, std::int64_t by) {
      return value >= 0 ? value / by : -((-value + by - 1) / by);
    };
    const std::int64_t total =
        quiet ? floored(tone + climb, 32) + floored(noise, 4) : tone + climb + noise;
    samples.push_back(static_cast<float>(static_cast<double>(total) / 32768.0));
  }
  return make_sound_input(std::move(samples));
}

/// A sound of the formula, its soft tokens, and of some its features.
struct GoldenSound {
  std::string name;
  std::int64_t n_samples = 0;
  int seed = 0;
  std::filesystem::path file;      // .npy [soft tokens, model_dim]
  std::filesystem::path features;  // .npy [frames, 128], or empty
};

/// Of the file that lists them; media.json of golden_media("12b") does so too.
inline std::vector<GoldenSound> read_golden_sounds(
    const std::filesystem::path& list = golden_audio() / "sounds.json") {
  std::ifstream stream(list);
  const Json said = json_from(stream);
  std::vector<GoldenSound> sounds;
  for (const Json& item : said.at("sounds")) {
    GoldenSound sound;
    sound.name = item.at("name");
    sound.n_samples = item.at("samples");
    sound.seed = item.at("seed");
    sound.file = list.parent_path() / item.at("file").get<std::string>();
    if (item.contains("features")) {
      sound.features = list.parent_path() / item.at("features").get<std::string>();
    }
    sounds.push_back(std::move(sound));
  }
  return sounds;
}

}  // namespace pleiad::testing_support
