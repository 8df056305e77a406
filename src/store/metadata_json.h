#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "formats/gguf/metadata.h"

namespace pleiad::store {

/// What of a file's metadata fits into an answer.
struct MetadataLimits {
  bool vocabulary = false;         // also lists of the tokenizer's, and others of any length
  std::size_t values = 16'384;     // of all lists together
  std::size_t bytes = 256U << 10;  // of all texts and lists in the file together
  std::size_t tensors = 4'096;

  /// With the vocabulary of any model of the family, some 15 MB in the file.
  static MetadataLimits all() { return {true, 2'000'000, 24U << 20, 100'000}; }
};

struct MetadataJson {
  std::map<std::string, Json> pairs;
  std::vector<std::string> left_out;  // what was too long, and by how much
};

/// The shortest decimal number that stands for a float: 1e-06, not 9.999999974752427e-07.
double as_written(float value);

/// The metadata of a GGUF file as Ollama tells it (`model_info` of /api/show): every key with its
/// number, text or list, but for general.name and the chat template. Null are lists that are not
/// asked for: those of the tokenizer, and of more than 1,024 values; null, and named in `left_out`,
/// is what is beyond the limits. Floats are the shortest decimal numbers that stand for them. In
/// single texts what a terminal would obey is shown instead (base/terminal_text.h). Throws
/// FileChangedError.
MetadataJson metadata_json(const gguf::Metadata& metadata, const MetadataLimits& limits);

}  // namespace pleiad::store
