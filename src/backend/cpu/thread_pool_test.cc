#include "backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace pleiad::cpu {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int n_threads : {1, 2, 5}) {
    ThreadPool pool(n_threads);
    EXPECT_EQ(pool.size(), n_threads);
    for (const int n_tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> counts(static_cast<std::size_t>(n_tasks));
      pool.run(n_tasks, [&](std::int64_t index, int worker) {
        ASSERT_LT(worker, n_threads);
        counts[static_cast<std::size_t>(index)].fetch_add(1);
      });
      for (const auto& count : counts) EXPECT_EQ(count.load(), 1);
    }
  }
}

TEST(ThreadPool, SeesWhatTheLastRoundWrote) {
  ThreadPool pool(3);
  std::vector<std::int64_t> values(257, 0);
  for (int round = 1; round <= 2000; ++round) {
    pool.run(static_cast<std::int64_t>(values.size()),
             [&](std::int64_t index, int) { values[static_cast<std::size_t>(index)] += round; });
  }
  for (const std::int64_t value : values) EXPECT_EQ(value, 2000 * 2001 / 2);
}

TEST(ThreadPool, WakesThreadsThatFellAsleep) {
  ThreadPool pool(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // long past the spinning
    std::atomic<int> count = 0;
    pool.run(10, [&](std::int64_t, int) { count.fetch_add(1); });
    EXPECT_EQ(count.load(), 10);
  }
}

}  // namespace pleiad::cpu
