#pragma once

#include <fmt/format.h>

#include <string_view>

namespace pleiad::internal {
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& details);
}  // namespace pleiad::internal

/// CHECK(condition) or CHECK(condition, "rows {} cols {}", rows, cols): always
/// on, for our own mistakes only. Throws InternalError. Input from outside is
/// never a reason for a CHECK; that is what Error is for.
#define CHECK(condition, ...)                                          \
  do {                                                                 \
    if (!(condition)) [[unlikely]] {                                   \
      ::pleiad::internal::check_failed(__FILE__, __LINE__, #condition, \
                                       ::fmt::format("" __VA_ARGS__)); \
    }                                                                  \
  } while (false)
