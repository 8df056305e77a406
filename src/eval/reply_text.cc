#include "eval/reply_text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/ascii.h"
#include "base/error.h"

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

/// Typographic quotes, dashes and minus signs as in ASCII, hard spaces as spaces.
std::string with_ascii_signs(std::string_view text) {
  struct Sign {
    std::string_view from;
    char to;
  };
  constexpr Sign kSigns[] = {{"\xE2\x80\x90", '-'},  {"\xE2\x80\x91", '-'}, {"\xE2\x80\x93", '-'},
                             {"\xE2\x80\x94", '-'},  {"\xE2\x88\x92", '-'}, {"\xE2\x80\x98", '\''},
                             {"\xE2\x80\x99", '\''}, {"\xE2\x80\x9C", '"'}, {"\xE2\x80\x9D", '"'},
                             {"\xE2\x80\x9E", '"'},  {"\xE2\x80\xA6", '.'}, {"\xE2\x80\xAF", ' '},
                             {"\xC2\xA0", ' '},      {"\xC2\xAB", '"'},     {"\xC2\xBB", '"'}};
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const auto* sign = std::find_if(std::begin(kSigns), std::end(kSigns), [&](const Sign& entry) {
      return text.substr(at).starts_with(entry.from);
    });
    if (sign == std::end(kSigns)) {
      plain += text[at++];
    } else {
      plain += sign->to;
      at += sign->from.size();
    }
  }
  return plain;
}

/// Three digits after a comma, and no more digits behind them.
bool is_group(std::string_view text, std::size_t comma) {
  if (comma + 3 >= text.size()) return false;
  for (std::size_t i = 1; i <= 3; ++i) {
    if (!is_digit(text[comma + i])) return false;
  }
  return comma + 4 >= text.size() || !is_digit(text[comma + 4]);
}

/// Whether a group may follow: one to three digits stand before the first comma, 15 in all.
bool leads_group(std::string_view digits, std::size_t n_groups) {
  const std::size_t n = digits.size();
  return n_groups > 0 ? n <= 15 : n >= 1 && n <= 3;
}

/// Reads digits from `at`, which moves on behind them.
std::string read_digits(std::string_view text, std::size_t& at, Commas commas) {
  std::string digits;
  const bool may_group = commas == Commas::group;
  std::size_t n_groups = 0;
  while (at < text.size()) {
    if (is_digit(text[at])) {
      digits += text[at++];
    } else if (may_group && text[at] == ',' && leads_group(digits, n_groups) &&
               is_group(text, at)) {
      ++n_groups;
      ++at;
    } else {
      break;
    }
  }
  return digits;
}

}  // namespace

std::string without_markup(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_mark = text[i] == '*' || text[i] == '`';
    // A star between blanks or digits is a product, not emphasis.
    const bool stands_alone =
        i > 0 && i + 1 < text.size() && text[i - 1] == ' ' && text[i + 1] == ' ';
    if (!is_mark || stands_alone) plain += text[i];
  }
  return plain;
}

std::vector<double> numbers_in(std::string_view written, Commas commas) {
  const std::string plain = with_ascii_signs(written);
  const std::string_view text = plain;
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    const bool is_negative =
        at > 0 && text[at - 1] == '-' &&
        (at == 1 || (!is_digit(text[at - 2]) && !is_letter(text[at - 2]) && text[at - 2] != '-'));
    std::string digits = read_digits(text, at, commas);
    if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
      digits += '.';
      for (++at; at < text.size() && is_digit(text[at]); ++at) digits += text[at];
    }
    const double value = std::strtod(digits.c_str(), nullptr);
    numbers.push_back(is_negative ? -value : value);
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
      words.push_back(ascii_lower(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(ascii_lower(word));
  return words;
}

std::vector<std::string> spelled_words(std::string_view written) {
  const std::string text = with_ascii_signs(written);
  std::vector<std::string> words;
  std::string separator;  // before what comes next
  std::string between;    // of the word under way
  bool goes_on = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    // The s of "it's" is no letter that stands alone.
    while (at < text.size() && (is_letter(text[at]) || (at > start && text[at] == '\''))) ++at;
    const std::string word = ascii_lower(std::string_view(text).substr(start, at - start));
    if (word.size() == 1) {
      const bool follows = goes_on && (words.back().size() == 1 || separator == between);
      if (!follows) words.emplace_back();
      if (follows && words.back().size() == 1) between = separator;
      words.back() += word;
      goes_on = true;
      separator.clear();
    } else if (word.empty()) {
      const bool counts = text[at] != ' ' && text[at] != '\n' && !is_digit(text[at]);
      if (counts) separator += text[at];
      ++at;
    } else if (word != "and") {
      goes_on = false;
    }
  }
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
