#pragma once

#include <cstddef>

#include "base/json.h"

namespace pleiad::constrain {

/// As JSON Schema has it: numbers by what they are, and objects whatever the order of their names.
/// Values are nested no deeper than what is parsed from requests.
bool same_value(const Json& left, const Json& right);

/// The values in one, itself among them; a long text counts for several.
std::size_t n_values(const Json& value);

}  // namespace pleiad::constrain
