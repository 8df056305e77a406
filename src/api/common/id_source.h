#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

namespace pleiad::api {

/// Makes names for answers, "chatcmpl-k3v0q9x2...". Threads may share one.
class IdSource {
 public:
  /// Equal seeds give equal names.
  explicit IdSource(std::uint64_t seed = std::random_device{}()) : random_(seed) {}

  /// `prefix` and then so many of [a-z0-9].
  std::string make(std::string_view prefix, int length = 24);

 private:
  std::mutex mutex_;
  std::mt19937_64 random_;
};

}  // namespace pleiad::api
