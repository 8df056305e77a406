#pragma once

#include <string>
#include <string_view>

namespace pleiad::text {

/// The first character of `text` (not empty); a byte that is not UTF-8 counts
/// as the character of that number.
char32_t first_character(std::string_view text);
/// The last character of well-formed `text` (not empty).
char32_t last_character(std::string_view text);

void append_utf8(std::string& out, char32_t character);

/// What Python's str.isspace() says.
bool is_space(char32_t character);

/// Python's str.strip(): without white space at both ends.
std::string_view strip(std::string_view text);
std::string_view strip_left(std::string_view text);
std::string_view strip_right(std::string_view text);

/// Python's str.lower() and str.upper() for ASCII, Latin-1, Greek and Cyrillic
/// letters that have one letter as their counterpart; the rest stays as it is.
std::string lower(std::string_view text);
std::string upper(std::string_view text);

}  // namespace pleiad::text
