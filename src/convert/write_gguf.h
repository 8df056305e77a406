#pragma once

#include <filesystem>

#include "convert/report.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// Writes the text model of `source` as one GGUF file that llama.cpp and Ollama
/// read, and its towers, if it has any, as one projector file beside it: whole or not at all, and
/// older files stay until then. Dead projections are left out; a file of `source` cannot be a
/// target.
///
/// With FileType::as_is every tensor keeps its values; where GGUF has no such type
/// (FP8) that is an Error. Throws Error that names the path or the tensor: not
/// enough free space (before anything is written), values that cannot be stored,
/// whatever the disk says.
WriteReport write_gguf(const Checkpoint& source, const std::filesystem::path& path,
                       const WriteOptions& options);

/// Whether there is a tower to be written beside the model.
bool writes_projector(const Checkpoint& source, const WriteOptions& options);

/// Where the towers of a model that becomes `path` are written.
std::filesystem::path projector_place(const std::filesystem::path& path,
                                      const WriteOptions& options);

}  // namespace pleiad::convert
