#pragma once

#include <filesystem>

namespace pleiad::store {

/// True for a GGUF file that says of itself that it holds encoders and no text model
/// (general.architecture "clip", or general.type "mmproj"). False for all else, a file that
/// cannot be read among it: who opens it as a model says why.
bool is_projector_file(const std::filesystem::path& path);

}  // namespace pleiad::store
