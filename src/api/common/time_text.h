#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

namespace pleiad::api {

using WallTime = std::chrono::system_clock::time_point;

/// "2026-11-21T10:44:18.123456789Z"; a fraction's trailing zeros are left out.
std::string rfc3339(WallTime time);
std::string rfc3339(std::time_t seconds);

std::int64_t unix_seconds(WallTime time);

/// For the durations of Ollama's API; 0 for what is not finite or negative.
std::int64_t nanoseconds(double seconds);

}  // namespace pleiad::api
