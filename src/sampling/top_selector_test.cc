#include "sampling/top_selector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sampling/reference_sampling.h"

namespace pleiad::sampling {
namespace {

std::vector<ScoredToken> sorted_best(std::span<const float> scores, std::size_t n_best) {
  std::vector<ScoredToken> all;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    all.push_back({static_cast<std::int32_t>(i), scores[i]});
  }
  std::sort(all.begin(), all.end(), ranks_before);
  all.resize(std::min(n_best, all.size()));
  return all;
}

void expect_best(TopSelector& selector, std::span<const float> scores) {
  for (const std::size_t n_best : {0, 1, 2, 20, 63, 64, 65, 300, 1000, 5000}) {
    const std::span<ScoredToken> found = selector.select(scores, n_best);
    std::vector<ScoredToken> best(found.begin(), found.end());
    std::sort(best.begin(), best.end(), ranks_before);
    EXPECT_EQ(best, sorted_best(scores, n_best)) << scores.size() << " scores, best " << n_best;
  }
}

TEST(TopSelector, FindsTheBestAtOddSizes) {
  TopSelector selector;
  for (const std::size_t size : {1, 63, 64, 65, 777, 4001}) {
    expect_best(selector, reference::normal_logits(size, 3.0, size));
  }
}

TEST(TopSelector, PrefersTheLowerIdAmongEqualScores) {
  TopSelector selector;
  expect_best(selector, std::vector<float>(3000, -2.5F));
  std::vector<float> steps = reference::normal_logits(3000, 3.0, 1);
  for (float& score : steps) score = std::round(score);
  expect_best(selector, steps);
  std::vector<float> zeros(1000, 0.0F);
  for (std::size_t i = 0; i < zeros.size(); i += 2) zeros[i] = -0.0F;
  expect_best(selector, zeros);
}

TEST(TopSelector, FindsTheBestOfSortedScores) {
  TopSelector selector;
  std::vector<float> scores = reference::normal_logits(3000, 3.0, 2);
  std::sort(scores.begin(), scores.end());
  expect_best(selector, scores);
  std::reverse(scores.begin(), scores.end());
  expect_best(selector, scores);
}

}  // namespace
}  // namespace pleiad::sampling
