#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "text/tokenizer_spec.h"

namespace pleiad::text {

// The small parts of a `tokenizer.json`: each function accepts what Gemma's
// tokenizer has there and throws LoadError, naming the field, for anything else,
// because another pipeline would give other tokens without a word.

/// " " becomes "▁", nothing else.
void check_normalizer(const Json& value, const std::string& source);
/// None, or a split at " ", which the normalizer has removed.
void check_pre_tokenizer(const Json& value, const std::string& source);
/// "▁" becomes " ", byte pieces become bytes.
void check_decoder(const Json& value, const std::string& source);
/// An entry of `model` beside the vocabulary and the merges.
void check_model_option(std::string_view key, const Json& value, TokenizerSpec& spec);

struct AddedToken {
  std::string_view text;  // inside the JSON value it was read from
  bool special = false;
  LiteralPiece literal;
};
AddedToken read_added_token(const Json& entry, std::size_t index, const std::string& source);

}  // namespace pleiad::text
