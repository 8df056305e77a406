#include "constrain/texts/number_formats.h"

#include <array>
#include <cstdint>
#include <limits>

namespace pleiad::constrain {
namespace {

struct NumberFormat {
  std::string_view name;
  NumberRange range;
};

template <typename Integer>
NumberRange range_of() {
  return {std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()};
}

const auto& number_formats() {
  static const std::array<NumberFormat, 15> kFormats = {{
      {"int8", range_of<std::int8_t>()},
      {"int16", range_of<std::int16_t>()},
      {"int32", range_of<std::int32_t>()},
      {"int64", range_of<std::int64_t>()},
      {"uint8", range_of<std::uint8_t>()},
      {"uint16", range_of<std::uint16_t>()},
      {"uint32", range_of<std::uint32_t>()},
      {"uint64", range_of<std::uint64_t>()},
      // Whole numbers that a double holds, all of them.
      {"double-int", {-9007199254740991, 9007199254740991}},
      // These say how a program holds the number.
      {"decimal", {}},
      {"double", {}},
      {"float", {}},
      {"int", {}},
      {"integer", {}},
      {"number", {}},
  }};
  return kFormats;
}

}  // namespace

std::optional<NumberRange> range_of_format(std::string_view format) {
  for (const NumberFormat& known : number_formats()) {
    if (known.name == format) return known.range;
  }
  return std::nullopt;
}

std::string known_number_formats() {
  std::string out;
  for (const NumberFormat& known : number_formats()) {
    if (!known.range.least.is_null()) (out += out.empty() ? "" : ", ") += known.name;
  }
  return out;
}

}  // namespace pleiad::constrain
