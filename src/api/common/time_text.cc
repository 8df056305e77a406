#include "api/common/time_text.h"

#include <fmt/format.h>

namespace pleiad::api {

std::string rfc3339(WallTime time) {
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  const auto whole = std::chrono::floor<seconds>(time);
  const std::time_t count = whole.time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&count, &parts);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  const auto rest = std::chrono::duration_cast<nanoseconds>(time - whole).count();
  if (rest != 0) {
    text += fmt::format(".{:09}", rest);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + "Z";
}

std::string rfc3339(std::time_t seconds) {
  return rfc3339(std::chrono::system_clock::from_time_t(seconds));
}

std::int64_t unix_seconds(WallTime time) { return std::chrono::system_clock::to_time_t(time); }

std::int64_t nanoseconds(double seconds) {
  constexpr double kMost = 9e9;  // 285 years; also false for NaN
  return seconds > 0 && seconds < kMost ? static_cast<std::int64_t>(seconds * 1e9) : 0;
}

}  // namespace pleiad::api
