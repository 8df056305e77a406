#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pleiad::gemma4 {

/// LayerNorm with the epsilon that the reference's class has by default. Sums are in double
/// precision, so that patches of one colour, whose deviation is all rounding, come out as the
/// reference's do.
struct LayerNorm {
  std::vector<float> weight;  // [dim]
  std::vector<float> bias;    // [dim]

  /// Each row of [n, dim], in place.
  void apply(std::span<float> rows) const;
};

}  // namespace pleiad::gemma4
