#pragma once

#include <cstdint>

#include "convert/mix.h"
#include "formats/gguf/metadata.h"
#include "formats/gguf/writer.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// The number that llama.cpp has for a mix of types in general.file_type. `main` is
/// what most weights are stored as, where the type is as_is.
std::uint32_t gguf_file_type(FileType type, DType main);

/// Writes the general.* and gemma4.* keys of a model that comes from a folder, with
/// the names and kinds of values that llama.cpp's readers expect.
void set_model_keys(gguf::Writer& writer, const Checkpoint& source, std::uint32_t file_type);

/// Carries all keys of a GGUF file over, but for what its own types, parts and
/// alignment were, and keys of encoders that are left out.
void carry_keys(gguf::Writer& writer, const Checkpoint& source, std::uint32_t file_type);

}  // namespace pleiad::convert
