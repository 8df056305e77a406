#include "http/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "http/ascii.h"

namespace pleiad::http {
namespace {

constexpr std::size_t kLongestTarget = 8192;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = lower(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool is_clean_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text.front());
    if (length == 0 || lead < 0x20 || lead == 0x7F) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// Empty where an escape is not one, or stands for what no address holds.
std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      result += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return result;
}

/// "/a//b/" -> "/a/b"; of what was written with escapes nothing changes.
std::string with_single_slashes(std::string_view path) {
  std::string result;
  result.reserve(path.size());
  for (const char c : path) {
    if (c != '/' || !result.ends_with('/')) result += c;
  }
  if (result.size() > 1 && result.ends_with('/')) result.pop_back();
  return result;
}

bool climbs(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    if (segment == "." || segment == "..") return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

std::optional<Refusal> parse_query(std::string_view text, Target& target) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decode(pair.substr(0, equals), true);
    const auto value = decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return Refusal{400, "the query has a % without two hexadecimal digits"};
    // Newlines and tabs are fine in a value, NUL is not.
    if (!is_clean_text(*name) || value->find('\0') != std::string::npos) {
      return Refusal{400, "the query has control characters or is not UTF-8"};
    }
    for (std::string_view rest = *value; !rest.empty(); rest.remove_prefix(utf8_length(rest))) {
      if (utf8_length(rest) == 0) return Refusal{400, "the query is not UTF-8"};
    }
    target.query[*name] = *value;
  }
  return std::nullopt;
}

/// Takes "http://host" off the front.
std::optional<Refusal> take_authority(std::string_view& rest, Target& target) {
  const std::size_t colon = rest.find("://");
  const std::string_view scheme = rest.substr(0, std::min(colon, rest.size()));
  if (colon == std::string_view::npos ||
      (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https"))) {
    return Refusal{400, "the request's target must begin with \"/\" or \"http://\""};
  }
  rest.remove_prefix(colon + 3);
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  target.authority = rest.substr(0, end);
  rest.remove_prefix(end);
  if (target.authority.empty()) return Refusal{400, "the request's target names no host"};
  return std::nullopt;
}

}  // namespace

std::variant<Target, Refusal> parse_target(std::string_view text) {
  if (text.size() > kLongestTarget) {
    return Refusal{414, fmt::format("the request's target has {} bytes; at most {} are read",
                                    text.size(), kLongestTarget)};
  }
  Target target;
  if (text == "*") {
    target.path = "*";
    return target;
  }
  if (text.find('#') != std::string_view::npos) {
    return Refusal{400, "the request's target must not hold a \"#\""};
  }
  if (text.empty() || text.front() != '/') {
    if (auto refusal = take_authority(text, target)) return *refusal;
  }
  const std::size_t question = std::min(text.find('?'), text.size());
  auto path = decode(with_single_slashes(text.substr(0, question)), false);
  if (!path) return Refusal{400, "the path has a % without two hexadecimal digits"};
  target.path = path->empty() ? "/" : std::move(*path);
  if (!is_clean_text(target.path)) {
    return Refusal{400, "the path has control characters or is not UTF-8"};
  }
  if (climbs(target.path)) return Refusal{400, "the path must not hold \".\" or \"..\""};
  if (auto refusal = parse_query(text.substr(std::min(question + 1, text.size())), target)) {
    return *refusal;
  }
  return target;
}

}  // namespace pleiad::http
