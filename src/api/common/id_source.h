#pragma once

#include <string>
#include <string_view>

namespace pleiad::api {

/// Makes names for answers, "chatcmpl-k3v0q9x2...", of the system's random bytes. Whoever
/// has not been given a name cannot guess it. Threads may share one.
class IdSource {
 public:
  /// `prefix` and then so many of [a-z0-9]: 26 of them are 134 bits. Throws Error where the
  /// system has no random bytes.
  std::string make(std::string_view prefix, int length = 26) const;
};

}  // namespace pleiad::api
