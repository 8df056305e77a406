#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

// Reading what a model wrote, with the freedom that people have in writing it.
namespace pleiad::eval {

/// Without Markdown's emphasis and code marks.
std::string without_markup(std::string_view text);

/// What a comma between digits does: groups thousands, or always parts two numbers.
enum class Commas { group, separate };

/// The numbers of a text as they are written: "1,234" is 1234 (but for Commas::separate), "-3.5"
/// is -3.5, but the hyphen of "10-20" is no sign. Of a number with more than 15 digits the value
/// is not exact.
std::vector<double> numbers_in(std::string_view text, Commas commas = Commas::group);

/// Its words: runs of ASCII letters, digits and all bytes above, in lower case.
std::vector<std::string> words_in(std::string_view text);

/// Words that are spelled, in lower case: single letters in a row with one separator between them,
/// "I say: c-h-e-r-r-y" has "i" and "cherry". Blanks, numbers and "and" do not count as separators.
std::vector<std::string> spelled_words(std::string_view text);

/// The inside of the last fenced block (```), or the whole text where there is none.
std::string fenced_or_whole(std::string_view text);

/// The JSON value that a text is, inside a fence or alone; nothing where it is none.
std::optional<Json> json_in(std::string_view text);

}  // namespace pleiad::eval
