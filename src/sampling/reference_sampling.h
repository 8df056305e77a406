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

/// Which of the probabilities (their sum is 1) typical_p keeps, as llama.cpp's typical sampler
/// does: nearest to the entropy first, until they are more than typical_p. `order` has their
/// tokens.
inline std::vector<bool> typical(const std::vector<double>& probability,
                                 const std::vector<std::size_t>& order, double typical_p) {
  double entropy = 0;
  for (const double p : probability) entropy -= p > 0 ? p * std::log(p) : 0;
  std::vector<float> distance;
  for (const double p : probability) {
    distance.push_back(static_cast<float>(std::abs(-std::log(p) - entropy)));
  }
  std::vector<std::size_t> by_distance(probability.size());
  std::iota(by_distance.begin(), by_distance.end(), 0);
  std::sort(by_distance.begin(), by_distance.end(), [&](std::size_t left, std::size_t right) {
    return distance[left] != distance[right] ? distance[left] < distance[right]
                                             : order[left] < order[right];
  });
  std::vector<bool> kept(probability.size(), false);
  double sum = 0;
  for (std::size_t i = 0; i < by_distance.size() && sum <= typical_p; ++i) {
    kept[by_distance[i]] = true;
    sum += probability[by_distance[i]];
  }
  return kept;
}

/// [n] probabilities after temperature, top-k, typical-p, top-p and min-p; 0 where filtered.
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
  if (options.typical_p < 1) {
    const std::vector<bool> kept = typical(ranked, order, options.typical_p);
    std::size_t n_kept = 0;
    for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
      if (!kept[rank]) continue;
      order[n_kept] = order[rank];
      ranked[n_kept++] = ranked[rank];
    }
    order.resize(n_kept);
    ranked.resize(n_kept);
    normalise(ranked);
  }
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
