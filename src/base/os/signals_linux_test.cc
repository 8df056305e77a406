#include "base/os/signals.h"

#include <gtest/gtest.h>

#include <csignal>

namespace pleiad::os {
namespace {

using Which = CaughtSignals::Which;

volatile std::sig_atomic_t g_outer = 0;
volatile std::sig_atomic_t g_inner = 0;
void outer(int signal) { g_outer = signal; }
void inner(int signal) { g_inner = signal; }

auto handler_of(int signal) {
  struct sigaction action = {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

class CaughtSignalsTest : public ::testing::Test {
 protected:
  CaughtSignalsTest() {
    g_outer = 0;
    g_inner = 0;
  }
};

TEST_F(CaughtSignalsTest, GoToTheLatestHandlerAndThenToTheOneBefore) {
  const auto before = handler_of(SIGINT);
  {
    const CaughtSignals first(Which::interrupt, outer);
    {
      const CaughtSignals second(Which::interrupt, inner);
      std::raise(SIGINT);
    }
    EXPECT_EQ(g_inner, SIGINT);
    EXPECT_EQ(g_outer, 0);
    std::raise(SIGINT);
    EXPECT_EQ(g_outer, SIGINT);
  }
  EXPECT_EQ(handler_of(SIGINT), before);
}

TEST_F(CaughtSignalsTest, AnInterruptIsCtrlCAlone) {
  const auto before = handler_of(SIGTERM);
  const CaughtSignals caught(Which::interrupt, outer);
  EXPECT_EQ(handler_of(SIGTERM), before);
}

TEST_F(CaughtSignalsTest, AnEndingIsWhateverAsksForIt) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(signal, SIG_DFL);
    {
      const CaughtSignals caught(Which::ending, outer);
      std::raise(signal);
      EXPECT_EQ(g_outer, signal);
    }
    EXPECT_EQ(handler_of(signal), SIG_DFL);
    std::signal(signal, before);
  }
}

TEST_F(CaughtSignalsTest, WhatNohupIgnoresStaysIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const CaughtSignals caught(Which::ending, outer);
    std::raise(SIGHUP);
    EXPECT_EQ(g_outer, 0);
  }
  EXPECT_EQ(handler_of(SIGHUP), SIG_IGN);
  std::signal(SIGHUP, before);
}

}  // namespace
}  // namespace pleiad::os
