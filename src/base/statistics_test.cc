#include "base/statistics.h"

#include <gtest/gtest.h>

namespace pleiad {

TEST(SpreadOf, TakesTheMiddleOfAnOddCount) {
  const Spread spread = spread_of({9, 1, 4});
  EXPECT_EQ(spread.median, 4);
  EXPECT_EQ(spread.min, 1);
  EXPECT_EQ(spread.max, 9);
}

TEST(SpreadOf, TakesTheMeanOfTheMiddleTwoOfAnEvenCount) {
  EXPECT_EQ(spread_of({8, 2, 100, 4}).median, 6);
  EXPECT_EQ(spread_of({7}).median, 7);
}

}  // namespace pleiad
