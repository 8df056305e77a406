#pragma once

#include <filesystem>

namespace pleiad {

/// Where a model lies: a GGUF file, or a folder with config.json and safetensors.
struct CheckpointLocation {
  std::filesystem::path path;
  bool is_gguf = false;
};

/// What `path` stands for: a GGUF file, a folder, a file in a Hugging Face folder, or
/// a folder with one GGUF model in it. Throws LoadError where there is no model.
CheckpointLocation locate_checkpoint(const std::filesystem::path& path);

}  // namespace pleiad
