#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "constrain/dfa.h"

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

/// Which numbers are valid.
struct NumberForm {
  bool is_integer = false;
  std::optional<Bound> minimum;
  std::optional<Bound> maximum;
  std::uint32_t multiple_of = 1;  // of an integer
  int fraction_digits = 15;       // at most
};

/// The numbers of that form, without a "-0", and without an exponent where there are bounds. At
/// most 18 digits stand before the point. Fails where there is none, or the
/// automaton grows too large.
Result<Dfa> number_dfa(const NumberForm& form);

}  // namespace pleiad::constrain
