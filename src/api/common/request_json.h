#pragma once

#include <cstddef>
#include <string_view>

#include "base/json.h"

namespace pleiad::api {

/// What a body may contain, so that reading it stays cheap: a value takes many
/// times the memory of its text, and looking a key up passes over those before it.
struct JsonLimits {
  int depth = 64;
  std::size_t values = 2'000'000;
  std::size_t keys_per_object = 4096;
  std::size_t key_comparisons = 50'000'000;  // over the whole body
};

/// Parses a request's body. Throws RequestError: empty, not JSON, not UTF-8, not
/// an object, beyond the limits.
Json parse_request(std::string_view body, const JsonLimits& limits = {});

/// What was found, for a message: `"x"`, `7`, `a list of 3`, `null`.
std::string describe(const Json& value);

}  // namespace pleiad::api
