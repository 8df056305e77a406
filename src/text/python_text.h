#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace pleiad::text {

// JSON values as the official chat templates print them. The templates run in
// Python, so what they do not format themselves looks like Python.

/// str(value): text as it is, 1.0, 1e+20, True, None, ['a', 1], {'k': None}.
/// Integers are exact within 64 bits; the JSON reader keeps no larger ones.
std::string python_str(const Json& value);

/// bool(value): false for None, False, 0 and what is empty. `nullptr` is an
/// undefined value.
bool python_truth(const Json* value);

/// value[key] of an object; nullptr where there is nothing.
const Json* find_field(const Json& value, std::string_view key);

/// The entries of an object sorted by key, upper and lower case alike; equal
/// keys stay in their order.
std::vector<std::pair<std::string_view, const Json*>> sorted_entries(const Json& object);

/// What a loop over the value visits: elements, keys or characters. False when
/// it cannot be looped over.
bool python_iterate(const Json& value, std::vector<Json>& out);

}  // namespace pleiad::text
