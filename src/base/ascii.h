#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace pleiad {

/// Letters of ASCII in upper or lower case; all other bytes as they are, whatever the locale.
inline std::string ascii_upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return result;
}
inline std::string ascii_lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return result;
}

/// Without what of `blanks` stands at either end.
inline std::string_view ascii_trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// So many hex digits in lower case.
inline bool is_hex(std::string_view text, std::size_t n) {
  return text.size() == n && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace pleiad
