#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/gguf/reader.h"
#include "model/checkpoint_tensors.h"
#include "model/gemma4/audio/config.h"

namespace pleiad {

/// The audio tower of a checkpoint, or why there is none.
struct CheckpointAudio {
  std::optional<gemma4::AudioConfig> config;
  TensorsByName tensors;
  std::string problem = "has no audio tower";  // follows the model's name; empty where there is one
  std::filesystem::path projector;  // the file that it comes from, if not the model's own
  std::optional<gguf::File> projector_file;
};

}  // namespace pleiad
