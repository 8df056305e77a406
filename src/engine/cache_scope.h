#pragma once

#include <cstdint>

namespace pleiad {

/// Whose prompts find each other in the cache: those of one scope, and of no other. What
/// the numbers stand for is known to whoever submits requests.
enum class CacheScope : std::uint64_t { common = 0 };

}  // namespace pleiad
