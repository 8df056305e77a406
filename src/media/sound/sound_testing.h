#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "base/testing/paths.h"

namespace pleiad::media {

/// A file of tests/golden/media/sounds, which tools/sounds/make_corpus.py wrote.
inline std::vector<std::byte> corpus_sound(const std::string& name) {
  std::ifstream file(golden_path("media/sounds/" + name), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// What the reference hears in it: mono, 16 kHz.
inline std::vector<float> reference_samples(const std::string& name) {
  const std::vector<std::byte> bytes = corpus_sound(name + ".f32");
  std::vector<float> samples(bytes.size() / sizeof(float));
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
  return samples;
}

inline Json sound_index() {
  std::ifstream file(golden_path("media/sounds/sounds.json"));
  return json_from(file);
}

}  // namespace pleiad::media
