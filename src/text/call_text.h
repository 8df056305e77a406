#pragma once

#include <string_view>

#include "base/json.h"

namespace pleiad::text {

// The small words of a tool call: names, unquoted values, white space (ASCII).

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_closer(char c) { return c == '}' || c == ']'; }
std::string_view trim(std::string_view text);

/// Whether a function may be called that: no blanks, brackets, quotes.
bool is_function_name(std::string_view name);

/// The value of unquoted text: a word of JSON or Python, a number, else text.
/// A number that would lose digits stays text.
Json bare_value(std::string_view text);

}  // namespace pleiad::text
