#include "engine/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace pleiad {
namespace {

TEST(MemoryPlan, WhatFitsTogetherIsSafe) {
  const std::vector<MemoryClaim> claims = {{0, 0, 10, 60}, {0, 0, 10, 40}};
  EXPECT_TRUE(can_all_finish(100, 0, claims));
  EXPECT_TRUE(can_all_finish(0, 0, {}));
}

TEST(MemoryPlan, WhatFitsOneAfterTheOtherIsSafe) {
  // Either can have 90 while the other stays at its promise.
  const std::vector<MemoryClaim> claims = {{10, 10, 10, 90}, {10, 10, 10, 90}};
  EXPECT_TRUE(can_all_finish(100, 20, claims));
  EXPECT_FALSE(can_all_finish(99, 20, claims));
}

TEST(MemoryPlan, PromisesHaveToFitBesideWhatIsInUse) {
  const std::vector<MemoryClaim> claims = {{10, 10, 60, 60}, {10, 10, 51, 51}};
  EXPECT_FALSE(can_all_finish(110, 20, claims));
  EXPECT_TRUE(can_all_finish(111, 20, claims));
}

TEST(MemoryPlan, SharedPagesCountOnceAndAreNotFreedByOneOfTheirHolders) {
  // Two hold the same 50 and would each take 30 more.
  const std::vector<MemoryClaim> claims = {{50, 0, 50, 80}, {50, 0, 50, 80}};
  EXPECT_TRUE(can_all_finish(80, 50, claims)) << "30 are free, and come back each time";
  EXPECT_FALSE(can_all_finish(79, 50, claims));
}

TEST(MemoryPlan, SomebodyCanAlwaysGoOn) {
  std::mt19937 random(3);
  constexpr std::uint64_t kLimit = 100;
  const auto any = [&](std::uint64_t most) { return random() % (most + 1); };
  const auto in_use = [](const std::vector<MemoryClaim>& claims) {
    std::uint64_t sum = 0;
    for (const MemoryClaim& claim : claims) sum += claim.held;
    return sum;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<MemoryClaim> claims;
    for (int i = 0; i < 12; ++i) {  // those are let in that it is safe for
      MemoryClaim claim;
      claim.most = any(kLimit);
      claim.promised = any(claim.most / 4);
      claims.push_back(claim);
      if (!can_all_finish(kLimit, in_use(claims), claims)) claims.pop_back();
    }
    while (!claims.empty()) {
      bool has_moved = false;
      std::shuffle(claims.begin(), claims.end(), random);
      for (MemoryClaim& claim : claims) {
        const MemoryClaim before = claim;
        claim.promised = std::min(claim.most, claim.promised + 1 + any(10));
        if (!can_all_finish(kLimit, in_use(claims), claims)) {
          claim = before;
          continue;
        }
        has_moved |= before.promised < before.most;
        claim.held = claim.alone = claim.promised;
        ASSERT_LE(in_use(claims), kLimit);
      }
      const auto n_ended = std::erase_if(
          claims, [](const MemoryClaim& claim) { return claim.promised == claim.most; });
      ASSERT_TRUE(has_moved || n_ended > 0) << "round " << round;
    }
  }
}

TEST(MemoryPlan, WhoEndsFreesNothingThatOthersHold) {
  const MemoryClaim waits = {.held = 0, .alone = 0, .promised = 2, .most = 8};
  MemoryClaim ends = {.held = 10, .alone = 2, .promised = 10, .most = 10};
  EXPECT_FALSE(can_all_finish(12, 10, std::vector{ends, waits}));
  ends.alone = 6;
  EXPECT_TRUE(can_all_finish(12, 10, std::vector{ends, waits}));
}

}  // namespace
}  // namespace pleiad
