#pragma once

#include <filesystem>
#include <string>
#include <vector>

// Which of several projector files beside a model is meant.

namespace pleiad {

/// The GGUF files beside a model that are called projectors, by name.
std::vector<std::filesystem::path> projectors_beside(const std::filesystem::path& model);

/// The one of several files that is meant: that with the model's own name; or where they are one
/// tower as several types, the first of bf16, f16, f32, q8_0. Null where neither tells.
const std::filesystem::path* preferred_projector(const std::vector<std::filesystem::path>& fitting,
                                                 const std::filesystem::path& model);

/// Their names for a message.
std::string listed_files(const std::vector<std::filesystem::path>& paths);

}  // namespace pleiad
