#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "text/tokenizer.h"
#include "text/tokenizer_spec.h"

namespace pleiad::text {

/// Reads a Hugging Face `tokenizer.json`. Throws LoadError that names the file
/// and the field: not JSON, another kind of tokenizer than Gemma's.
Tokenizer load_tokenizer_json(const std::filesystem::path& path);

/// The same from memory; `source` is the file's name for messages.
Tokenizer parse_tokenizer_json(std::string_view json, const std::string& source);

/// Calls `use` with what the file says of its tokenizer; the views live during the
/// call. For writing it in another form. Throws LoadError as the others do.
void with_tokenizer_spec(const std::filesystem::path& path,
                         const std::function<void(const TokenizerSpec&)>& use);

}  // namespace pleiad::text
