// Included within an unnamed namespace by the source of each instruction set.

#include "sampling/kernels/generic/exp.inl"

constexpr std::size_t kLanes = 8;
constexpr float kNothing = -__builtin_inff();
constexpr float kLargest = __FLT_MAX__;
constexpr std::size_t kCountBlock = 4096;
// What a constraint rules out is kNothing, and mostly nearly all of a vocabulary: where so many
// are that one after the other, their weights of 0 are written without working them out.
constexpr std::size_t kWeightBlock = 64;

float max_value(const float* values, std::size_t n) {
  constexpr std::size_t kMaxLanes = 2 * kLanes;
  float lanes[kMaxLanes];
  for (float& lane : lanes) lane = kNothing;
  const std::size_t whole = n / kMaxLanes * kMaxLanes;
  for (std::size_t base = 0; base < whole; base += kMaxLanes) {
    for (std::size_t lane = 0; lane < kMaxLanes; ++lane) {
      const float value = values[base + lane];
      lanes[lane] = value > lanes[lane] ? value : lanes[lane];
    }
  }
  float max = kNothing;
  for (const float lane : lanes) max = lane > max ? lane : max;
  for (std::size_t i = whole; i < n; ++i) max = values[i] > max ? values[i] : max;
  return max;
}

std::size_t count_non_finite(const float* values, std::size_t n) {
  // Counted in small portions, so that the counters are as wide as the values.
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < n; begin += kCountBlock) {
    const std::size_t end = begin + kCountBlock < n ? begin + kCountBlock : n;
    std::int32_t n_bad = 0;
    for (std::size_t i = begin; i < end; ++i) {
      n_bad += __builtin_fabsf(values[i]) <= kLargest ? 0 : 1;
    }
    count += static_cast<std::size_t>(n_bad);
  }
  return count;
}

std::size_t find_above(const float* values, std::size_t begin, std::size_t n, float threshold) {
  for (; begin < n; begin += kScanBlock) {
    const std::size_t end = begin + kScanBlock < n ? begin + kScanBlock : n;
    std::int32_t n_above = 0;
    for (std::size_t i = begin; i < end; ++i) n_above += values[i] > threshold ? 1 : 0;
    if (n_above != 0) return begin;
  }
  return n;
}

/// Eight sums side by side, then these: wide enough for any vector unit, and the
/// same order everywhere.
double sum_in_lanes(const double* values, std::size_t n) {
  double lanes[kLanes] = {};
  const std::size_t whole = n / kLanes * kLanes;
  for (std::size_t base = 0; base < whole; base += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[base + lane];
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  for (std::size_t i = whole; i < n; ++i) sum += values[i];
  return sum;
}

double exp_weights(const float* values, std::size_t n, float max, double temperature,
                   double* weights) {
  // Divided, not multiplied by 1 / temperature: that may be infinite, and 0 times
  // infinity is not a number.
  const double lowest = kSmallest * temperature;
  for (std::size_t begin = 0; begin < n; begin += kWeightBlock) {
    const std::size_t end = begin + kWeightBlock < n ? begin + kWeightBlock : n;
    if (max_value(values + begin, end - begin) == kNothing) {
      for (std::size_t i = begin; i < end; ++i) weights[i] = 0;
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const double below_max = static_cast<double>(values[i]) - static_cast<double>(max);
      weights[i] = exp_of((below_max > lowest ? below_max : lowest) / temperature);
    }
  }
  return sum_in_lanes(weights, n);
}

Kernels table(const char* isa) {
  return {.isa = isa,
          .max_value = max_value,
          .count_non_finite = count_non_finite,
          .find_above = find_above,
          .exp_weights = exp_weights};
}
