#include "backend/cpu/processors.h"

#include <gtest/gtest.h>

#include <limits>

namespace pleiad::cpu {
namespace {

TEST(LimitedThreads, AreAsManyAsTheQuotaKeepsBusy) {
  EXPECT_EQ(limited_threads(8, 1.5), 2);
  EXPECT_EQ(limited_threads(8, 0.2), 1);
  EXPECT_EQ(limited_threads(2, 4.0), 2);
  EXPECT_EQ(limited_threads(2, std::numeric_limits<double>::infinity()), 2);
  EXPECT_EQ(limited_threads(0, std::numeric_limits<double>::infinity()), 1);
}

TEST(ProcessorsHere, AreSomeAndHaveNoMoreCores) {
  const std::vector<int> all = allowed_processors();
  ASSERT_FALSE(all.empty());
  EXPECT_GE(count_cores(all), 1);
  EXPECT_LE(count_cores(all), static_cast<int>(all.size()));
  EXPECT_EQ(count_cores({&all.front(), 1}), 1);
  EXPECT_GE(usable_cores(), 1);
}

}  // namespace
}  // namespace pleiad::cpu
