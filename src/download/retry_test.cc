#include "download/retry.h"

#include <gtest/gtest.h>

namespace pleiad::download {
namespace {

constexpr RetryPolicy kPolicy = {.first_wait = 1, .longest_wait = 10, .longest_asked = 60};

TEST(Backoff, GrowsWithinItsBoundsByChance) {
  Backoff backoff(kPolicy);
  bool differ = false;
  const double first = backoff.wait_after(1);
  for (int round = 0; round < 50; ++round) {
    for (const auto& [n_failures, whole] :
         {std::pair{1, 1.0}, {2, 2.0}, {4, 8.0}, {5, 10.0}, {1000, 10.0}}) {
      const double wait = backoff.wait_after(n_failures);
      EXPECT_GE(wait, whole / 2) << n_failures;
      EXPECT_LE(wait, whole) << n_failures;
      differ = differ || (n_failures == 1 && wait != first);
    }
  }
  EXPECT_TRUE(differ);
}

TEST(Backoff, ObeysTheHostWithinReason) {
  Backoff backoff(kPolicy);
  EXPECT_EQ(backoff.wait_after(1, "30"), 30);
  EXPECT_EQ(backoff.wait_after(1, "60"), 60);
  EXPECT_FALSE(backoff.wait_after(1, "61"));
  EXPECT_LE(backoff.wait_after(1, "0").value(), 1);
  EXPECT_LE(backoff.wait_after(1, "soon").value(), 1);
  EXPECT_LE(backoff.wait_after(1, "").value(), 1);
}

TEST(WaitFor, EndsWhenItIsStopped) {
  int asked = 0;
  EXPECT_FALSE(wait_for(60, [&] { return ++asked == 2; }));
  EXPECT_TRUE(wait_for(0, {}));
}

TEST(IsTemporary, WhatMayBeOtherwiseLater) {
  for (const int status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(is_temporary(status));
  for (const int status : {200, 301, 400, 401, 403, 404, 416, 501, 505}) {
    EXPECT_FALSE(is_temporary(status));
  }
}

}  // namespace
}  // namespace pleiad::download
