#include "base/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "base/text_format.h"

namespace pleiad {
namespace {

constexpr auto kUnits = std::to_array<std::pair<std::string_view, double>>({
    {"ns", 1e-9},
    {"us", 1e-6},
    {"µs", 1e-6},
    {"ms", 1e-3},
    {"s", 1},
    {"m", 60},
    {"h", 3600},
});

/// Takes the unit that `rest` begins with, the longest one; 0: none.
double take_unit(std::string_view& rest) {
  std::string_view best;
  double seconds = 0;
  for (const auto& [unit, value] : kUnits) {
    if (rest.starts_with(unit) && unit.size() > best.size()) {
      best = unit;
      seconds = value;
    }
  }
  rest.remove_prefix(best.size());
  return seconds;
}

}  // namespace

Result<double> parse_duration(std::string_view text) {
  const Failure bad{fmt::format(
      "expected a duration such as 5m, 1h30m or a number of seconds, found '{}'", printable(text))};
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty()) return bad;
  double seconds = 0;
  bool first = true;
  while (!rest.empty()) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (error != std::errc() || rest.front() == '-' || !std::isfinite(number)) return bad;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (first && rest.empty()) {
      seconds = number;
      break;
    }
    const double unit = take_unit(rest);
    if (unit == 0) return bad;
    seconds += number * unit;
    first = false;
  }
  return negative ? -seconds : seconds;
}

}  // namespace pleiad
