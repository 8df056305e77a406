#pragma once

#include <gtest/gtest.h>

namespace pleiad::eval {

/// The system lets an unprivileged process make what a sandbox consists of.
bool may_make_namespaces();

/// Tests that need a sandbox. What is skipped here is what Sandbox.IsThereWhereTheSystemAllowsIt
/// holds to be impossible.
class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!may_make_namespaces()) {
      GTEST_SKIP() << "the system lets unprivileged processes make no namespaces";
    }
  }
};

}  // namespace pleiad::eval
