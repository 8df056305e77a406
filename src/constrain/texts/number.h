#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "constrain/texts/decimal.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// Which numbers are valid.
struct NumberForm {
  bool is_integer = false;  // written without a point
  std::optional<Bound> minimum = std::nullopt;
  std::optional<Bound> maximum = std::nullopt;
  std::optional<Step> step = std::nullopt;
  bool exponents = true;    // where there is nothing else to compare
  bool any_digits = false;  // however many: for what is not to be, or to see that there are any
};

/// Digits that a double gives back as they were read.
inline constexpr int kMostExactDigits = 15;

/// The numbers of that form, without a "-0", and without an exponent where there are bounds or a
/// step. Unless they have `any_digits`, at most 18 stand before the point and 15 behind it, or as
/// many as bounds need where that is more (the least magnitude before the point). Where all are
/// integers without a step, they go up to their bound where 64 bits hold that (-2^63 to 2^64 - 1),
/// or else to 2^63 - 1 in magnitude. Whole numbers of more digits than these have zeros behind the
/// 15th, so that readers who make doubles of them lose nothing.
/// Together with those of a step there are no more than a double holds, but where bounds need more
/// before the point, so that multiples are that as doubles too; so is what is beyond an exclusive
/// bound where it is one of exact_numbers() as well. It accepts nothing where there is no such
/// number; fails where the automaton grows too large.
Result<Dfa> number_dfa(const NumberForm& form);

/// Whole numbers of any length, and others of at most kMostExactDigits: what is said of their
/// digits is so of their doubles.
Dfa exact_numbers();

/// The same in one spelling each: whole ones without a point, others without zeros at their end.
Dfa distinct_numbers();

}  // namespace pleiad::constrain
