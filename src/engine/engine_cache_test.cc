// The prefix cache behind the engine, on the demo model (a window of 128 tokens):
// what is cached shows in the time and in the counts, and nowhere else.

#include <gtest/gtest.h>

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

Tokens joined(const Tokens& a, const Tokens& b) {
  Tokens both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

// Passes that are not a multiple of a page.
class EngineCacheTest : public testing_support::DemoEngineTest<200, 32> {
 protected:
  static constexpr std::int64_t kPage = 64;
  static constexpr std::int64_t kLeastBeginning = 16;  // of what is found of a first page
};

TEST_F(EngineCacheTest, ACachedPromptGivesTheBitsOfAColdOneWhereverTheyPart) {
  Engine engine(*model_, options());
  const Tokens base = random_tokens(900, 1);
  ask(engine, request(base));
  std::uint32_t seed = 10;
  for (const std::int64_t depth : {0, 1, 63, 64, 65, 127, 128, 300, 448, 640, 831, 832, 899, 900}) {
    SCOPED_TRACE(depth);
    const Tokens prompt = joined({base.begin(), base.begin() + depth}, random_tokens(70, ++seed));
    const Reply expected = ask(engine, cold(request(prompt, seed)));
    EXPECT_EQ(expected.result->stats.cached_tokens, 0);
    EngineRequest by_pages = request(prompt, seed);
    by_pages.within_pages = false;
    const Reply in_pages = ask(engine, std::move(by_pages));
    EXPECT_EQ(in_pages.result->stats.cached_tokens, depth / kPage * kPage);
    expect_same_reply(in_pages, expected);
    // Beside another one that parts from the base at the same place.
    const Tokens other = joined({base.begin(), base.begin() + depth}, random_tokens(70, ++seed));
    const Reply found = ask(engine, request(other, seed));
    EXPECT_EQ(found.result->stats.cached_tokens, depth < kLeastBeginning ? 0 : depth);
    EXPECT_EQ(found.result->stats.prompt_tokens, depth + 70);
    expect_same_reply(found, ask(engine, cold(request(other, seed))));
  }
}

TEST_F(EngineCacheTest, TheSamePromptAgainComputesItsLastToken) {
  Engine engine(*model_, options());
  for (const std::size_t n : {1U, 63U, 64U, 65U, 128U, 129U, 500U}) {
    const Tokens prompt = random_tokens(n, static_cast<std::uint32_t>(n));
    const Reply first = ask(engine, request(prompt));
    const Reply again = ask(engine, request(prompt));
    EXPECT_EQ(first.result->stats.cached_tokens, 0);
    EXPECT_EQ(again.result->stats.cached_tokens, static_cast<std::int64_t>(n) - 1);
    expect_same_reply(first, again);
  }
}

TEST_F(EngineCacheTest, ConversationsThatTakeTurnsKeepTheirPages) {
  Engine engine(*model_, options());
  std::vector<Tokens> conversations = {random_tokens(400, 1), random_tokens(300, 2),
                                       random_tokens(350, 3)};
  std::vector<std::int64_t> computed = {0, 0, 0};  // of each
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    for (std::size_t who = 0; who < conversations.size(); ++who) {
      const Reply reply = ask(engine, request(conversations[who], turn, 20));
      EXPECT_EQ(reply.result->stats.cached_tokens, computed[who]);
      expect_same_reply(reply, ask(engine, cold(request(conversations[who], turn, 20))));
      computed[who] = std::ssize(conversations[who]) + 19;  // the reply's last token is told alone
      conversations[who] =
          joined(joined(conversations[who], reply.ids()), random_tokens(60, 50 + turn));
    }
  }
}

TEST_F(EngineCacheTest, IdenticalPromptsAtOnceAreComputedOnce) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(1000, 1);
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (std::uint64_t i = 0; i < 8; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(request(prompt, i), sinks.back());
  }
  std::vector<Reply> replies;
  for (const auto& sink : sinks) replies.push_back(sink->wait());
  EXPECT_EQ(engine.stats().tokens_evaluated, 1000U + 7 * 40);
  EXPECT_EQ(engine.stats().tokens_cached, 7U * 960);
  for (std::uint64_t i = 0; i < 8; ++i) {
    expect_same_reply(replies[i], ask(engine, cold(request(prompt, i))));
  }
}

TEST_F(EngineCacheTest, PromptsThatShareABeginningWaitForItAndNoLonger) {
  Engine engine(*model_, options());
  const Tokens shared = random_tokens(640, 1);
  const auto first = std::make_shared<CollectingSink>();
  const auto second = std::make_shared<CollectingSink>();
  std::int64_t first_done = 0;
  std::int64_t first_done_at_second = -1;
  first->on_progress = [&](std::int64_t done, std::int64_t) { first_done = done; };
  second->on_progress = [&](auto, auto) {
    if (first_done_at_second < 0) first_done_at_second = first_done;
  };
  engine.submit(request(joined(shared, random_tokens(2000, 2))), first);
  engine.submit(request(joined(shared, random_tokens(30, 3))), second);
  EXPECT_EQ(second->wait().result->stats.cached_tokens, 640);
  first->wait();
  EXPECT_GE(first_done_at_second, 640);
  EXPECT_LT(first_done_at_second, 2640);
}

TEST_F(EngineCacheTest, WhoWaitsForACancelledPromptGoesOnFromItsPages) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(1000, 1);
  const auto first = std::make_shared<CollectingSink>();
  const auto second = std::make_shared<CollectingSink>();
  Engine::RequestId id = 0;
  std::mutex known;
  known.lock();
  first->on_progress = [&](std::int64_t done, std::int64_t) {
    const std::lock_guard wait(known);
    if (done >= 400) engine.cancel(id);
  };
  id = engine.submit(request(prompt), first);
  engine.submit(request(prompt), second);
  known.unlock();
  EXPECT_EQ(first->wait().result->reason, FinishReason::cancelled);
  const Reply reply = second->wait();
  EXPECT_EQ(reply.result->stats.cached_tokens, 400);
  expect_same_reply(reply, ask(engine, cold(request(prompt))));
}

TEST_F(EngineCacheTest, ARequestWithoutCacheNeitherReadsNorFillsIt) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(300, 1);
  ask(engine, cold(request(prompt)));
  EXPECT_EQ(engine.stats().kv_bytes_cached, 0U);
  EXPECT_EQ(ask(engine, request(prompt)).result->stats.cached_tokens, 0);
  EXPECT_GT(engine.stats().kv_bytes_cached, 0U);
  EXPECT_EQ(ask(engine, cold(request(prompt))).result->stats.cached_tokens, 0);
}

TEST_F(EngineCacheTest, AllMemoryIsFreeOnceAllHasEndedAndTheCacheIsCleared) {
  Engine engine(*model_, options());
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (std::uint32_t i = 0; i < 10; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    const auto id = engine.submit(request(random_tokens(50 + 60 * i, i), i, 20), sinks.back());
    if (i % 3 == 0) engine.cancel(id);
  }
  for (const auto& sink : sinks) sink->wait();
  EngineStats stats = settled_stats(engine);
  EXPECT_EQ(stats.kv_bytes_running, 0U);
  EXPECT_GT(stats.kv_bytes_cached, 0U);
  engine.clear_cache();
  stats = settled_stats(engine);
  EXPECT_EQ(stats.kv_bytes_running, 0U);
  EXPECT_EQ(stats.kv_bytes_cached, 0U);
}

TEST_F(EngineCacheTest, UnderASmallBudgetTheOldestPromptsGoAndNothingIsWrong) {
  std::vector<Tokens> prompts;
  for (std::uint32_t i = 0; i < 12; ++i) {
    prompts.push_back(joined(random_tokens(200, 100 + i % 3), random_tokens(400, i)));
  }
  std::vector<Reply> expected;
  std::uint64_t one = 0;
  {
    Engine engine(*model_, options());
    for (const Tokens& prompt : prompts) expected.push_back(ask(engine, cold(request(prompt))));
    ask(engine, request(prompts[0]));
    one = engine.stats().kv_bytes_cached;
  }
  EngineOptions small = options(4 * one);
  std::uint64_t most = 0;
  Engine* running = nullptr;
  small.on_step = [&](const StepRecord&) {
    const EngineStats stats = running->stats();
    most = std::max(most, stats.kv_bytes_running + stats.kv_bytes_cached);
  };
  Engine engine(*model_, small);
  running = &engine;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::shared_ptr<CollectingSink>> sinks;
    for (const Tokens& prompt : prompts) {
      sinks.push_back(std::make_shared<CollectingSink>());
      engine.submit(request(prompt), sinks.back());
    }
    for (std::size_t i = 0; i < sinks.size(); ++i) expect_same_reply(sinks[i]->wait(), expected[i]);
  }
  EXPECT_GT(engine.stats().cache_evicted_pages, 0U);
  EXPECT_LE(most, 4 * one);
  // What was used last is still there.
  ask(engine, request(prompts[5]));
  ask(engine, request(prompts[6]));
  EXPECT_EQ(ask(engine, request(prompts[5])).result->stats.cached_tokens, 599);
}

TEST_F(EngineCacheTest, RepliesWithoutALimitShareAMemoryThatTheyCouldEachFill) {
  // Each ends at 1,250 tokens, of which 1,124 are promised. Beside two of these there
  // is room for one to go on to its end.
  constexpr std::int64_t kMost = 1250;
  EngineOptions narrow = options();
  narrow.context_length = kMost;
  const auto ask_both = [](Engine& engine) {
    std::vector<std::shared_ptr<CollectingSink>> sinks;
    for (std::uint32_t i = 0; i < 2; ++i) {
      sinks.push_back(std::make_shared<CollectingSink>());
      EngineRequest one = cold(request(random_tokens(100, i), i, -1));
      one.generation.sampling.n_logprobs.reset();
      engine.submit(std::move(one), sinks.back());
    }
    return std::vector<Reply>{sinks[0]->wait(), sinks[1]->wait()};
  };
  std::vector<Reply> expected;
  {
    Engine engine(*model_, narrow);
    expected = ask_both(engine);
  }
  const auto cache = model_->model().make_kv_cache({narrow.kv_type});
  narrow.kv_bytes = cache->lasting_bytes_for(1124) + cache->lasting_bytes_for(kMost) +
                    2 * cache->sliding_bytes_for(kMost, model_->model().info().max_rows);
  std::int64_t n_together = 0;
  std::int64_t n_alone = 0;
  narrow.on_step = [&](const StepRecord& step) {
    n_together += step.generated_rows == 2;
    n_alone += step.generated_rows == 1;
  };
  Engine engine(*model_, narrow);
  const std::vector<Reply> replies = ask_both(engine);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(replies[i].result->reason, FinishReason::context_full);
    EXPECT_EQ(std::ssize(replies[i].tokens), kMost - 100);
    expect_same_reply(replies[i], expected[i]);
  }
  EXPECT_GE(n_together, 1000);
  EXPECT_GE(n_alone, 2 * (kMost - 1124) - 10) << "one waits until the other has ended";
}

TEST_F(EngineCacheTest, AScopeSeesNothingOfAnotherAndComputesTheSame) {
  Engine engine(*model_, options());
  const auto of = [](std::uint64_t scope, EngineRequest request) {
    request.cache_scope = CacheScope(scope);
    request.explain_cache = CacheDetail::tokens;
    return request;
  };
  const Tokens prompt = random_tokens(300, 1);
  const Reply first = ask(engine, of(1, request(prompt)));
  const Reply second = ask(engine, of(2, request(prompt)));
  EXPECT_EQ(second.result->stats.cached_tokens, 0);
  EXPECT_EQ(second.result->cache->common_tokens, 0);
  EXPECT_TRUE(second.result->cache->cached_next.empty());
  const Reply unread = ask(engine, of(3, cold(request(prompt))));
  EXPECT_EQ(unread.result->cache->common_tokens, 0) << "looking alone tells nothing either";
  expect_same_reply(first, second);
  for (const std::uint64_t scope : {1, 2}) {
    const Reply again = ask(engine, of(scope, request(prompt)));
    EXPECT_EQ(again.result->stats.cached_tokens, 299);
    expect_same_reply(first, again);
  }
}

TEST_F(EngineCacheTest, NobodyWaitsForAPromptOfAnotherScope) {
  Engine engine(*model_, options());
  const Tokens prompt = random_tokens(1000, 1);
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (std::uint64_t i = 0; i < 4; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    EngineRequest one = request(prompt, i);
    one.cache_scope = CacheScope(i / 2);
    engine.submit(std::move(one), sinks.back());
  }
  std::vector<Reply> replies;
  for (const auto& sink : sinks) replies.push_back(sink->wait());
  EXPECT_EQ(engine.stats().tokens_evaluated, 2 * (1000U + 40));
  EXPECT_EQ(replies[0].result->stats.cached_tokens, 0);
  EXPECT_EQ(replies[1].result->stats.cached_tokens, 960);
  EXPECT_EQ(replies[2].result->stats.cached_tokens, 0);
  EXPECT_EQ(replies[3].result->stats.cached_tokens, 960);
}

TEST_F(EngineCacheTest, ScopesGiveWayToEachOtherAndNothingIsWrong) {
  const Tokens prompt = random_tokens(600, 1);
  std::uint64_t one = 0;
  Reply expected;
  {
    Engine engine(*model_, options());
    expected = ask(engine, request(prompt));
    one = engine.stats().kv_bytes_cached;
  }
  Engine engine(*model_, options(3 * one));
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<CollectingSink>> sinks;
    for (std::uint64_t scope = 0; scope < 6; ++scope) {
      sinks.push_back(std::make_shared<CollectingSink>());
      EngineRequest again = request(prompt);
      again.cache_scope = CacheScope(scope);
      engine.submit(std::move(again), sinks.back());
    }
    for (const auto& sink : sinks) expect_same_reply(sink->wait(), expected);
  }
  EXPECT_GT(engine.stats().cache_evicted_pages, 0U);
}

class CacheExplanationTest : public EngineCacheTest {
 protected:
  CacheExplanationTest() { other_[150] = 7; }

  /// A prompt that leaves a cached one at its token 150.
  Reply ask_beside_cached(Engine& engine, CacheDetail detail) {
    ask(engine, request(base_));
    EngineRequest asked = request(other_);
    asked.explain_cache = detail;
    asked.within_pages = detail == CacheDetail::tokens;
    return ask(engine, std::move(asked));
  }

  const Tokens base_ = random_tokens(300, 1);
  Tokens other_ = base_;
};

TEST_F(CacheExplanationTest, ExplainsInWholePagesWhereNoMoreShallBeTold) {
  Engine engine(*model_, options());
  const Reply reply = ask_beside_cached(engine, CacheDetail::pages);
  ASSERT_TRUE(reply.result->cache);
  EXPECT_EQ(reply.result->cache->cached_tokens, 128);
  EXPECT_EQ(reply.result->cache->common_tokens, 128);
  EXPECT_TRUE(reply.result->cache->cached_next.empty());
  EXPECT_TRUE(reply.result->cache->prompt_next.empty()) << "it would begin where they part";
}

TEST_F(CacheExplanationTest, ExplainsWhereAPromptLeftTheCache) {
  Engine engine(*model_, options());
  const Reply reply = ask_beside_cached(engine, CacheDetail::tokens);
  ASSERT_TRUE(reply.result->cache);
  const CacheExplanation& found = *reply.result->cache;
  EXPECT_EQ(found.cached_tokens, 150);
  EXPECT_EQ(found.common_tokens, 150);
  EXPECT_EQ(found.cached_next, Tokens(base_.begin() + 150, base_.begin() + 158));
  EXPECT_EQ(found.prompt_next, Tokens(other_.begin() + 150, other_.begin() + 158));
  EXPECT_FALSE(ask(engine, request(other_)).result->cache);

  EngineRequest unlike = cold(request(random_tokens(100, 5)));
  unlike.explain_cache = CacheDetail::tokens;
  const Reply none = ask(engine, std::move(unlike));
  ASSERT_TRUE(none.result->cache);
  EXPECT_EQ(none.result->cache->cached_tokens, 0);
  EXPECT_EQ(none.result->cache->common_tokens, 0);
  EXPECT_EQ(none.result->cache->prompt_next.size(), 8U);
}

}  // namespace
}  // namespace pleiad
