#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/json.h"

namespace pleiad::constrain {

/// As JSON Schema has it: numbers by what they are, and objects whatever the order of their names.
/// Values are nested no deeper than what is parsed from requests.
bool same_value(const Json& left, const Json& right);

/// The same for the same values, whatever the order of their names.
std::uint64_t hash_of_value(const Json& value);

/// Of two numbers; of anything else, unordered. Whole ones of 64 bits exactly, whether or not one
/// of them is below 0; beside a fraction or an exponent as doubles.
std::partial_ordering compare_numbers(const Json& left, const Json& right);

/// The values in one, itself among them; a long text counts for several.
std::size_t n_values(const Json& value);

}  // namespace pleiad::constrain
