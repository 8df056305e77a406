#pragma once

#include <string>
#include <string_view>

#include "model/checkpoint.h"

namespace pleiad {

namespace gguf {
class Metadata;
}

/// The defaults of a Hugging Face generation_config.json (or config.json, which
/// may name the stop tokens as well). Throws LoadError that names what is wrong.
GenerationDefaults parse_generation_config(std::string_view json, const std::string& file);

/// Those of a GGUF file.
GenerationDefaults generation_from_gguf(const gguf::Metadata& metadata, const std::string& file);

}  // namespace pleiad
