#include "media/turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

namespace pleiad::media {
namespace {

TEST(Turns, AreSoManyAtATimeAndGivenBack) {
  Turns turns(2);
  std::atomic<int> n_at_work = 0;
  std::atomic<int> n_most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      const auto turn = turns.take({});
      const int n = ++n_at_work;
      for (int most = n_most; most < n && !n_most.compare_exchange_weak(most, n);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --n_at_work;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(n_most, 2);
}

TEST(Turns, AreGivenUpByWhoWantsNoneAnyMore) {
  Turns turns(1);
  std::optional<Turns::Turn> first = turns.take({});
  ASSERT_TRUE(first);
  EXPECT_EQ(turns.n_taken(), 1);
  EXPECT_FALSE(turns.take([] { return true; }));
  first.reset();
  EXPECT_EQ(turns.n_taken(), 0);
  EXPECT_TRUE(turns.take({}));
}

}  // namespace
}  // namespace pleiad::media
