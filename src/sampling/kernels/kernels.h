#pragma once

#include <cstddef>

namespace pleiad::sampling {

inline constexpr std::size_t kScanBlock = 64;

/// The loops over a vocabulary's logits, of one instruction set. All sets give the same bits:
/// sums are added up side by side in eight lanes everywhere, whatever the width of a register.
/// What they include has no code in it, so that nothing compiled for one set is called by another.
struct Kernels {
  const char* isa = "";
  /// The largest of [n] values; -infinity where there is none.
  float (*max_value)(const float* values, std::size_t n) = nullptr;
  /// How many of [n] values are no finite numbers.
  std::size_t (*count_non_finite)(const float* values, std::size_t n) = nullptr;
  /// The first place, `begin` or so many times kScanBlock behind it, where one of the next
  /// kScanBlock of [n] values is above the threshold; n where none is.
  std::size_t (*find_above)(const float* values, std::size_t begin, std::size_t n,
                            float threshold) = nullptr;
  /// weights[i] = exp((values[i] - max) / temperature), for [n] values; gives their sum.
  double (*exp_weights)(const float* values, std::size_t n, float max, double temperature,
                        double* weights) = nullptr;
};

Kernels baseline_kernels();
Kernels avx2_kernels();

}  // namespace pleiad::sampling
