#pragma once

#include <cstddef>
#include <limits>

namespace pleiad {

/// What JSON may hold, so that N bytes of it are read in time and memory in proportion to N. The
/// reader stops at the first value beyond a limit. As they stand here they are for files.
struct JsonLimits {
  std::size_t depth = 64;                   // values are copied and printed by recursion
  std::size_t values = 4'000'000;           // lists and objects count as well
  std::size_t keys_per_object = 1'000'000;  // a repeated one counts each time
  std::size_t memory_bytes = 512'000'000;   // that the values take, as JsonBuilder estimates it
  /// That it takes to look every key of every object up, once: whoever does so later passes over
  /// the keys before it.
  std::size_t key_comparisons = std::numeric_limits<std::size_t>::max();
};

}  // namespace pleiad
