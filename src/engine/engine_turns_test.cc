// Engines that share the processor: whose turn it is, and what each tells the others.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/compute_turn.h"
#include "engine/testing/demo_engine_test.h"

namespace pleiad {
namespace {

using testing_support::ask;
using testing_support::cold;
using testing_support::CollectingSink;
using testing_support::expect_same_reply;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;

class EngineTurnsTest : public testing_support::DemoEngineTest<96, 64> {};

TEST_F(EngineTurnsTest, EnginesShareTheProcessorInTurns) {
  ComputeTurn turn;
  Engine first(*model_, options(), &turn);
  const Reply alone = ask(first, request(random_tokens(200, 1), 1, 20));
  turn.lock();
  const auto sink = std::make_shared<CollectingSink>();
  first.submit(cold(request(random_tokens(200, 1), 1, 20)), sink);
  while (turn.n_waiting() == 0 && sink->n_ends() == 0) std::this_thread::yield();
  EXPECT_EQ(sink->n_ends(), 0);
  turn.unlock();
  expect_same_reply(sink->wait(), alone);
}

TEST_F(EngineTurnsTest, TakesShortTurnsWhileAnotherEngineHasStreams) {
  ComputeTurn turn;
  std::int64_t most = 0;
  EngineOptions watched = options();
  watched.on_step = [&](const StepRecord& step) { most = std::max(most, step.prompt_rows); };
  Engine engine(*model_, watched, &turn);
  turn.streams_began();
  const Reply reply = ask(engine, cold(request(random_tokens(300, 1), 1, 3)));
  EXPECT_EQ(most, 64);
  turn.streams_ended();
  expect_same_reply(ask(engine, cold(request(random_tokens(300, 1), 1, 3))), reply);
  EXPECT_EQ(most, kMaxRows);
}

TEST_F(EngineTurnsTest, TellsWhetherItHasStreams) {
  ComputeTurn turn;
  bool during = false;
  {
    Engine engine(*model_, options(), &turn);
    const auto sink = std::make_shared<CollectingSink>();
    sink->wants_more = [&](std::size_t n) {
      during = turn.has_streams();
      return n < 3;
    };
    engine.submit(request(random_tokens(20, 1), 1, 10), sink);
    sink->wait();
  }
  EXPECT_TRUE(during);
  EXPECT_FALSE(turn.has_streams());
}

TEST_F(EngineTurnsTest, TellsThatItAnswersWhileItReadsAPrompt) {
  ComputeTurn turn;
  std::atomic<int> n_steps = 0;
  std::atomic<int> n_answering = 0;
  {
    EngineOptions watched = options();
    watched.on_step = [&](const StepRecord&) {
      ++n_steps;
      if (turn.has_answers()) ++n_answering;
    };
    Engine engine(*model_, watched, &turn);
    EXPECT_FALSE(turn.has_answers());
    ask(engine, cold(request(random_tokens(300, 1), 1, 1)));
  }
  EXPECT_GT(n_steps, 1);
  EXPECT_EQ(n_answering, n_steps);
  EXPECT_FALSE(turn.has_answers());
}

}  // namespace
}  // namespace pleiad
