#include "backend/cpu/read_ahead.h"

#include <gtest/gtest.h>

#include <vector>

#include "backend/cpu/thread_pool.h"

namespace pleiad::cpu {
namespace {

class ReadAheadTest : public ::testing::Test {
 protected:
  void run(ReadAhead::Product& product) {
    ahead_.begin(product, [&](int thread) { return memory_.data() + thread; });
  }
  int advances(int thread) {
    int n = 0;
    while (n < 1'000'000 && ahead_.advance(thread)) ++n;
    return n;
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(1 << 20);
  ReadAhead ahead_{2};
};

TEST_F(ReadAheadTest, KnowsWhatFollowsFromTheSecondRoundOn) {
  ReadAhead::Product& first = *ahead_.add();
  ReadAhead::Product& second = *ahead_.add();
  EXPECT_EQ(advances(0), 0);
  run(first);
  EXPECT_EQ(advances(0), 0);
  run(second);
  EXPECT_EQ(advances(0), 0);
  run(first);
  EXPECT_GT(advances(0), 0);
}

TEST_F(ReadAheadTest, EveryThreadAsksForALittleAndOnce) {
  ReadAhead::Product& first = *ahead_.add();
  ReadAhead::Product& second = *ahead_.add();
  for (int round = 0; round < 2; ++round) {
    run(first);
    run(second);
  }
  const int n = advances(0);
  EXPECT_GT(n, 0);
  EXPECT_LE(n, 1024);
  EXPECT_EQ(advances(0), 0);
  EXPECT_EQ(advances(1), n);
}

TEST_F(ReadAheadTest, AsksForNothingAfterAStop) {
  ReadAhead::Product& only = *ahead_.add();
  run(only);
  run(only);
  ahead_.stop();
  EXPECT_EQ(advances(0), 0);
}

TEST_F(ReadAheadTest, ThreadsThatWaitCallIt) {
  std::atomic<int> calls = 0;
  ThreadPool pool(2, &calls, [](void* context, int) {
    static_cast<std::atomic<int>*>(context)->fetch_add(1);
    return false;
  });
  // One of the two finds nothing to do while the other waits for it to have waited.
  pool.run(2, [&](std::int64_t task, int) {
    if (task == 1) return;
    for (int spins = 0; spins < 1'000'000 && calls.load() == 0; ++spins) std::this_thread::yield();
  });
  EXPECT_GT(calls.load(), 0);
}

}  // namespace
}  // namespace pleiad::cpu
