#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace pleiad::store {

/// Where a model was found.
enum class Source : std::uint8_t { own, ollama, hugging_face, folder, path, demo };

/// "pleiad", "ollama", "hugging face", "folder", "file", "demo"
std::string_view name(Source source);

/// What a Modelfile lays over the weights.
struct Recipe {
  std::string system;                                    // SYSTEM
  std::vector<std::pair<std::string, Json>> parameters;  // PARAMETER, `stop` more than once
  Json messages = Json::array();                         // MESSAGE: {"role", "content"}
  std::vector<std::string> licenses;                     // LICENSE
};

/// What a file's head says, without loading it.
struct ModelDetails {
  std::string format;  // "gguf", "safetensors"
  std::string family = "gemma4";
  std::string parameter_size;      // "5.1B"
  std::string quantization_level;  // "Q4_0", "BF16", "NVFP4"
  std::uint64_t parameter_count = 0;
  std::int64_t context_length = 0;
  std::int64_t embedding_length = 0;
};

/// A model that can be asked for by name.
struct ModelEntry {
  std::string name;            // "gemma4:e2b", "demo:latest", "/models/x.gguf"
  std::filesystem::path path;  // what LoadedModel opens; in place, never changed
  Source source = Source::own;
  std::string digest;  // 64 hex digits: of the manifest, or made of path, size and
                       // time of change where there is none
  std::uint64_t size_bytes = 0;
  std::time_t modified = 0;
  Recipe recipe;
  std::string parent;                   // FROM, as it was given
  std::optional<ModelDetails> details;  // empty: see `problem`
  std::vector<std::string> warnings;    // what of it is not used, as a parameter out of range
  std::string problem;                  // why it cannot be used; such models are listed, not run
};

}  // namespace pleiad::store
