#pragma once

#include <filesystem>

#include "formats/gguf/writer.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// Writes the tokenizer.* keys of a model that comes from a folder: its pieces with
/// their kinds, merges and special tokens from tokenizer.json, tokenizer_config.json
/// and config.json, and the chat template, as llama.cpp's converter writes them. A
/// folder without a tokenizer.json gets a file that says so. Throws LoadError that
/// names the file and the field: not Gemma's kind of tokenizer, more pieces than the
/// embedding has rows, a merge that GGUF cannot hold.
void set_tokenizer_keys(gguf::Writer& writer, const Checkpoint& source);

}  // namespace pleiad::convert
