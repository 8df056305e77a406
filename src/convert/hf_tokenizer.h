#pragma once

#include <string>

#include "base/json.h"
#include "formats/gguf/reader.h"

namespace pleiad::convert {

/// The tokenizer.json of the tokenizer in a GGUF file: Gemma's pipeline with the file's
/// pieces, kinds and merges, so that the same text gives the same tokens. Throws
/// LoadError that names the key: no tokenizer, or another kind.
std::string make_tokenizer_json(const gguf::File& file);

/// The tokenizer_config.json beside it: its special tokens.
Json make_tokenizer_config(const gguf::File& file);

}  // namespace pleiad::convert
