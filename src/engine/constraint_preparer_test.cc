#include "engine/constraint_preparer.h"

#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <future>
#include <thread>

namespace pleiad {
namespace {

constexpr double kLong = 1000;  // seconds: no test waits so long

/// Prepares when it may.
class Gated final : public sampling::TokenConstraint {
 public:
  ~Gated() override { gone.set_value(); }
  void prepare() override {
    by = std::this_thread::get_id();
    began.set_value();
    opened.wait();
    if (fails) throw sampling::ConstraintError("too much");
  }
  bool allowed_next(std::span<std::uint64_t>) override { return false; }
  void accept(std::int32_t) override {}
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<Gated>();
  }

  std::thread::id by;
  std::promise<void> began;
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();
  std::promise<void> gone;
  bool fails = false;
};

std::shared_ptr<Gated> open_one() {
  auto made = std::make_shared<Gated>();
  made->open.set_value();
  return made;
}

TEST(ConstraintPreparer, PreparesOnAThreadOfItsOwn) {
  ConstraintPreparer preparer;
  std::thread::id by;
  for (int step = 0; step < 100; ++step) {
    const auto one = open_one();
    const auto two = open_one();
    const std::array orders = {preparer.order(one, false), preparer.order(two, false)};
    preparer.wait(orders, kLong);
    ASSERT_TRUE(preparer.outcome(*orders[0]) && preparer.outcome(*orders[1]));
    if (step == 0) by = one->by;
    EXPECT_EQ(one->by, by);
    EXPECT_EQ(two->by, by);
  }
  EXPECT_NE(by, std::this_thread::get_id());
}

TEST(ConstraintPreparer, TellsWhatFailed) {
  ConstraintPreparer preparer;
  const auto one = open_one();
  const auto two = open_one();
  one->fails = true;
  const std::array orders = {preparer.order(one, false), preparer.order(two, false)};
  preparer.wait(orders, kLong);
  EXPECT_THROW(std::rethrow_exception(preparer.outcome(*orders[0])->failure),
               sampling::ConstraintError);
  EXPECT_FALSE(preparer.outcome(*orders[1])->failure);
}

TEST(ConstraintPreparer, NobodyWaitsBehindWhatTakesLong) {
  ConstraintPreparer preparer;
  const auto stuck = std::make_shared<Gated>();
  const auto quick = open_one();
  const std::array orders = {preparer.order(stuck, false), preparer.order(quick, false)};
  stuck->began.get_future().wait();
  while (!preparer.outcome(*orders[1])) preparer.wait(orders, 0.01);
  EXPECT_FALSE(preparer.outcome(*orders[0]));
  stuck->open.set_value();
  preparer.wait(orders, kLong);
  EXPECT_TRUE(preparer.outcome(*orders[0]));
}

/// Takes a processor for longer than what is slow does.
class Laborious final : public sampling::TokenConstraint {
 public:
  void prepare() override {
    timespec now = {};
    while (now.tv_sec == 0 && 1e-9 * static_cast<double>(now.tv_nsec) < least_) {
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    }
  }
  bool allowed_next(std::span<std::uint64_t>) override { return false; }
  void accept(std::int32_t) override {}
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<Laborious>();
  }

 private:
  double least_ = 2 * ConstraintPreparer::kSlowSeconds;  // of a thread that did nothing before
};

TEST(ConstraintPreparer, TellsWhatWasSlow) {
  ConstraintPreparer preparer;
  const std::array slow = {preparer.order(std::make_shared<Laborious>(), false)};
  preparer.wait(slow, kLong);
  EXPECT_TRUE(preparer.outcome(*slow[0])->was_slow);
  const std::array quick = {preparer.order(open_one(), true)};
  preparer.wait(quick, kLong);
  EXPECT_FALSE(preparer.outcome(*quick[0])->was_slow) << "only the last time counts";
}

TEST(ConstraintPreparer, WhatNobodyHoldsIsNotBegun) {
  ConstraintPreparer preparer;
  const auto stuck = std::make_shared<Gated>();
  auto left = std::make_shared<Gated>();
  auto left_began = left->began.get_future();
  const std::array orders = {preparer.order(stuck, false), preparer.order(open_one(), false)};
  stuck->began.get_future().wait();
  (void)preparer.order(std::move(left), false);
  const std::array last = {preparer.order(open_one(), false)};
  while (!preparer.outcome(*last[0])) preparer.wait(last, 0.01);
  EXPECT_THROW(left_began.get(), std::future_error);
  stuck->open.set_value();
}

TEST(ConstraintPreparer, WhatIsSlowHasOneThread) {
  ConstraintPreparer preparer;
  std::array<std::shared_ptr<Gated>, 5> slow;
  std::vector<ConstraintPreparer::OrderPtr> orders;
  for (auto& one : slow) {
    one = std::make_shared<Gated>();
    orders.push_back(preparer.order(one, true));
  }
  slow[0]->began.get_future().wait();
  auto second = slow[1]->began.get_future();
  const auto quick = open_one();
  const std::array quick_order = {preparer.order(quick, false)};
  while (!preparer.outcome(*quick_order[0])) preparer.wait(quick_order, 0.01);
  EXPECT_EQ(second.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  for (auto& one : slow) one->open.set_value();
  preparer.wait(orders, kLong);
  for (const auto& order : orders) EXPECT_TRUE(preparer.outcome(*order));
}

TEST(ConstraintPreparer, KeepsWhatItWorksOnUntilThatIsDone) {
  ConstraintPreparer preparer;
  auto stuck = std::make_shared<Gated>();
  auto gone = stuck->gone.get_future();
  auto open = std::move(stuck->open);
  auto began = stuck->began.get_future();
  auto order = preparer.order(std::move(stuck), false);
  began.wait();
  order.reset();  // whoever asked has ended
  EXPECT_EQ(gone.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  open.set_value();
  gone.wait();
}

TEST(ConstraintPreparer, EndsWithoutWhatIsNotBegun) {
  auto preparer = std::make_unique<ConstraintPreparer>();
  const auto stuck = std::make_shared<Gated>();
  auto behind = std::make_shared<Gated>();
  auto began = behind->began.get_future();
  auto gone = behind->gone.get_future();
  const auto first = preparer->order(stuck, false);
  stuck->began.get_future().wait();
  auto second = preparer->order(std::move(behind), false);
  std::thread opener([&] {
    second.reset();
    gone.wait();
    stuck->open.set_value();
  });
  preparer.reset();
  opener.join();
  EXPECT_THROW(began.get(), std::future_error) << "nobody can begin it any more";
}

TEST(ConstraintPreparer, WaitsForNothing) {
  ConstraintPreparer preparer;
  preparer.wait({}, kLong);
}

}  // namespace
}  // namespace pleiad
