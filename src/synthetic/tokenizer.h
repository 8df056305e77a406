#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/gguf/writer.h"

namespace pleiad::synthetic {

/// A small tokenizer of Gemma's kind that any text can be encoded with: the
/// control tokens, a piece for each byte, printable ASCII, and made-up words of
/// frequent letters with the merges that lead to them.
struct MadeUpVocabulary {
  std::vector<std::string> pieces;  // by id
  std::vector<std::int32_t> kinds;  // by id, as in tokenizer.ggml.token_type
  std::vector<std::string> merges;  // "left right", by rank
};

/// With exactly `n_pieces`, at least 1024; those that no word fills are unused.
MadeUpVocabulary make_vocabulary(int n_pieces);

/// Writes the tokenizer.ggml.* keys.
void set_tokenizer_keys(gguf::Writer& writer, int n_pieces);

}  // namespace pleiad::synthetic
