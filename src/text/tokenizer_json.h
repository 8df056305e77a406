#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace pleiad::text {

/// Reads a Hugging Face `tokenizer.json`. Throws LoadError that names the file
/// and the field: not JSON, another kind of tokenizer than Gemma's.
Tokenizer load_tokenizer_json(const std::filesystem::path& path);

/// The same from memory; `source` is the file's name for messages.
Tokenizer parse_tokenizer_json(std::string_view json, const std::string& source);

}  // namespace pleiad::text
