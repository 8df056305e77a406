#include "verify/logit_comparison.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace pleiad::verify {
namespace {

TEST(LogitComparison, SameLogitsAreNoDifference) {
  LogitComparison comparison;
  const std::array row = {1.0F, -2.0F, 0.5F};
  comparison.add(row, row);
  EXPECT_EQ(comparison.largest_difference, 0);
  EXPECT_EQ(comparison.worst_kl, 0);
  EXPECT_EQ(comparison.n_same_best, 1);
  EXPECT_EQ(comparison.first_other_best, -1);
}

TEST(LogitComparison, DivergenceAndWorstPlacesAreThoseOfTheDefinition) {
  LogitComparison comparison;
  const float three = std::log(3.0F);
  comparison.add(std::array{0.0F, 0.0F}, std::array{5.0F, 5.0F});  // a shift changes nothing
  comparison.add(std::array{0.0F, 0.0F}, std::array{0.0F, three});
  // p = 1/2, 1/2 and q = 1/4, 3/4
  const double expected = 0.5 * std::log(0.5 / 0.25) + 0.5 * std::log(0.5 / 0.75);
  EXPECT_NEAR(comparison.worst_kl, expected, 1e-7);
  EXPECT_NEAR(comparison.mean_kl, expected / 2, 1e-7);
  EXPECT_EQ(comparison.worst_kl_row, 1);
  EXPECT_EQ(comparison.largest_difference, 5);
  EXPECT_EQ(comparison.largest_row, 0);
  EXPECT_EQ(comparison.n_same_best, 1);
  EXPECT_EQ(comparison.first_other_best, 1);
}

TEST(LogitComparison, RowsThatAreNotFiniteAreCountedApart) {
  LogitComparison comparison;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  comparison.add(std::array{0.0F, 1.0F}, std::array{0.0F, nan});
  comparison.add(std::array{0.0F, 1.0F}, std::array{0.0F, 1.0F});
  EXPECT_EQ(comparison.n_not_finite, 1);
  EXPECT_EQ(comparison.mean_kl, 0);
  EXPECT_EQ(comparison.n_same_best, 1);
}

}  // namespace
}  // namespace pleiad::verify
