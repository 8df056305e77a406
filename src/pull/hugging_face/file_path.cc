#include "pull/hugging_face/file_path.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/utf8.h"

namespace pleiad::pull::hugging_face {
namespace {

constexpr std::size_t kLongestPath = 1024;
constexpr std::size_t kLongestPart = 255;
constexpr int kMostParts = 16;

/// C0, DEL and C1.
bool is_control(char32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

std::string character_problem(std::string_view path) {
  while (!path.empty()) {
    const std::size_t length = utf8_length(path);
    if (length == 0) return "is not UTF-8";
    if (is_control(utf8_code_point(path))) return "has a control character";
    if (path[0] == '\\') return "has a backslash";
    path.remove_prefix(length);
  }
  return {};
}

}  // namespace

std::string path_problem(std::string_view path) {
  if (path.size() > kLongestPath) {
    return fmt::format("has {} bytes, {} at most", path.size(), kLongestPath);
  }
  std::string problem = character_problem(path);
  if (!problem.empty()) return problem;
  std::string_view rest = path;
  for (int part = 1; part <= kMostParts; ++part) {
    const std::size_t end = rest.find('/');
    const std::string_view name = rest.substr(0, end);
    if (name.empty()) return path.empty() ? "is empty" : "has an empty part";
    if (name == "." || name == "..") return fmt::format("has the part '{}'", name);
    if (name.size() > kLongestPart) {
      return fmt::format("has a part of {} bytes, {} at most", name.size(), kLongestPart);
    }
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  return fmt::format("has more than {} parts", kMostParts);
}

}  // namespace pleiad::pull::hugging_face
