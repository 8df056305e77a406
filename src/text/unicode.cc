#include "text/unicode.h"

#include <cstdint>

#include "base/utf8.h"

namespace pleiad::text {
namespace {

/// Length of the last character of `text`, which is not empty.
std::size_t last_length(std::string_view text) {
  for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (utf8_length(text.substr(text.size() - length)) == length) return length;
  }
  return 1;
}

char32_t lower_letter(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;
  if (c >= 0x391 && c <= 0x3AB && c != 0x3A2) return c + 32;
  if (c >= 0x410 && c <= 0x42F) return c + 32;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  return c;
}

char32_t upper_letter(char32_t c) {
  if (c >= 'a' && c <= 'z') return c - 32;
  if (c >= 0xE0 && c <= 0xFE && c != 0xF7) return c - 32;
  if (c == 0x3C2) return 0x3A3;  // final sigma
  if (c >= 0x3B1 && c <= 0x3CB) return c - 32;
  if (c >= 0x430 && c <= 0x44F) return c - 32;
  if (c >= 0x450 && c <= 0x45F) return c - 80;
  return c;
}

std::string with_each(std::string_view text, char32_t (*change)(char32_t)) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += text[0];
    } else {
      append_utf8(out, change(first_character(text)));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace

char32_t first_character(std::string_view text) { return utf8_code_point(text); }

char32_t last_character(std::string_view text) {
  return first_character(text.substr(text.size() - last_length(text)));
}

void append_utf8(std::string& out, char32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    (out += static_cast<char>(0xC0 | c >> 6)) += tail(0);
  } else if (c < 0x10000) {
    ((out += static_cast<char>(0xE0 | c >> 12)) += tail(6)) += tail(0);
  } else {
    (((out += static_cast<char>(0xF0 | c >> 18)) += tail(12)) += tail(6)) += tail(0);
  }
}

bool is_space(char32_t c) {
  if (c <= 0x20) return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20);
  if (c < 0x1680) return c == 0x85 || c == 0xA0;
  return c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

std::string_view strip_left(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || !is_space(first_character(text))) break;
    text.remove_prefix(length);
  }
  return text;
}

std::string_view strip_right(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = last_length(text);
    const std::string_view last = text.substr(text.size() - length);
    if (utf8_length(last) == 0 || !is_space(first_character(last))) break;
    text.remove_suffix(length);
  }
  return text;
}

std::string_view strip(std::string_view text) { return strip_left(strip_right(text)); }

std::string lower(std::string_view text) { return with_each(text, lower_letter); }
std::string upper(std::string_view text) { return with_each(text, upper_letter); }

}  // namespace pleiad::text
