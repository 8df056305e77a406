// Replies in the prefix cache, on the demo model (a window of 128 tokens): the next turn computes
// what is new, and its bits are those of a prompt that was computed whole.

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <thread>

#include "backend/cpu/cpu_backend.h"
#include "base/clock.h"
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
using Tokens = std::vector<text::TokenId>;

Tokens text_of(std::initializer_list<Tokens> parts) {
  Tokens all;
  for (const Tokens& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// A backend whose generated tokens count as computed otherwise than those of prompts, whatever
/// they are.
class TwoArithmetics final : public cpu::CpuBackend {
 public:
  using CpuBackend::CpuBackend;
  bool has_one_arithmetic() const override { return false; }
};

// Passes that are not a multiple of a page.
class EngineRepliesTest : public testing_support::DemoEngineTest<200, 32> {
 protected:
  static void SetUpTestSuite() {
    auto backend = std::make_unique<cpu::CpuBackend>(cpu_options());
    if (!backend->has_one_arithmetic()) {
      backend = std::make_unique<cpu::CpuBackend>(cpu_options("scalar"));
    }
    load(std::move(backend));
  }

  /// The cached tokens of a prompt, whose reply is that of a cold one.
  static std::int64_t cached_tokens(Engine& engine, const Tokens& prompt, CacheScope scope = {}) {
    EngineRequest asked = request(prompt, 77);
    asked.cache_scope = scope;
    const Reply warm = ask(engine, std::move(asked));
    const Reply expected = ask(engine, cold(request(prompt, 77)));
    expect_same_reply(warm, expected);
    return warm.result ? warm.result->stats.cached_tokens : -1;
  }
};

TEST_F(EngineRepliesTest, TheNextTurnComputesWhatIsNew) {
  ASSERT_TRUE(model_->model().has_one_arithmetic());
  Engine engine(*model_, options());
  // Of this prompt and that reply: within a page, across pages, up to the end of one.
  std::uint32_t seed = 0;
  for (const std::size_t n_prompt : {20U, 63U, 64U, 130U}) {
    for (const std::int64_t n_reply : {1, 2, 30, 65, 127, 128, 129}) {
      SCOPED_TRACE(fmt::format("{} and {} tokens", n_prompt, n_reply));
      const Tokens prompt = random_tokens(n_prompt, ++seed);
      const Reply reply = ask(engine, request(prompt, seed, n_reply));
      const Tokens next = text_of({prompt, reply.ids(), random_tokens(10, 1000 + seed)});
      // The last token of the reply was told and not computed.
      EXPECT_EQ(cached_tokens(engine, next), std::ssize(prompt) + n_reply - 1);
    }
  }
}

// Windows have long moved on from most of it.
TEST_F(EngineRepliesTest, ALongReplyIsFoundAtAnyDepth) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(100, 1);
  const Tokens reply = ask(engine, request(prompt, 1, 700)).ids();
  std::uint32_t seed = 10;
  for (const std::int64_t depth : {0, 1, 27, 28, 29, 100, 220, 450, 668, 690, 699}) {
    SCOPED_TRACE(depth);
    const Tokens kept(reply.begin(), reply.begin() + depth);
    EXPECT_EQ(cached_tokens(engine, text_of({prompt, kept, random_tokens(40, ++seed)})),
              100 + depth);
  }
}

// A template drops earlier thoughts: the next prompt agrees as far as where they began.
TEST_F(EngineRepliesTest, WhereTheReplysBeginningIsDroppedThePromptIsFound) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(150, 1);
  const Tokens reply = ask(engine, request(prompt, 1, 90)).ids();
  const Tokens content(reply.begin() + 50, reply.end());
  EXPECT_EQ(cached_tokens(engine, text_of({prompt, content, random_tokens(10, 2)})), 150);
}

TEST_F(EngineRepliesTest, AReplyThatIsCutOffIsKeptAsFarAsItWasComputed) {
  Engine engine(*model_, options());
  const auto next_turn = [](const Tokens& prompt, const Reply& reply) {
    return text_of({prompt, reply.ids(), random_tokens(10, 99)});
  };
  {
    SCOPED_TRACE("a stop string: whoever reads it wants no more");
    const Tokens prompt = random_tokens(50, 1);
    const auto sink = std::make_shared<CollectingSink>();
    sink->wants_more = [](std::size_t n) { return n < 80; };
    engine.submit(request(prompt, 1, 300), sink);
    const Reply reply = sink->wait();
    EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
    EXPECT_EQ(cached_tokens(engine, next_turn(prompt, reply)), 50 + 79);
  }
  {
    SCOPED_TRACE("the client has gone");
    const Tokens prompt = random_tokens(60, 2);
    const auto sink = std::make_shared<CollectingSink>();
    const Engine::RequestId id = engine.submit(request(prompt, 1, 100'000), sink);
    sink->wait_for_tokens(70);
    engine.cancel(id);
    const Reply reply = sink->wait();
    EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
    const std::int64_t cached = cached_tokens(engine, next_turn(prompt, reply));
    EXPECT_EQ(cached, 60 + std::ssize(reply.tokens) - 1);
  }
  {
    SCOPED_TRACE("the model ends its turn: the token by which it does is not computed");
    const Tokens prompt = random_tokens(70, 3);
    const Tokens before = ask(engine, cold(request(prompt, 5, 40))).ids();
    EngineRequest asked = request(prompt, 5, 40);
    asked.generation.stop_tokens = sampling::StopTokens(Tokens{before.back()});
    const Reply reply = ask(engine, std::move(asked));
    EXPECT_EQ(reply.result->reason, FinishReason::stop_token);
    EXPECT_EQ(reply.result->stop_token, before.back());
    EXPECT_EQ(cached_tokens(engine, text_of({prompt, reply.ids(), {before.back()}, {500, 501}})),
              70 + std::ssize(reply.tokens));
  }
  {
    SCOPED_TRACE("the context ends");
    const Tokens prompt = random_tokens(80, 4);
    EngineRequest asked = request(prompt, 1, -1);
    asked.context_length = 150;
    const Reply reply = ask(engine, std::move(asked));
    EXPECT_EQ(reply.result->reason, FinishReason::context_full);
    EXPECT_EQ(cached_tokens(engine, next_turn(prompt, reply)), 149);
  }
}

// A tool's results come after the reply that called it, and another reply after these.
TEST_F(EngineRepliesTest, AConversationThatGrowsIsNeverReadAgain) {
  Engine engine(*model_, options());
  Tokens text = random_tokens(300, 1);
  std::int64_t known = 0;
  for (std::uint32_t turn = 0; turn < 8; ++turn) {
    SCOPED_TRACE(turn);
    const std::int64_t n_reply = 10 + 23 * turn;
    const Reply expected = ask(engine, cold(request(text, turn, n_reply)));
    const Reply reply = ask(engine, request(text, turn, n_reply));
    expect_same_reply(reply, expected);
    EXPECT_EQ(reply.result->stats.cached_tokens, known);
    known = std::ssize(text) + n_reply - 1;
    text = text_of({text, reply.ids(), random_tokens(5 + 17 * turn, 100 + turn)});
  }
}

TEST_F(EngineRepliesTest, SeveralRepliesToOnePromptAreAllFound) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(100, 1);
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (std::uint64_t i = 0; i < 6; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(request(prompt, i, 50), sinks.back());
  }
  for (const auto& sink : sinks) {
    const Reply reply = sink->wait();
    EXPECT_EQ(cached_tokens(engine, text_of({prompt, reply.ids(), {500, 501}})), 149);
  }
}

// Its pages are shared while it still grows.
TEST_F(EngineRepliesTest, AReplyThatRunsIsFoundInWholePages) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(100, 1);
  const Tokens begun = ask(engine, cold(request(prompt, 1, 110))).ids();
  const Tokens next = text_of({prompt, begun, random_tokens(10, 2)});
  const Reply expected = ask(engine, cold(request(next, 5)));
  const auto first = std::make_shared<CollectingSink>();
  const auto second = std::make_shared<CollectingSink>();
  std::promise<void> submitted;
  first->wants_more = [&](std::size_t n) {
    if (n == 120) submitted.get_future().wait();
    return true;
  };
  engine.submit(request(prompt, 1, 300), first);
  first->wait_for_tokens(120);
  engine.submit(request(next, 5), second);
  submitted.set_value();
  const Reply reply = second->wait();
  EXPECT_EQ(reply.result->stats.cached_tokens, 192);
  expect_same_reply(reply, expected);
  EXPECT_EQ(first->wait().ids().size(), 300U);
}

TEST_F(EngineRepliesTest, WhatIsNotToBeCachedIsNotKept) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(100, 1);
  const Reply reply = ask(engine, cold(request(prompt, 1, 100)));
  EXPECT_EQ(cached_tokens(engine, text_of({prompt, reply.ids(), {500}})), 0);
}

TEST_F(EngineRepliesTest, AScopeSeesNoRepliesOfAnother) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(100, 1);
  EngineRequest asked = request(prompt, 1, 100);
  asked.cache_scope = CacheScope{1};
  const Reply reply = ask(engine, std::move(asked));
  const Tokens next = text_of({prompt, reply.ids(), {500}});
  EXPECT_EQ(cached_tokens(engine, next, CacheScope{2}), 0);
  EXPECT_EQ(cached_tokens(engine, next, CacheScope{1}), 199);
}

// Where others wrote in the scope as well: how far a guess agrees is told in whole pages.
TEST_F(EngineRepliesTest, WhoMayNotKnowTheTextsOfTheScopeFindsWholePages) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(100, 1);
  const Reply reply = ask(engine, request(prompt, 1, 100));
  EngineRequest next = request(text_of({prompt, reply.ids(), {500}}));
  next.within_pages = false;
  EXPECT_EQ(ask(engine, std::move(next)).result->stats.cached_tokens, 192);
}

TEST_F(EngineRepliesTest, UnderASmallBudgetRepliesGiveWayAndNothingIsWrong) {
  std::map<std::uint32_t, std::pair<Reply, Reply>> expected;
  std::uint64_t one = 0;
  const auto first_turn = [](std::uint32_t who) {
    return request(random_tokens(90 + 10 * who, who), who, 150);
  };
  const auto second_turn = [&](std::uint32_t who) {
    const Tokens reply = expected.at(who).first.ids();
    return request(text_of({first_turn(who).prompt, reply, random_tokens(20, 50 + who)}), who, 80);
  };
  {
    Engine engine(*model_, options());
    for (std::uint32_t who = 0; who < 8; ++who) {
      expected[who].first = ask(engine, cold(first_turn(who)));
      expected[who].second = ask(engine, cold(second_turn(who)));
    }
    ask(engine, first_turn(7));
    one = engine.stats().kv_bytes_cached;
  }
  EngineOptions small = options(3 * one);
  std::uint64_t most = 0;
  Engine* running = nullptr;
  small.on_step = [&](const StepRecord&) {
    const EngineStats stats = running->stats();
    most = std::max(most, stats.kv_bytes_running + stats.kv_bytes_cached);
  };
  Engine engine(*model_, small);
  running = &engine;
  for (const bool second : {false, true, true}) {
    std::vector<std::shared_ptr<CollectingSink>> sinks;
    for (std::uint32_t who = 0; who < 8; ++who) {
      sinks.push_back(std::make_shared<CollectingSink>());
      engine.submit(second ? second_turn(who) : first_turn(who), sinks.back());
    }
    for (std::uint32_t who = 0; who < 8; ++who) {
      const auto& [first_reply, second_reply] = expected.at(who);
      expect_same_reply(sinks[who]->wait(), second ? second_reply : first_reply);
    }
  }
  EXPECT_GT(engine.stats().cache_evicted_pages, 0U);
  EXPECT_LE(most, 3 * one);
  // The last conversation alone is still there.
  EXPECT_EQ(ask(engine, second_turn(7)).result->stats.cached_tokens,
            std::ssize(second_turn(7).prompt) - 1);
  engine.clear_cache();
  ask(engine, cold(request({300}, 1, 0)));
  EXPECT_EQ(engine.stats().kv_bytes_cached, 0U);
  EXPECT_EQ(engine.stats().kv_bytes_running, 0U);
}

/// Where generated tokens round otherwise: replies are read once more when nothing else is to do.
class IdleReaderTest : public EngineRepliesTest {
 protected:
  static void SetUpTestSuite() { load(std::make_unique<TwoArithmetics>(cpu_options())); }

  static void wait_until_read(Engine& engine, std::uint64_t n_tokens) {
    const double begun = monotonic_seconds();
    while (engine.stats().tokens_read_idly < n_tokens && monotonic_seconds() < begun + 60) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(engine.stats().tokens_read_idly, n_tokens);
  }
};

TEST_F(IdleReaderTest, ReadsAReplyOnceAndTheNextTurnFindsIt) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(150, 1);
  const Reply reply = ask(engine, request(prompt, 1, 100));
  wait_until_read(engine, 99);
  const Tokens next = text_of({prompt, reply.ids(), random_tokens(10, 2)});
  EXPECT_EQ(cached_tokens(engine, next), 150 + 99);
  EXPECT_EQ(engine.stats().tokens_evaluated, 150U + 11U + std::size(next));
}

TEST_F(IdleReaderTest, ReadsNothingWhileSomethingRuns) {
  Engine engine(*model_, options());
  const auto running = std::make_shared<CollectingSink>();
  const Engine::RequestId id = engine.submit(cold(request(random_tokens(5, 9), 1, -1)), running);
  const Tokens prompt = random_tokens(150, 1);
  const Reply reply = ask(engine, request(prompt, 1, 20));
  const Tokens next = text_of({prompt, reply.ids(), random_tokens(10, 2)});
  EXPECT_EQ(cached_tokens(engine, next), 150) << "what was generated is not kept as it is";
  EXPECT_EQ(engine.stats().tokens_read_idly, 0U);
  engine.cancel(id);
  running->wait();
  wait_until_read(engine, 11);  // of the reply to the second turn, whose prompt has the first
}

TEST_F(IdleReaderTest, GivesWayToARequestAndGoesOnAfterIt) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(100, 1);
  const Reply reply = ask(engine, request(prompt, 1, 900));
  while (engine.stats().tokens_read_idly == 0) std::this_thread::yield();
  const Reply other = ask(engine, cold(request(random_tokens(40, 3), 3, 5)));
  EXPECT_TRUE(other.result);
  // None of it twice; the end of the prompt again, whose page the windows have passed.
  wait_until_read(engine, 36 + 899);
  const Tokens next = text_of({prompt, reply.ids(), random_tokens(10, 2)});
  EXPECT_EQ(cached_tokens(engine, next), 100 + 899);
}

TEST_F(IdleReaderTest, ReadsNothingWhileAnotherEngineAnswers) {
  ComputeTurn turn;
  turn.answers_began();
  Engine engine(*model_, options(), &turn);
  ask(engine, request(random_tokens(100, 1), 1, 100));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_EQ(engine.stats().tokens_read_idly, 0U);
  turn.answers_ended();
  wait_until_read(engine, 99);
}

TEST_F(IdleReaderTest, ReadsNothingThatIsNotToBeKeptOrIsKept) {
  Engine engine(*model_, options());
  ask(engine, cold(request(random_tokens(100, 1), 1, 100)));
  ask(engine, request(random_tokens(100, 2), 1, 1));  // whose one token was not computed
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ask(engine, cold(request({300}, 1, 0)));
  EXPECT_EQ(engine.stats().tokens_read_idly, 0U);
}

TEST_F(IdleReaderTest, LeavesOffAmidATextWhereTheEngineEnds) {
  Engine engine(*model_, options());
  ask(engine, request(random_tokens(100, 1), 1, 900));
  while (engine.stats().tokens_read_idly == 0) std::this_thread::yield();
}

TEST_F(IdleReaderTest, UnderASmallBudgetNothingIsWrong) {
  std::uint64_t one = 0;
  {
    Engine engine(*model_, options());
    ask(engine, request(random_tokens(300, 1), 1, 200));
    one = engine.stats().kv_bytes_cached;
  }
  Engine engine(*model_, options(2 * one));
  for (std::uint32_t round = 0; round < 4; ++round) {
    const Tokens prompt = random_tokens(300, round % 3);
    const Reply reply = ask(engine, request(prompt, round, 80));
    expect_same_reply(reply, ask(engine, cold(request(prompt, round, 80))));
    cached_tokens(engine, text_of({prompt, reply.ids(), random_tokens(10, round)}));
  }
  EXPECT_GT(engine.stats().cache_evicted_pages, 0U);
}

}  // namespace
}  // namespace pleiad
