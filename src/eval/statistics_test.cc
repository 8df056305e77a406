#include "eval/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace pleiad::eval {
namespace {

TEST(Statistics, WilsonsIntervalIsThatOfTheTables) {
  // 8 of 10 and 0 of 10 by the formula in another program (R's prop.test without correction).
  EXPECT_NEAR(wilson_interval(8, 10).low, 0.4901625, 1e-6);
  EXPECT_NEAR(wilson_interval(8, 10).high, 0.9433178, 1e-6);
  EXPECT_EQ(wilson_interval(0, 10).low, 0);
  EXPECT_NEAR(wilson_interval(0, 10).high, 0.2775328, 1e-6);
  EXPECT_EQ(wilson_interval(10, 10).high, 1);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
}

TEST(Statistics, PairedDifferencesHaveASignAndAnIntervalAroundThem) {
  const PairedCounts better = {100, 2, 22};
  EXPECT_DOUBLE_EQ(better.difference(), 0.2);
  // (23 - 3) / 102 +- 1.96 sqrt((26/102 - (20/102)^2) / 102)
  EXPECT_NEAR(paired_interval(better).low, 0.10579, 1e-4);
  EXPECT_NEAR(paired_interval(better).high, 0.28637, 1e-4);
  const Interval same = paired_interval({20, 0, 0});
  EXPECT_DOUBLE_EQ(same.low, -same.high);
  EXPECT_GT(same.high, 0.05);
}

TEST(Statistics, AGroupedMeanTakesTheValuesOfAGroupAsOne) {
  GroupedMean alike;
  for (const double value : {1.0, 1.0, 1.0, 3.0, 3.0, 3.0}) {
    alike.add(value);
    if (alike.count() % 3 == 0) alike.end_group();
  }
  EXPECT_DOUBLE_EQ(alike.mean(), 2);
  EXPECT_EQ(alike.groups(), 2);
  // Two groups with means 1 and 3: the error of the mean of two values.
  EXPECT_DOUBLE_EQ(alike.error(), 1);
  EXPECT_NEAR(alike.plain_error(), std::sqrt(1.0 / 5), 1e-12);
  EXPECT_NEAR(alike.interval().high, 2 + 12.7062, 1e-9);
  GroupedMean one;
  one.add(1);
  one.add(2);
  one.end_group();
  EXPECT_TRUE(std::isinf(one.error()));
}

TEST(Statistics, QuantilesAreInterpolated) {
  constexpr std::array<float, 5> kValues = {0, 1, 2, 3, 10};
  EXPECT_DOUBLE_EQ(quantile(kValues, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile(kValues, 0.875), 6.5);
  EXPECT_DOUBLE_EQ(quantile(kValues, 1), 10);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(Statistics, StudentsFactorComesNearTheNormalOne) {
  EXPECT_NEAR(t_factor(11), 2.2010, 0.003);
  EXPECT_NEAR(t_factor(30), 2.0423, 0.001);
  EXPECT_NEAR(t_factor(1000), 1.9623, 0.0002);
  EXPECT_GT(t_factor(10), t_factor(11));
}

}  // namespace
}  // namespace pleiad::eval
