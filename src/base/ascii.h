#pragma once

#include <algorithm>
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

}  // namespace pleiad
