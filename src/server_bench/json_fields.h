#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace pleiad::server_bench {

// Fields of what a server sends. Absent and null are the same; another type than the
// expected one, or a number that cannot be true, is an Error that names the field.

/// The object below `key`, or null.
const Json* find_object(const Json& object, const char* key);
/// Empty where there is none.
std::string find_text(const Json& object, const char* key);
/// From 0 to 10^12.
std::optional<std::int64_t> find_count(const Json& object, const char* key);
/// Not negative, below 10^9 once divided by `per_second`; in seconds.
std::optional<double> find_seconds(const Json& object, const char* key, double per_second);

}  // namespace pleiad::server_bench
