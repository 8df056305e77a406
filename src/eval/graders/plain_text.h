#pragma once

#include <string>
#include <string_view>

// A reply without what only makes it look well.
namespace pleiad::eval {

/// Typographic quotes, dashes, arrows and minus signs as in ASCII, hard and thin spaces as
/// spaces; other punctuation and symbols beyond ASCII, of every script, as '|', so that every
/// byte above ASCII belongs to a letter.
std::string with_ascii_signs(std::string_view text);

/// Without Markdown's emphasis, code marks and struck text, HTML's tags and LaTeX's commands
/// ("15{,}343" is 15,343, "\times" is *).
std::string without_markup(std::string_view text);

/// Letters of the Latin, Greek and Cyrillic scripts in lower case.
std::string lower_text(std::string_view text);

/// The code point at the front of well-formed UTF-8 of this length.
char32_t code_point(std::string_view bytes);

}  // namespace pleiad::eval
