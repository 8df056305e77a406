#include "eval/graders/reply_text.h"

#include <cstdlib>

#include "base/error.h"
#include "eval/graders/plain_text.h"

namespace pleiad::eval {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (static_cast<unsigned char>(c) >= 0x80);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Three digits after a separator, and no more digits behind them.
bool is_group(std::string_view text, std::size_t separator) {
  if (separator + 3 >= text.size()) return false;
  for (std::size_t i = 1; i <= 3; ++i) {
    if (!is_digit(text[separator + i])) return false;
  }
  return separator + 4 >= text.size() || !is_digit(text[separator + 4]);
}

/// Whether a group may follow: one to three digits stand before the first separator, 15 in all.
bool leads_group(std::string_view digits, std::size_t n_groups) {
  const std::size_t n = digits.size();
  return n_groups > 0 ? n <= 15 : n >= 1 && n <= 3;
}

/// Reads digits from `at`, which moves on behind them. All groups have the same separator.
std::string read_digits(std::string_view text, std::size_t& at, Commas commas) {
  constexpr std::string_view kSeparators = ", '_";
  std::string digits;
  const bool may_group = commas == Commas::group;
  std::size_t n_groups = 0;
  char separator = 0;
  while (at < text.size()) {
    const bool separates = n_groups == 0 ? kSeparators.find(text[at]) != std::string_view::npos
                                         : text[at] == separator;
    if (is_digit(text[at])) {
      digits += text[at++];
    } else if (may_group && separates && leads_group(digits, n_groups) && is_group(text, at)) {
      ++n_groups;
      separator = text[at++];
    } else {
      break;
    }
  }
  return digits;
}

/// The minus of a number that begins at `at`: "-3", but neither "5-3" nor "(2)-3".
bool has_minus(std::string_view text, std::size_t at) {
  if (at == 0 || text[at - 1] != '-') return false;
  if (at == 1) return true;
  const char before = text[at - 2];
  return !is_digit(before) && !is_letter(before) && before != '-' && before != ')';
}

}  // namespace

double read_number(std::string_view text, std::size_t& at, Commas commas) {
  const bool is_negative = has_minus(text, at);
  std::string digits = read_digits(text, at, commas);
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    digits += '.';
    for (++at; at < text.size() && is_digit(text[at]); ++at) digits += text[at];
  }
  const double value = std::strtod(digits.c_str(), nullptr);
  return is_negative ? -value : value;
}

std::vector<double> numbers_in(std::string_view written, Commas commas) {
  const std::string text = with_ascii_signs(written);
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (is_digit(text[at])) {
      numbers.push_back(read_number(text, at, commas));
    } else {
      ++at;
    }
  }
  return numbers;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : with_ascii_signs(text)) {
    if (is_letter(c) || is_digit(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(lower_text(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(lower_text(word));
  return words;
}

std::string fenced_or_whole(std::string_view text) {
  constexpr std::string_view kFence = "```";
  std::string_view inside;
  bool found = false;
  for (std::size_t at = text.find(kFence); at != std::string_view::npos;) {
    const std::size_t line_end = text.find('\n', at);
    if (line_end == std::string_view::npos) break;
    const std::size_t close = text.find(kFence, line_end);
    if (close == std::string_view::npos) break;
    inside = text.substr(line_end + 1, close - line_end - 1);
    found = true;
    at = text.find(kFence, close + kFence.size());
  }
  return std::string(found ? inside : text);
}

std::optional<Json> json_in(std::string_view text) {
  std::string_view json = trim(text);
  constexpr std::string_view kFence = "```";
  const std::size_t line_end = json.find('\n');
  if (json.starts_with(kFence) && json.ends_with(kFence) && line_end < json.size()) {
    json = trim(json.substr(line_end, json.size() - kFence.size() - line_end));
  }
  try {
    return parse_json(json, "the reply");
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace pleiad::eval
