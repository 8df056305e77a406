#include "sampling/stop_tokens.h"

#include <gtest/gtest.h>

namespace pleiad::sampling {
namespace {

TEST(StopTokens, DefaultToThoseOfGemma4) {
  const StopTokens stops;
  for (const int token : {1, 106, 50}) EXPECT_TRUE(stops.contains(token));
  for (const int token : {0, 2, 49, 105, -1}) EXPECT_FALSE(stops.contains(token));
}

TEST(StopTokens, AreThoseOfTheCheckpointWhereItHasSome) {
  const StopTokens stops({7});
  EXPECT_TRUE(stops.contains(7));
  EXPECT_FALSE(stops.contains(106));
}

}  // namespace
}  // namespace pleiad::sampling
