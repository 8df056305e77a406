#pragma once

#include <openssl/sha.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "media/picture.h"

namespace pleiad::media {

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// A file of tests/golden/media/corpus, which tools/pictures/make_corpus.py wrote.
inline std::vector<std::byte> corpus_picture(const std::string& name) {
  std::ifstream file(golden_path("media/corpus/" + name), std::ios::binary);
  return bytes_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

/// What the reference sees in them.
inline Json corpus_index() {
  std::ifstream file(golden_path("media/corpus/corpus.json"));
  return json_from(file);
}

/// SHA-256 of the pixels, in hex.
inline std::string digest_of(const Pixels& pixels) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
  SHA256(pixels.rgb.data(), pixels.rgb.size(), digest.data());
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

/// The same noise as in make_corpus.py.
inline Pixels noise(PictureSize size) {
  Pixels pixels = {size, std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) *
                                                   static_cast<std::size_t>(size.height) * 3)};
  std::uint32_t state = 12345;
  for (std::uint8_t& value : pixels.rgb) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<std::uint8_t>(state >> 24);
  }
  return pixels;
}

}  // namespace pleiad::media
