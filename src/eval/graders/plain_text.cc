#include "eval/graders/plain_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace pleiad::eval {
namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct SignRange {
  char32_t first;
  char32_t last;
  std::string_view ascii;
};
// The first that fits counts.
constexpr SignRange kSigns[] = {
    {0xA0, 0xA0, " "},     {0xAA, 0xAA, "a"},       {0xAB, 0xAB, "\""},     {0xAD, 0xAD, ""},
    {0xBA, 0xBA, "o"},     {0xBB, 0xBB, "\""},      {0xD7, 0xD7, "*"},      {0xF7, 0xF7, "/"},
    {0xA1, 0xBF, "|"},     {0x55D, 0x55D, ","},     {0x5BE, 0x5BE, "-"},    {0x5F3, 0x5F4, "'"},
    {0x60C, 0x60C, ","},   {0x61B, 0x61B, ";"},     {0x61F, 0x61F, "?"},    {0x6D4, 0x6D4, "."},
    {0x964, 0x965, "."},   {0x2000, 0x200A, " "},   {0x200B, 0x200B, ""},   {0x200E, 0x200F, ""},
    {0x2010, 0x2015, "-"}, {0x2018, 0x201B, "'"},   {0x201C, 0x201F, "\""}, {0x2026, 0x2026, "..."},
    {0x202F, 0x202F, " "}, {0x2039, 0x203A, "\""},  {0x205F, 0x205F, " "},  {0x2060, 0x2060, ""},
    {0x2070, 0x209C, ""},  {0x2190, 0x21FF, "->"},  {0x2212, 0x2212, "-"},  {0x2215, 0x2215, "/"},
    {0x2217, 0x2217, "*"}, {0x22C5, 0x22C5, "*"},   {0x2013, 0x2BFF, "|"},  {0x3000, 0x3000, " "},
    {0x3001, 0x3001, ","}, {0x3002, 0x3002, "."},   {0x3008, 0x3011, "\""}, {0x3012, 0x303F, "|"},
    {0xFE00, 0xFE0F, ""},  {0xFF01, 0xFF01, "!"},   {0xFF08, 0xFF08, "("},  {0xFF09, 0xFF09, ")"},
    {0xFF0C, 0xFF0C, ","}, {0xFF1A, 0xFF1A, ":"},   {0xFF1B, 0xFF1B, ";"},  {0xFF1F, 0xFF1F, "?"},
    {0xFEFF, 0xFEFF, ""},  {0x1F000, 0x1FAFF, "|"},
};

/// The end of a tag that begins at `at`, or `at` where there is none: "<b>", "</b>", "<br />".
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (end < text.size() && text[end] == '/') ++end;
  if (end >= text.size() || !is_ascii_letter(text[end])) return at;
  while (end < text.size() && (is_ascii_letter(text[end]) || is_ascii_digit(text[end]))) ++end;
  while (end < text.size() && (text[end] == ' ' || text[end] == '/')) ++end;
  return end < text.size() && text[end] == '>' ? end + 1 : at;
}

struct Replacement {
  std::string_view from;
  std::string_view to;
};

/// LaTeX's commands and groups as plain text.
std::string without_latex(std::string_view text) {
  if (text.find('\\') == std::string_view::npos && text.find("{,}") == std::string_view::npos) {
    return std::string(text);
  }
  constexpr Replacement kCommands[] = {
      {"{,}", ","},       {"\\text{,}", ","}, {"\\times", "*"},       {"\\cdot", "*"},
      {"\\div", "/"},     {"\\to", "->"},     {"\\rightarrow", "->"}, {"\\quad", " "},
      {"\\pounds", "|"},  {"\\euro", "|"},    {"\\$", "$"},           {"\\%", "%"},
      {"\\neq", " not "}, {"\\ne", " not "},
  };
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto* command =
        std::find_if(std::begin(kCommands), std::end(kCommands), [&](const Replacement& entry) {
          if (!rest.starts_with(entry.from)) return false;
          const bool is_word = is_ascii_letter(entry.from.back());
          return !is_word || rest.size() == entry.from.size() ||
                 !is_ascii_letter(rest[entry.from.size()]);
        });
    if (command != std::end(kCommands)) {
      plain += command->to;
      at += command->from.size();
    } else if (rest[0] == '\\') {
      std::size_t length = 1;
      while (length < rest.size() && is_ascii_letter(rest[length])) ++length;
      if (length == 1) plain += ' ';  // "\,", "\(", "\\"
      at += length == 1 ? std::min<std::size_t>(2, rest.size()) : length;
    } else {
      plain += rest[0] == '{' || rest[0] == '}' ? ' ' : rest[0];
      ++at;
    }
  }
  return plain;
}

/// Without the words behind the backquotes that open a block of code, and without struck text.
std::string without_fences(std::string_view text) {
  std::string plain;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool at_line_start = at == 0 || text[at - 1] == '\n';
    if (at_line_start && rest.starts_with("```")) {
      const std::size_t line_end = std::min(rest.find('\n'), rest.size());
      const bool is_fence =
          inside || rest.substr(3, line_end - 3).find('`') == std::string_view::npos;
      if (is_fence && (inside || line_end < rest.size())) {
        at += inside ? 3 : line_end;
        inside = !inside;
        continue;
      }
    }
    if (rest.starts_with("~~")) {
      const std::size_t close = rest.find("~~", 2);
      if (close != std::string_view::npos) {
        at += close + 2;
        continue;
      }
    }
    plain += rest[0];
    ++at;
  }
  return plain;
}

}  // namespace

char32_t code_point(std::string_view bytes) { return utf8_code_point(bytes); }

std::string with_ascii_signs(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    const std::string_view character = text.substr(at, length);
    const auto* sign = std::end(kSigns);
    if (length > 1) {
      const char32_t code = code_point(character);
      sign = std::find_if(std::begin(kSigns), std::end(kSigns), [&](const SignRange& range) {
        return code >= range.first && code <= range.last;
      });
    }
    plain += sign == std::end(kSigns) ? character : sign->ascii;
    at += length;
  }
  return plain;
}

std::string without_markup(std::string_view written) {
  const std::string text = without_latex(without_fences(written));
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '<') {
      const std::size_t end = end_of_tag(text, at);
      if (end > at) {
        at = end;
        continue;
      }
    }
    if (text[at] != '*' && text[at] != '`') {
      plain += text[at++];
      continue;
    }
    const std::size_t first = at;
    while (at < text.size() && text[at] == text[first]) ++at;
    // A star between blanks or digits is a product (two are a power), not emphasis.
    const char before = first > 0 ? text[first - 1] : '\n';
    const char after = at < text.size() ? text[at] : '\n';
    const bool is_product =
        (before == ' ' && after == ' ') || (is_ascii_digit(before) && is_ascii_digit(after));
    if (text[first] == '*' && is_product) plain += at - first == 1 ? '*' : '^';
  }
  return plain;
}

std::string lower_text(std::string_view text) {
  std::string lower;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    const std::string_view character = text.substr(at, length);
    at += length;
    if (length != 2) {
      const char c = character[0];
      lower += c >= 'A' && c <= 'Z' ? std::string(1, static_cast<char>(c - 'A' + 'a'))
                                    : std::string(character);
      continue;
    }
    char32_t code = code_point(character);
    const bool pairs = (code >= 0x100 && code <= 0x137) || (code >= 0x14A && code <= 0x177) ||
                       (code >= 0x460 && code <= 0x4BF);
    if ((code >= 0xC0 && code <= 0xDE && code != 0xD7) || (code >= 0x391 && code <= 0x3A9) ||
        (code >= 0x410 && code <= 0x42F)) {
      code += 32;
    } else if (code >= 0x400 && code <= 0x40F) {
      code += 80;
    } else if (code >= 0x388 && code <= 0x38A) {
      code += 37;
    } else if (code == 0x386) {
      code = 0x3AC;
    } else if (code == 0x38C) {
      code = 0x3CC;
    } else if (code == 0x38E || code == 0x38F) {
      code += 63;
    } else if (pairs) {
      code |= 1U;
    } else if ((code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E)) {
      code += code & 1U;
    }
    lower += static_cast<char>(0xC0U | (code >> 6));
    lower += static_cast<char>(0x80U | (code & 0x3FU));
  }
  return lower;
}

}  // namespace pleiad::eval
