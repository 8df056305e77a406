#pragma once

namespace pleiad {

/// Whether a sanitizer watches this test program. It sees an access, a lock or an overflow the
/// first time; what a test repeats to compare bits or to draw at random may then be shorter, but
/// meets every path.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// How often, or how many: the first, or the second under a sanitizer.
constexpr int unless_sanitized(int otherwise, int sanitized) {
  return kSanitized ? sanitized : otherwise;
}

}  // namespace pleiad
