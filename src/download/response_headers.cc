#include "download/response_headers.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "base/ascii.h"
#include "http/ascii.h"

namespace pleiad::download {
namespace {

constexpr std::size_t kLongestTag = 1024;
constexpr std::size_t kLongestNumber = 18;  // digits, so that sums of two fit 63 bits

/// Takes what stands before `end` (all where that is not there) from the front of `text`; an `end`
/// within quotation marks is none.
std::string_view take_until(std::string_view& text, char end) {
  bool quoted = false;
  std::size_t at = 0;
  while (at < text.size() && (quoted || text[at] != end)) quoted ^= text[at++] == '"';
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

}  // namespace

std::optional<std::uint64_t> parse_content_length(std::string_view value) {
  value = http::trimmed(value);
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  if (value.empty() || value.size() > kLongestNumber) return std::nullopt;
  const auto [last, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || last != end) return std::nullopt;
  return number;
}

std::optional<ContentRange> parse_content_range(std::string_view value) {
  value = http::trimmed(value);
  constexpr std::string_view kUnit = "bytes";
  if (ascii_lower(value.substr(0, kUnit.size())) != kUnit) return std::nullopt;
  value.remove_prefix(kUnit.size());
  if (value.empty() || (value.front() != ' ' && value.front() != '\t')) return std::nullopt;
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view size = http::trimmed(value.substr(slash + 1));
  std::string_view range = http::trimmed(value.substr(0, slash));

  ContentRange result;
  if (size != "*") {
    result.size = parse_content_length(size);
    if (!result.size) return std::nullopt;
  }
  if (range == "*") return result.size ? std::optional(result) : std::nullopt;
  const bool has_dash = range.find('-') != std::string_view::npos;
  result.first = parse_content_length(take_until(range, '-'));
  result.last = parse_content_length(range);
  if (!has_dash || !result.first || !result.last || *result.first > *result.last) {
    return std::nullopt;
  }
  if (result.size && *result.last >= *result.size) return std::nullopt;
  return result;
}

std::optional<double> parse_retry_after(std::string_view value, double now) {
  value = http::trimmed(value);
  if (const auto seconds = parse_content_length(value)) return static_cast<double>(*seconds);
  if (value.empty() || value.find('\0') != std::string_view::npos) return std::nullopt;
  const std::time_t date = curl_getdate(std::string(value).c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return std::max(0.0, static_cast<double>(date) - now);
}

std::string EntityTag::text() const { return (weak ? "W/\"" : "\"") + opaque + "\""; }

std::optional<EntityTag> parse_entity_tag(std::string_view value) {
  value = http::trimmed(value);
  EntityTag tag;
  if (value.starts_with("W/")) {
    tag.weak = true;
    value.remove_prefix(2);
  }
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  const auto may_stand = [](char c) {
    return c != '"' && static_cast<unsigned char>(c) > 0x20 && c != '\x7f';
  };
  if (value.empty() || value.size() > kLongestTag || !std::ranges::all_of(value, may_stand)) {
    return std::nullopt;
  }
  tag.opaque = value;
  return tag;
}

std::string parse_link(std::string_view value, std::string_view relation) {
  // <URL>; rel="next"; title="a, b", <URL>; rel=last
  while (!value.empty()) {
    const std::size_t open = value.find('<');
    if (open == std::string_view::npos) return {};
    value.remove_prefix(open + 1);
    const std::size_t close = value.find('>');
    if (close == std::string_view::npos) return {};
    const std::string_view target = http::trimmed(value.substr(0, close));
    value.remove_prefix(close + 1);

    std::string_view parameters = take_until(value, ',');
    while (!parameters.empty()) {
      std::string_view parameter = take_until(parameters, ';');
      const std::string name = ascii_lower(http::trimmed(take_until(parameter, '=')));
      std::string_view words = http::trimmed(parameter);
      if (words.size() >= 2 && words.front() == '"' && words.back() == '"') {
        words = words.substr(1, words.size() - 2);
      }
      if (name != "rel") continue;
      while (!words.empty()) {
        if (ascii_lower(take_until(words, ' ')) == ascii_lower(relation))
          return std::string(target);
      }
    }
  }
  return {};
}

}  // namespace pleiad::download
