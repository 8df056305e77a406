#include "text/call_text.h"

#include <algorithm>
#include <charconv>

#include "text/unicode.h"

namespace pleiad::text {

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_function_name(std::string_view name) {
  constexpr std::string_view kNotInNames = "<>{}[]()\"',;=";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return static_cast<unsigned char>(c) > ' ' && kNotInNames.find(c) == std::string_view::npos;
  });
}

namespace {

/// A whole number that a double is sure to hold: of 15 digits and zeros behind.
bool is_whole_double(std::string_view text) {
  constexpr std::size_t kMostDigits = 15;
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.find_first_not_of("0123456789") == std::string_view::npos &&
         text.find_last_not_of('0') < kMostDigits;
}

}  // namespace

Json bare_value(std::string_view text) {
  std::string word = lower(text.substr(0, 8));
  if (word == "true") return true;
  if (word == "false") return false;
  if (word == "null" || word == "none" || word == "nil") return nullptr;
  const bool has_dot = text.find('.') != std::string_view::npos;
  const bool has_digit_first =
      !text.empty() && (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  if (has_digit_first) {
    Json number = json_or_discarded(text);
    const bool is_exact =
        has_dot || text.find_first_of("eE") != std::string_view::npos || is_whole_double(text);
    if (number.is_number_integer() || (number.is_number() && is_exact)) return number;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (has_dot && error == std::errc() && end == text.data() + text.size()) return value;
  }
  return std::string(text);
}

}  // namespace pleiad::text
