#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "constrain/texts/dfa.h"

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

/// Which numbers are valid.
struct NumberForm {
  bool is_integer = false;  // written without a point
  std::optional<Bound> minimum;
  std::optional<Bound> maximum;
  std::optional<Step> step;
  bool exponents = true;  // where there is nothing else to compare
};

/// Digits that a double gives back as they were read.
inline constexpr int kMostExactDigits = 15;

/// The numbers of that form, without a "-0", and without an exponent where there are bounds or a
/// step. At most 18 digits stand before the point and 15 behind it, or as many as bounds need where
/// that is more (the least magnitude before the point); whole numbers of more than 19 have zeros
/// behind the 15th, so that readers who make doubles of them lose nothing. Together with those of a
/// step there are no more than a double holds, so that multiples are that as doubles too; so is
/// what is beyond an exclusive bound where it is one of exact_numbers() as well. It accepts nothing
/// where there is no such number; fails where the automaton grows too large.
Result<Dfa> number_dfa(const NumberForm& form);

/// Whole numbers of any length, and others of at most kMostExactDigits: what is said of their
/// digits is so of their doubles.
Dfa exact_numbers();

/// The same in one spelling each: whole ones without a point, others without zeros at their end.
Dfa distinct_numbers();

}  // namespace pleiad::constrain
