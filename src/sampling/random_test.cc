#include "sampling/random.h"

#include <gtest/gtest.h>

namespace pleiad::sampling {
namespace {

TEST(Random, FollowsThePublishedGenerator) {
  // What the authors' own program prints for this state.
  Random random(Random::State{1, 2, 3, 4});
  for (const std::uint64_t expected :
       {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL, 9228616714210784205ULL,
        9973669472204895162ULL}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(Random, FillsItsStateBySplitmix64) {
  Random seeded(0);
  Random spelled_out(Random::State{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F,
                                   0xF88BB8A8724C81EC});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(seeded.next(), spelled_out.next());
}

TEST(Random, UniformIsFromZeroToBelowOneAndEven) {
  Random random(7);
  constexpr int kDraws = 100000;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
}

TEST(Random, SystemSeedsDifferAndFitInAJsonNumber) {
  const std::uint64_t first = system_seed();
  EXPECT_NE(first, system_seed());
  EXPECT_LT(first, 1ULL << 53);
}

}  // namespace
}  // namespace pleiad::sampling
