#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleiad::download {

/// "bytes 0-499/1234", "bytes 0-499/*", "bytes */1234" (of an answer 416).
struct ContentRange {
  std::optional<std::uint64_t> first, last;  // both or none; last is included
  std::optional<std::uint64_t> size;         // of the whole file
};
/// Empty for anything else, and where the numbers contradict each other or do not fit 63 bits.
std::optional<ContentRange> parse_content_range(std::string_view value);

/// Digits alone; at most 63 bits.
std::optional<std::uint64_t> parse_content_length(std::string_view value);

/// Seconds from `now` (Unix time), of a number or an HTTP date; never negative.
std::optional<double> parse_retry_after(std::string_view value, double now);

/// "\"abc\"", "W/\"abc\"".
struct EntityTag {
  bool weak = false;
  std::string opaque;  // without its quotation marks

  bool operator==(const EntityTag&) const = default;
  /// As it stands in a header.
  std::string text() const;
};
/// Quotation marks may lack, as some hosts leave them out. Empty for what is no tag: nothing,
/// control characters, quotation marks within it, more than 1 KiB.
std::optional<EntityTag> parse_entity_tag(std::string_view value);

/// Where Link leads by that relation ("next"); empty: nowhere.
std::string parse_link(std::string_view value, std::string_view relation);

}  // namespace pleiad::download
