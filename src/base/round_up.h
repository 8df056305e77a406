#pragma once

#include <cstdint>

namespace pleiad {

/// n / by, rounded up; neither is negative, and by is not 0.
constexpr std::int64_t divided_up(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

/// n, rounded up to a multiple of unit.
constexpr std::int64_t rounded_up(std::int64_t n, std::int64_t unit) {
  return divided_up(n, unit) * unit;
}

}  // namespace pleiad
