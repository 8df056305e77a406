// Nothing here is told by time: who waits is counted, and who should wait and does not is seen.

#include "engine/compute_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace pleiad {
namespace {

/// Engines that take one turn each, and who had one, in order.
class ComputeTurnTest : public ::testing::Test {
 protected:
  ~ComputeTurnTest() override {
    for (std::thread& engine : engines_) engine.join();
  }

  /// Returns once it waits, or has had its turn.
  void ask(int engine) {
    const int n_waiting = turn_.n_waiting();
    const int n_done = n_done_;
    engines_.emplace_back([this, engine] {
      const std::lock_guard turn(turn_);
      order_.push_back(engine);
      ++n_done_;
    });
    while (turn_.n_waiting() == n_waiting && n_done_ == n_done) std::this_thread::yield();
  }
  void wait_for_all() {
    for (std::thread& engine : engines_) engine.join();
    engines_.clear();
  }

  ComputeTurn turn_;
  std::vector<std::thread> engines_;
  std::vector<int> order_;  // guarded by the turn
  std::atomic<int> n_done_ = 0;
};

TEST_F(ComputeTurnTest, TheNextInTurnWaitsForTheEndOfTheOneBefore) {
  turn_.lock();
  ask(1);
  EXPECT_EQ(n_done_, 0) << "it computes while another one does";
  EXPECT_EQ(turn_.n_waiting(), 1);
  turn_.unlock();
  wait_for_all();
  EXPECT_EQ(n_done_, 1);
  EXPECT_EQ(turn_.n_waiting(), 0);
}

TEST_F(ComputeTurnTest, TurnsComeInTheOrderOfAsking) {
  turn_.lock();
  for (int engine = 1; engine <= 8; ++engine) ask(engine);
  EXPECT_EQ(n_done_, 0);
  EXPECT_EQ(turn_.n_waiting(), 8);
  turn_.unlock();
  wait_for_all();
  EXPECT_THAT(order_, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(ComputeTurnTest, AFreeTurnIsTakenAtOnce) {
  for (int round = 0; round < 3; ++round) {
    turn_.lock();
    EXPECT_EQ(turn_.n_waiting(), 0);
    turn_.unlock();
  }
}

}  // namespace
}  // namespace pleiad
