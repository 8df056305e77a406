#include "sampling/softmax.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/check.h"

namespace pleiad::sampling {
namespace {

constexpr std::size_t kLanes = 8;
constexpr double kSmallest = -1400;  // its exponential is surely 0
constexpr float kNothing = -std::numeric_limits<float>::infinity();
// What a constraint rules out is kNothing, and mostly nearly all of a vocabulary: where so many
// are that one after the other, their weights of 0 are written without working them out.
constexpr std::size_t kWeightBlock = 64;

/// exp(x) as the square of exp(x / 2) = 2^n exp(r), n the integer nearest to
/// x / 2 / ln 2, |r| <= ln 2 / 2. The half keeps 2^n a normal number and the square
/// underflows by itself, so that nothing branches and a loop becomes vector code.
/// For x from kSmallest to 0.
inline double exp_of(double x) {
  constexpr double kRound = 0x1.8p52;                // adding it rounds to an integer
  constexpr double kLog2E = 1.4426950408889634;      // 1 / ln 2
  constexpr double kLn2High = 0x1.62e42fefa3800p-1;  // few bits: n times it is exact
  constexpr double kLn2Low = 0x1.ef35793c76730p-45;

  const double half = 0.5 * x;
  const double rounded = half * kLog2E + kRound;
  const double n = rounded - kRound;
  const double r = (half - n * kLn2High) - n * kLn2Low;
  double series = 1.0 / 479001600;  // 1/12!, the terms of exp's series from the last
  series = series * r + 1.0 / 39916800;
  series = series * r + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 0.5;
  series = series * r + 1.0;
  series = series * r + 1.0;
  // The low bits of `rounded` hold n; moved up they add to the exponent.
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(rounded) << 52;
  const double root = std::bit_cast<double>(std::bit_cast<std::uint64_t>(series) + exponent);
  return root * root;
}

/// Eight sums side by side, then these: wide enough for any vector unit, and the
/// same order everywhere.
double sum_in_lanes(std::span<const double> values) {
  std::array<double, kLanes> lanes{};
  const std::size_t whole = values.size() / kLanes * kLanes;
  for (std::size_t base = 0; base < whole; base += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[base + lane];
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  for (const double value : values.subspan(whole)) sum += value;
  return sum;
}

}  // namespace

double exp_nonpositive(double x) {
  CHECK(x <= 0, "x {}", x);
  return exp_of(std::max(x, kSmallest));
}

float max_value(std::span<const float> values) {
  std::array<float, 2 * kLanes> lanes;
  lanes.fill(kNothing);
  const std::size_t whole = values.size() / lanes.size() * lanes.size();
  for (std::size_t base = 0; base < whole; base += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const float value = values[base + lane];
      lanes[lane] = value > lanes[lane] ? value : lanes[lane];
    }
  }
  float max = kNothing;
  for (const float value : lanes) max = std::max(max, value);
  for (const float value : values.subspan(whole)) max = std::max(max, value);
  return max;
}

double exp_weights(std::span<const float> values, float max, double temperature,
                   std::span<double> weights) {
  CHECK(weights.size() == values.size(), "{} weights, {} values", weights.size(), values.size());
  // Divided, not multiplied by 1 / temperature: that may be infinite, and 0 times
  // infinity is not a number.
  const double lowest = kSmallest * temperature;
  for (std::size_t begin = 0; begin < values.size(); begin += kWeightBlock) {
    const std::size_t end = std::min(begin + kWeightBlock, values.size());
    if (max_value(values.subspan(begin, end - begin)) == kNothing) {
      std::ranges::fill(weights.subspan(begin, end - begin), 0.0);
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const double below_max = static_cast<double>(values[i]) - static_cast<double>(max);
      weights[i] = exp_of((below_max > lowest ? below_max : lowest) / temperature);
    }
  }
  return sum_in_lanes(weights);
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
