#pragma once

#include <string_view>

#include "base/result.h"

namespace pleiad {

/// Seconds of a duration as Go writes it ("5m", "1h30m", "1.5s", "300ms", "-1m"), or
/// of a plain number. A Failure says what was expected and found.
Result<double> parse_duration(std::string_view text);

}  // namespace pleiad
