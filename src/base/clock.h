#pragma once

#include <chrono>

namespace pleiad {

/// Seconds on a clock that never goes back; only differences mean something.
inline double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace pleiad
