#include "engine/constraint_preparer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace pleiad {
namespace {

struct Asked final : sampling::TokenConstraint {
  void prepare() override {
    by = std::this_thread::get_id();
    ++n_prepared;
    if (fails) throw sampling::ConstraintError("too much");
  }
  bool allowed_next(std::span<std::uint64_t>) override { return false; }
  void accept(std::int32_t) override {}

  std::thread::id by;
  int n_prepared = 0;
  bool fails = false;
};

TEST(ConstraintPreparer, PreparesAllBesideAndIsDoneAtTheEnd) {
  ConstraintPreparer preparer;
  Asked one, two;
  for (int step = 1; step <= 100; ++step) {
    { const ConstraintPreparer::Turn turn(preparer, {&one, &two}); }
    ASSERT_EQ(one.n_prepared, step);
    ASSERT_EQ(two.n_prepared, step);
  }
  EXPECT_NE(one.by, std::this_thread::get_id());
  EXPECT_EQ(one.by, two.by);
}

TEST(ConstraintPreparer, WhatFailsHoldsUpNobody) {
  ConstraintPreparer preparer;
  Asked one, two;
  one.fails = true;
  { const ConstraintPreparer::Turn turn(preparer, {&one, &two}); }
  EXPECT_EQ(one.n_prepared, 1);
  EXPECT_EQ(two.n_prepared, 1);
}

TEST(ConstraintPreparer, NothingToPrepareIsNoWork) {
  ConstraintPreparer preparer;
  const ConstraintPreparer::Turn turn(preparer, {});
}

}  // namespace
}  // namespace pleiad
