#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace pleiad::constrain {

/// A number that bounds others, its digits as JSON writes them.
struct Bound {
  bool negative = false;
  std::string whole;     // without leading zeros, but "0"
  std::string fraction;  // without trailing zeros
  bool exclusive = false;

  static std::optional<Bound> from(const Json& number, bool exclusive);
  bool is_zero() const { return whole == "0" && fraction.empty(); }
};

/// What numbers are multiples of: `units` / 10^`digits`.
struct Step {
  std::uint32_t units = 1;
  int digits = 0;

  /// Nothing where it is not positive, or has too many digits.
  static std::optional<Step> from(const Json& number);
  /// Whether a number is a multiple of it.
  bool divides(const Bound& number) const;

  bool operator==(const Step&) const = default;
};
/// The least number that is a multiple of both. Nothing where it has too many digits.
std::optional<Step> common_multiple(const Step& one, const Step& other);

}  // namespace pleiad::constrain
