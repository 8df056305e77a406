#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/dtype.h"

namespace pleiad::synthetic {

/// Standard deviation of what nvfp4 blocks decode to before their tensor's own
/// scale; other deviations are made by that scale.
inline constexpr float kNvFp4Deviation = 3.0314F;

/// Makes random blocks of one type whose values are finite, centred on `mean`
/// (f32; 0 for the others) and of the given standard deviation. The bytes depend
/// on nothing but the arguments, so that any thread may make any part.
class RandomBlocks {
 public:
  RandomBlocks(DType type, float mean, float deviation);

  /// Fills `out`, whole blocks, with the bytes that belong to `key`. Different
  /// keys give unrelated bytes. Allocates nothing.
  void fill(std::uint64_t key, std::span<std::byte> out) const noexcept;

 private:
  using ScaleTable = std::array<std::uint16_t, 256>;

  DType type_;
  float mean_;
  float deviation_;
  ScaleTable scales_ = {};             // f16, by a random byte: 0.7 to 1.3 times the average
  ScaleTable minimum_scales_ = {};     // of q4_k and q5_k, beside scales_
  std::vector<std::uint16_t> values_;  // f16 and bf16, by twelve random bits
};

/// A number without visible relation to its inputs, for keys.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

}  // namespace pleiad::synthetic
