// Passages of replies that are judged: where tries end, and what is kept of a reply that ends amid
// one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/testing/passages_testing.h"

namespace pleiad {
namespace {

using testing_support::ask;
using testing_support::cold;
using testing_support::EnginePassagesTest;
using testing_support::expect_same_reply;
using testing_support::Judge;
using testing_support::PlaceByPlace;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;
using testing_support::some_forced;
using testing_support::Tokens;

TEST_F(EnginePassagesTest, TriesEndWhereMaxTokensOrTheContextDo) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(50, 1);
  {
    SCOPED_TRACE("all tokens together come to max_tokens amid the second try");
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, request(prompt, 5, 14), judge);
    EXPECT_EQ(judge->tries[0].size(), 1U);
    EXPECT_EQ(judge->n_taken, 1);
    EXPECT_EQ(reply.tokens.size(), 14U) << "the reply goes on behind the first one";
    EXPECT_EQ(reply.result->reason, FinishReason::length);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 4);
    expect_bits_of_one_reply(engine, prompt, reply);
  }
  {
    SCOPED_TRACE("forced text does not go beyond it either");
    EngineRequest asked = request(prompt, 5, 14);
    asked.constraint = std::make_unique<PlaceByPlace>(some_forced);
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, std::move(asked), judge);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 4);
    EXPECT_EQ(reply.tokens.size(), 14U);
  }
  {
    SCOPED_TRACE("no token is left for a second try");
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, request(prompt, 5, 10), judge);
    EXPECT_EQ(judge->all.size(), 10U);
    EXPECT_EQ(reply.tokens.size(), 10U);
    EXPECT_EQ(reply.result->reason, FinishReason::length);
  }
  {
    SCOPED_TRACE("the first one comes to no end");
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, request(prompt, 5, 9), judge);
    EXPECT_EQ(reply.tokens.size(), 9U);
    EXPECT_EQ(judge->n_taken, 0);
  }
  {
    SCOPED_TRACE("a try that would end behind the context");
    EngineRequest asked = request(prompt, 5, -1);
    asked.context_length = 62;
    const auto judge = std::make_shared<Judge>();
    int n_second = 0;
    judge->places = {{4, 11}};
    judge->wants_more = [&](int n_try, std::size_t) { return n_second += n_try == 2, true; };
    const Reply reply = follow(engine, std::move(asked), judge);
    EXPECT_EQ(n_second, 7);
    EXPECT_EQ(reply.tokens.size(), 12U);
    EXPECT_EQ(reply.result->reason, FinishReason::context_full);
  }
}

TEST_F(EnginePassagesTest, APassageThatIsTooLongIsWrittenOnce) {
  Engine engine(*model_, options());
  for (const std::size_t length : {1023U, 1024U}) {
    const auto judge = std::make_shared<Judge>();
    judge->places = {{4, 4 + length}};
    judge->ends_with_first = true;
    EngineRequest asked = cold(request(random_tokens(50, 1), 5, -1));
    asked.generation.sampling.n_logprobs.reset();
    const Reply reply = follow(engine, std::move(asked), judge);
    EXPECT_EQ(judge->tries[0].size(), length < 1024 ? 3U : 1U) << length;
    EXPECT_EQ(judge->n_taken, 1);
    EXPECT_EQ(reply.tokens.size(), 4 + length);
  }
}

TEST_F(EnginePassagesTest, AReplyMayEndWithTheFirstOne) {
  Engine engine(*model_, options());
  const auto judge = std::make_shared<Judge>();
  judge->ends_with_first = true;
  const Reply reply = follow(engine, request(random_tokens(50, 1), 5, 100), judge);
  EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
  EXPECT_EQ(reply.result->stats.generated_tokens, 10);
  EXPECT_EQ(reply.result->stats.dropped_tokens, 12);
  EXPECT_EQ(reply.tokens.size(), 10U);
}

TEST_F(EnginePassagesTest, OneThatIsCancelledAmidATryHasTheFirst) {
  Engine engine(*model_, options());
  for (const bool by_sink : {true, false}) {
    SCOPED_TRACE(by_sink);
    const auto judge = std::make_shared<Judge>();
    std::promise<Engine::RequestId> id;
    auto known = id.get_future().share();
    judge->wants_more = [&](int n_try, std::size_t n_told) {
      if (n_try < 2 || n_told < 13) return true;
      if (!by_sink && n_told == 13) engine.cancel(known.get());
      return !by_sink;
    };
    judge->places = {{4, 10}};
    if (!by_sink) judge->is_good = [](int, int n_try) { return n_try > 100; };
    id.set_value(engine.submit(judged(request(random_tokens(50, 1), 5, 100'000)), judge));
    const Reply reply = judge->wait();
    ASSERT_TRUE(reply.result);
    EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
    EXPECT_EQ(reply.tokens.size(), 10U);
    EXPECT_EQ(reply.result->stats.generated_tokens, 10);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 3);
    EXPECT_EQ(judge->n_taken, 1);
  }
}

/// Throws at a place that it comes to a second time: in a later try.
template <typename Thrown>
class ThrowsAmidATry final : public sampling::TokenConstraint {
 public:
  explicit ThrowsAmidATry(int& n_there) : n_there_(n_there) {}
  bool allowed_next(std::span<std::uint64_t>) override {
    if (n_ == 7 && ++n_there_ == 2) throw Thrown("no token may come");
    return false;
  }
  void accept(std::int32_t) override { ++n_; }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<ThrowsAmidATry>(*this);
  }

 private:
  int& n_there_;
  int n_ = 0;
};

TEST_F(EnginePassagesTest, ATryThatFailsLeavesTheFirst) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(50, 1);
  int n_there = 0;
  {
    SCOPED_TRACE("its form has too many ways: the reply goes on");
    EngineRequest asked = request(prompt, 5, 30);
    asked.constraint = std::make_unique<ThrowsAmidATry<sampling::ConstraintError>>(n_there);
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, std::move(asked), judge);
    expect_bits_of_one_reply(engine, prompt, reply);
    EXPECT_EQ(judge->tries[0].size(), 1U);
    EXPECT_EQ(reply.result->reason, FinishReason::length);
    EXPECT_EQ(reply.tokens.size(), 30U);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 3);
    EXPECT_FALSE(reply.result->failed_try);
  }
  {
    SCOPED_TRACE("nothing can go on: the reply ends with what it has");
    n_there = 0;
    EngineRequest asked = request(prompt, 5, 30);
    asked.constraint = std::make_unique<ThrowsAmidATry<Error>>(n_there);
    const auto judge = std::make_shared<Judge>();
    const Reply reply = follow(engine, std::move(asked), judge);
    ASSERT_TRUE(reply.result);
    ASSERT_TRUE(reply.result->failed_try);
    EXPECT_EQ(reply.result->failed_try->message, "no token may come");
    EXPECT_EQ(judge->n_taken, 1);
    EXPECT_EQ(reply.tokens.size(), 10U);
    EXPECT_EQ(reply.result->stats.generated_tokens, 10);
    EXPECT_EQ(reply.result->stats.dropped_tokens, 3);
  }
}

TEST_F(EnginePassagesTest, ADeadlineAmidATryLeavesTheFirst) {
  Engine engine(*model_, options());
  Reply reply;
  // As much time as this machine needs to come to the second try, which then waits for the
  // deadline.
  for (double seconds = 0.2; !reply.result; seconds *= 4) {
    EngineRequest asked = request(random_tokens(50, 1), 5, -1);
    asked.deadline = monotonic_seconds() + seconds;
    const auto judge = std::make_shared<Judge>();
    const double deadline = asked.deadline;
    judge->wants_more = [deadline](int n_try, std::size_t) {
      while (n_try == 2 && monotonic_seconds() < deadline) std::this_thread::yield();
      return true;
    };
    reply = follow(engine, std::move(asked), judge);
    ASSERT_LT(seconds, 1000);
  }
  ASSERT_TRUE(reply.result->failed_try);
  EXPECT_EQ(reply.result->failed_try->kind, EngineFailure::Kind::deadline);
  EXPECT_EQ(reply.tokens.size(), 10U);
}

TEST_F(EnginePassagesTest, TheNextTurnFindsTheReply) {
  ASSERT_TRUE(model_->model().has_one_arithmetic());
  Engine engine(*model_, options());
  std::uint32_t seed = 0;
  for (const std::size_t length : {6U, 150U}) {
    for (const int good : {1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << length << " " << good);
      const Tokens prompt = random_tokens(60, ++seed);
      const auto judge = std::make_shared<Judge>();
      judge->places = {{4, 4 + length}};
      judge->is_good = [good](int, int n_try) { return n_try == good; };
      Tokens next = prompt;
      const Tokens ids = follow(engine, request(prompt, seed, 480), judge).ids();
      next.insert(next.end(), ids.begin(), ids.end());
      next.push_back(500);
      const Reply warm = ask(engine, request(next, 77));
      expect_same_reply(warm, ask(engine, cold(request(next, 77))));
      EXPECT_EQ(warm.result->stats.cached_tokens, 60 + 479);
    }
  }
}

TEST_F(EnginePassagesTest, OfAReplyThatEndsAmidATryThePartBeforeIsFound) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(60, 1);
  const auto judge = std::make_shared<Judge>();
  judge->places = {{20, 120}};
  judge->wants_more = [](int n_try, std::size_t n_told) { return n_try == 1 || n_told < 180; };
  Tokens next = prompt;
  const Tokens ids = follow(engine, request(prompt, 5, 700), judge).ids();
  ASSERT_EQ(ids.size(), 120U);
  next.insert(next.end(), ids.begin(), ids.end());
  next.push_back(500);
  const Reply warm = ask(engine, request(next, 77));
  expect_same_reply(warm, ask(engine, cold(request(next, 77))));
  EXPECT_EQ(warm.result->stats.cached_tokens, 60 + 19);
}

TEST_F(EnginePassagesTest, WithoutMemoryToGoBackThereIsOneTry) {
  const auto asked = [](std::uint32_t who) {
    EngineRequest made = request(random_tokens(100, who), who, 450);
    made.generation.sampling.n_logprobs.reset();
    return made;
  };
  std::uint64_t cached = 0;
  {
    Engine engine(*model_, options());
    ask(engine, asked(1));
    cached = engine.stats().kv_bytes_cached;
  }
  // Whatever there is room for, none fails, and all have their tokens.
  std::set<std::size_t> n_tries;
  for (const std::uint64_t tenths : {9U, 12U, 30U}) {
    EngineOptions small = options(cached * tenths / 10);
    std::uint64_t most = 0;
    Engine* running = nullptr;
    small.on_step = [&](const StepRecord&) {
      const EngineStats stats = running->stats();
      most = std::max(most, stats.kv_bytes_running + stats.kv_bytes_cached);
    };
    Engine engine(*model_, small);
    running = &engine;
    std::vector<std::shared_ptr<Judge>> judges;
    for (std::uint32_t who = 0; who < 2; ++who) {
      judges.push_back(std::make_shared<Judge>());
      judges.back()->places = {{4, 140}};
      engine.submit(judged(asked(who)), judges.back());
    }
    for (const auto& judge : judges) {
      const Reply reply = judge->wait();
      ASSERT_TRUE(reply.result) << tenths << " " << reply.failure->message;
      EXPECT_EQ(reply.tokens.size(), 450U);
      n_tries.insert(judge->tries[0].size());
    }
    EXPECT_LE(most, small.kv_bytes);
  }
  EXPECT_THAT(n_tries, testing::ElementsAre(1, 3));
}

}  // namespace
}  // namespace pleiad
