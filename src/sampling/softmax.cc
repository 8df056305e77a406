#include "sampling/softmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "sampling/pick_kernels.h"

namespace pleiad::sampling {
namespace {

#include "sampling/kernels/generic/exp.inl"

// For fewer values a processor that slows down where wide registers are used (Intel's do, for a
// millisecond) takes longer with them.
constexpr std::size_t kManyValues = 1024;

/// Of the instruction set that is the quickest for so many values. Their bits are the same.
Kernels kernels_for(std::size_t n_values) {
  return n_values < kManyValues ? baseline_kernels() : best_kernels();
}

}  // namespace

double exp_nonpositive(double x) {
  CHECK(x <= 0, "x {}", x);
  return exp_of(std::max(x, kSmallest));
}

float max_value(std::span<const float> values) {
  return kernels_for(values.size()).max_value(values.data(), values.size());
}

double exp_weights(std::span<const float> values, float max, double temperature,
                   std::span<double> weights) {
  CHECK(weights.size() == values.size(), "{} weights, {} values", weights.size(), values.size());
  return kernels_for(values.size())
      .exp_weights(values.data(), values.size(), max, temperature, weights.data());
}

double log_sum_exp(std::span<const float> values) {
  const float max = max_value(values);
  std::array<double, 1024> weights;
  double sum = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += weights.size()) {
    const std::size_t count = std::min(weights.size(), values.size() - begin);
    sum += exp_weights(values.subspan(begin, count), max, 1.0, std::span(weights).first(count));
  }
  return static_cast<double>(max) + std::log(sum);
}

}  // namespace pleiad::sampling
