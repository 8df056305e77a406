#pragma once

#include <optional>
#include <string_view>

namespace pleiad {

/// The byte that a text's first three characters stand for in a URL: 'A' of "%41..."; empty where
/// they are no '%' and two hex digits.
inline std::optional<char> percent_byte(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  if (text.size() < 3 || text[0] != '%' || digit(text[1]) < 0 || digit(text[2]) < 0) {
    return std::nullopt;
  }
  return static_cast<char>(digit(text[1]) << 4 | digit(text[2]));
}

}  // namespace pleiad
