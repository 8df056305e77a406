#include "api/common/keep_alive.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace pleiad::api {
namespace {

constexpr std::string_view kExpected =
    "seconds, or a duration such as \"5m\" or \"1h30m\" (negative: for ever)";

/// Takes a number without a sign from the front.
std::optional<double> take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() &&
         ((text[length] >= '0' && text[length] <= '9') || text[length] == '.')) {
    ++length;
  }
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + length, number, std::chars_format::fixed);
  if (length == 0 || error != std::errc() || end != text.data() + length) return std::nullopt;
  text.remove_prefix(length);
  return number;
}

/// Takes a unit from the front: its seconds.
std::optional<double> take_unit(std::string_view& text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1e-9}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"\u03bcs", 1e-6},
      {"ms", 1e-3}, {"s", 1},     {"m", 60},         {"h", 3600}};
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.starts_with(unit)) continue;
    text.remove_prefix(unit.size());
    return seconds;
  }
  return std::nullopt;
}

serving::KeepAlive from_seconds(double seconds) {
  return {seconds < 0 ? std::numeric_limits<double>::infinity() : seconds};
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
  double sign = 1;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    if (text[0] == '-') sign = -1;
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  double total = 0;
  for (bool first = true; !text.empty(); first = false) {
    const std::optional<double> number = take_number(text);
    if (!number) return std::nullopt;
    if (first && text.empty()) return sign * *number;  // no unit
    const std::optional<double> unit = take_unit(text);
    if (!unit) return std::nullopt;
    total += *number * *unit;
  }
  return sign * total;
}

std::optional<serving::KeepAlive> read_keep_alive(FieldReader& request, std::string_view key) {
  const Json* value = request.value(key);
  if (!value) return std::nullopt;
  std::optional<double> seconds;
  if (value->is_number()) seconds = value->get<double>();
  if (value->is_string()) seconds = parse_duration(value->get_ref<const std::string&>());
  if (!seconds || std::isnan(*seconds)) request.refuse(key, kExpected);
  return from_seconds(*seconds);
}

}  // namespace pleiad::api
