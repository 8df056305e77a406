#pragma once

#include <string_view>

#include "base/json.h"

namespace pleiad::api {

/// What a body may contain.
inline constexpr JsonLimits kRequestLimits = {.depth = 64,
                                              .values = 2'000'000,
                                              .keys_per_object = 4096,
                                              .memory_bytes = 128'000'000,
                                              .key_comparisons = 50'000'000};

/// Parses a request's body. Throws RequestError: empty, not JSON, not UTF-8, not an object, beyond
/// the limits.
Json parse_request(std::string_view body, const JsonLimits& limits = kRequestLimits);

/// What was found, for a message: `"x"`, `7`, `a list of 3`, `null`.
std::string describe(const Json& value);

}  // namespace pleiad::api
