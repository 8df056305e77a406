#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "base/testing/paths.h"

namespace pleiad::media {

/// A file of tests/golden/media/videos, which tools/videos/make_corpus.py wrote.
inline std::vector<std::byte> corpus_video(const std::string& name) {
  std::ifstream file(golden_path("media/videos/" + name), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// What is seen in them.
inline Json video_index() {
  std::ifstream file(golden_path("media/videos/videos.json"));
  return json_from(file);
}

}  // namespace pleiad::media
