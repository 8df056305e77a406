#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "sampling/options.h"
#include "sampling/random.h"

// The filters as their definitions read, sorting everything, for the tests.
namespace pleiad::sampling::reference {

/// [n] probabilities after temperature, top-k, top-p and min-p; 0 where filtered.
inline std::vector<double> probabilities(std::span<const float> scores,
                                         const SamplingOptions& options) {
  const std::size_t n = scores.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return scores[left] > scores[right];
  });
  if (options.top_k > 0) order.resize(std::min(n, static_cast<std::size_t>(options.top_k)));
  const auto normalise = [&](std::vector<double>& values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    for (double& value : values) value /= sum;
  };
  std::vector<double> ranked;
  for (const std::size_t token : order) {
    ranked.push_back(
        std::exp((static_cast<double>(scores[token]) - scores[order[0]]) / options.temperature));
  }
  normalise(ranked);
  if (options.top_p < 1) {
    double sum = 0;
    std::size_t n_kept = 0;
    while (n_kept < ranked.size() && sum < options.top_p) sum += ranked[n_kept++];
    ranked.resize(n_kept);
    normalise(ranked);
  }
  while (ranked.back() < options.min_p * ranked.front()) ranked.pop_back();
  normalise(ranked);
  std::vector<double> result(n, 0.0);
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) result[order[rank]] = ranked[rank];
  return result;
}

inline std::int32_t pick(std::span<const double> probability, double uniform) {
  double sum = 0;
  std::int32_t last = 0;
  for (std::size_t token = 0; token < probability.size(); ++token) {
    if (probability[token] == 0) continue;
    last = static_cast<std::int32_t>(token);
    sum += probability[token];
    if (uniform < sum) break;
  }
  return last;
}

/// Roughly normal logits, as a language model's: most near 0, few far above.
inline std::vector<float> normal_logits(std::size_t n, double deviation, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> logits(n);
  for (float& logit : logits) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    logit = static_cast<float>(deviation * sum);
  }
  return logits;
}

}  // namespace pleiad::sampling::reference
