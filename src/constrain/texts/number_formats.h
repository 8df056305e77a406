#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace pleiad::constrain {

/// From where to where numbers of a format go, both included; null: without bound.
struct NumberRange {
  Json least;
  Json most;
};

/// Of a "format" of numbers, as OpenAPI's registry has them. Nothing for one that is not known.
std::optional<NumberRange> range_of_format(std::string_view format);

/// The names that have bounds, for messages.
std::string known_number_formats();

}  // namespace pleiad::constrain
