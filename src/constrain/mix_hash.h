#pragma once

#include <cstdint>

namespace pleiad::constrain {

/// The hash of what `hash` stands for, followed by `part`: a multiplication by 2^64 over the golden
/// ratio, whose high bits are folded into the low ones.
constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

}  // namespace pleiad::constrain
