#pragma once

#include <fmt/format.h>

#include <string>

namespace pleiad::convert {

/// 1e-06 and not 9.99999997e-07.
inline double shortest(float value) { return std::stod(fmt::format("{}", value)); }

}  // namespace pleiad::convert
