#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

// Reading what a model wrote, with the freedom that people have in writing it.
namespace pleiad::eval {

/// What a comma between digits does: groups thousands, or always parts two numbers.
enum class Commas { group, separate };

/// The number whose first digit is at `at`, which moves on behind it, in a text with ASCII signs:
/// "1,234" is 1234, as are "1 234", "1'234" and "1_234" (but for Commas::separate), "-3.5" is
/// -3.5, but the hyphen of "10-20" is no sign. Of more than 15 digits the value is not exact.
double read_number(std::string_view text, std::size_t& at, Commas commas);

/// The numbers of a text, read so.
std::vector<double> numbers_in(std::string_view text, Commas commas = Commas::group);

/// Its words: runs of ASCII letters, digits and all bytes above, in lower case.
std::vector<std::string> words_in(std::string_view text);

/// The inside of the last fenced block (```), or the whole text where there is none.
std::string fenced_or_whole(std::string_view text);

/// The JSON value that a text is, inside a fence or alone; nothing where it is none.
std::optional<Json> json_in(std::string_view text);

}  // namespace pleiad::eval
