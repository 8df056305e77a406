#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/common/field_reader.h"

namespace pleiad::api::openai {

using TokenLists = std::vector<std::vector<std::int32_t>>;

/// A prompt or an input that is given as tokens: one list of their numbers, or up to `most` lists.
/// Empty where the field is absent or something else; whether the model has such tokens is not
/// known yet. Throws RequestError where a list is empty or has what is no number of a token.
std::optional<TokenLists> read_token_lists(FieldReader& body, std::string_view key,
                                           std::size_t most);

}  // namespace pleiad::api::openai
