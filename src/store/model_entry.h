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

/// The vision tower of a model that sees.
struct VisionDetails {
  std::uint64_t parameter_count = 0;  // its projector's among them
  std::string type;                   // "BF16": of most of its weights
  int default_budget = 0;             // soft tokens of a picture, at most
};

/// The audio tower, or embedder of sounds, of a model that hears.
struct AudioDetails {
  std::uint64_t parameter_count = 0;  // its projector's among them
  std::string type;                   // as VisionDetails'
};

/// What a file's head says, without loading it.
struct ModelDetails {
  std::string format;  // "gguf", "safetensors"
  std::string family = "gemma4";
  std::string parameter_size;         // "5.1B"
  std::string quantization_level;     // "Q4_0", "BF16", "NVFP4"
  std::uint64_t parameter_count = 0;  // of the text model
  std::int64_t context_length = 0;
  std::int64_t embedding_length = 0;
  std::optional<VisionDetails> vision = {};  // empty: it sees nothing
  std::optional<AudioDetails> audio = {};    // empty: it hears nothing
};

/// A model that can be asked for by name.
struct ModelEntry {
  std::string name;            // "gemma4:e2b", "demo:latest", "/models/x.gguf"
  std::filesystem::path path;  // what LoadedModel opens; in place, never changed
  /// The projector file that it names (see LoadOptions); empty: its towers are looked for in its
  /// own files, and beside it.
  std::filesystem::path projector;
  /// The files beside it that its towers are read from, where it names none: one or two.
  std::vector<std::filesystem::path> projectors_beside;
  Source source = Source::own;
  std::string digest;  // 64 hex digits: of the manifest, or made of path, size and
                       // time of change where there is none
  std::uint64_t size_bytes = 0;
  std::time_t modified = 0;
  Recipe recipe;
  std::string parent;                   // FROM, as it was given
  std::string pulled;                   // the manifest of a registry that it is, as a Manifest of
                                        // our store has it; empty: it was made here
  std::optional<ModelDetails> details;  // empty: see `problem`
  std::vector<std::string> warnings;    // what of it is not used, as a parameter out of range
  std::string problem;                  // why it cannot be used; such models are listed, not run

  /// All projector files that its towers are read from.
  std::vector<std::filesystem::path> projectors() const;

  /// Made of the same files, whatever is laid over them.
  bool same_files(const ModelEntry& other) const {
    return path == other.path && projector == other.projector;
  }
};

}  // namespace pleiad::store
