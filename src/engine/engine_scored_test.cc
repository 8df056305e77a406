// Prompts whose logits are taken.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <stdexcept>

#include "engine/engine.h"
#include "engine/testing/demo_engine_test.h"
#include "sampling/softmax.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;
using testing_support::ask;
using testing_support::cold;
using testing_support::CollectingSink;
using testing_support::expect_same_reply;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;

constexpr std::size_t kLogitRows = 40;

// Small passes, so that prompts take several.
class EngineScoredTest : public testing_support::DemoEngineTest<96, kLogitRows> {
 protected:
  static std::size_t vocab_size() {
    return static_cast<std::size_t>(model_->model().info().vocab_size);
  }

  /// `one`, whose prompt's logits go to `rows`.
  static EngineRequest scored(EngineRequest one, std::vector<float>& rows) {
    one.take_prompt_logits = [&rows](std::span<const float> values) {
      EXPECT_LE(values.size(), kLogitRows * vocab_size());
      rows.insert(rows.end(), values.begin(), values.end());
    };
    return one;
  }

  /// Without an engine: [n, vocab_size], a token at a time, as parts of a prompt.
  static std::vector<float> expected_rows(std::span<const text::TokenId> prompt) {
    Model& model = model_->model();
    const auto cache = model.make_kv_cache({options().kv_type, KvCacheOptions().page_tokens});
    KvSequence sequence(*cache);
    std::vector<float> rows;
    for (std::size_t i = 0; i < prompt.size(); ++i) {
      sequence.reserve(1);
      const Slice slice = {&sequence, prompt.subspan(i, 1), WantLogits::all, Phase::prompt};
      const Logits logits = model.forward({&slice, 1}, *cache);
      rows.insert(rows.end(), logits.values.begin(), logits.values.end());
    }
    return rows;
  }
};

TEST_F(EngineScoredTest, TheLogitsOfAPromptAreThoseOfEachOfItsTokens) {
  const auto prompt = random_tokens(150, 3);
  const std::vector<float> expected = expected_rows(prompt);
  std::vector<float> rows;
  Engine engine(*model_, options());
  const Reply reply = ask(engine, scored(request(prompt, 5), rows));
  EXPECT_EQ(rows, expected);
  ASSERT_TRUE(reply.result);
  EXPECT_EQ(reply.result->stats.prompt_tokens, 150);
  EXPECT_EQ(reply.result->stats.generated_tokens, 12);
  // The last row chose the first token.
  const auto last = std::span(rows).last(vocab_size());
  const auto& first = reply.tokens.at(0);
  EXPECT_EQ(first.logprob,
            last[static_cast<std::size_t>(first.token)] - sampling::log_sum_exp(last));
}

TEST_F(EngineScoredTest, NeitherIsOtherBesideTheOther) {
  const auto prompt = random_tokens(230, 8);
  std::vector<float> alone;
  Reply stream_alone;
  Reply scored_alone;
  {
    Engine engine(*model_, options());
    scored_alone = ask(engine, scored(request(prompt, 2), alone));
    stream_alone = ask(engine, cold(request(random_tokens(60, 9), 4, 40)));
  }
  Engine engine(*model_, options());
  const auto stream = std::make_shared<CollectingSink>();
  engine.submit(cold(request(random_tokens(60, 9), 4, 40)), stream);
  stream->wait_for_tokens(2);
  std::vector<float> rows;
  std::vector<float> rows_of_another;
  const auto one = std::make_shared<CollectingSink>();
  const auto another = std::make_shared<CollectingSink>();
  engine.submit(scored(request(prompt, 2), rows), one);
  engine.submit(scored(request(prompt, 2), rows_of_another), another);
  expect_same_reply(one->wait(), scored_alone);
  expect_same_reply(another->wait(), scored_alone);
  expect_same_reply(stream->wait(), stream_alone);
  EXPECT_EQ(rows, alone);
  EXPECT_EQ(rows_of_another, alone);
}

TEST_F(EngineScoredTest, NothingComesFromTheCacheOrGoesThere) {
  const auto prompt = random_tokens(140, 6);
  Engine engine(*model_, options());
  std::vector<float> rows;
  ask(engine, scored(request(prompt), rows));
  EXPECT_EQ(ask(engine, request(prompt)).result->stats.cached_tokens, 0);
  EXPECT_GT(ask(engine, request(prompt)).result->stats.cached_tokens, 0);
  std::vector<float> again;
  EXPECT_EQ(ask(engine, scored(request(prompt), again)).result->stats.cached_tokens, 0);
  EXPECT_EQ(again, rows);
}

TEST_F(EngineScoredTest, APromptIsScoredWithoutAReply) {
  const auto prompt = random_tokens(20, 1);
  std::vector<float> rows;
  Engine engine(*model_, options());
  const Reply reply = ask(engine, scored(request(prompt, 1, 0), rows));
  ASSERT_TRUE(reply.result);
  EXPECT_EQ(reply.result->reason, FinishReason::length);
  EXPECT_TRUE(reply.tokens.empty());
  EXPECT_EQ(rows.size(), 20 * vocab_size());
}

TEST_F(EngineScoredTest, APromptWithoutAReplyMayFillTheContext) {
  const auto prompt = random_tokens(150, 1);
  Engine engine(*model_, options());
  for (const std::int64_t context : {std::int64_t{150}, std::int64_t{149}}) {
    std::vector<float> rows;
    EngineRequest full = scored(request(prompt, 1, 0), rows);
    full.context_length = context;
    const Reply reply = ask(engine, std::move(full));
    EXPECT_EQ(reply.result.has_value(), context == 150);
    EXPECT_EQ(rows.size(), context == 150 ? 150 * vocab_size() : 0);
  }
  EngineRequest replies = request(prompt, 1, 1);
  replies.context_length = 150;
  EXPECT_TRUE(ask(engine, std::move(replies)).failure);
}

TEST_F(EngineScoredTest, WhatTakesLogitsMayFailAlone) {
  Engine engine(*model_, options());
  EngineRequest bad = request(random_tokens(150, 1));
  bad.take_prompt_logits = [n = 0](auto) mutable {
    if (++n == 3) throw std::runtime_error("no more rows");
  };
  const Reply failed = ask(engine, std::move(bad));
  ASSERT_TRUE(failed.failure);
  EXPECT_EQ(failed.failure->kind, EngineFailure::Kind::internal);
  EXPECT_THAT(failed.failure->message, HasSubstr("no more rows"));
  EXPECT_TRUE(ask(engine, request(random_tokens(150, 1))).result);
  const EngineStats stats = settled_stats(engine);
  EXPECT_EQ(stats.running, 0U);
}

TEST_F(EngineScoredTest, OneThatIsCancelledTakesNoMore) {
  Engine engine(*model_, options());
  std::promise<void> begun;
  std::promise<void> cancelled;
  std::size_t n_rows = 0;
  EngineRequest long_one = request(random_tokens(600, 1));
  long_one.take_prompt_logits = [&, waits = true](std::span<const float> values) mutable {
    n_rows += values.size() / vocab_size();
    if (!std::exchange(waits, false)) return;
    begun.set_value();
    cancelled.get_future().wait();
  };
  const auto sink = std::make_shared<CollectingSink>();
  const auto id = engine.submit(std::move(long_one), sink);
  begun.get_future().wait();
  engine.cancel(id);
  cancelled.set_value();
  const Reply reply = sink->wait();
  ASSERT_TRUE(reply.result);
  EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
  EXPECT_LE(n_rows, static_cast<std::size_t>(kMaxRows));
}

TEST_F(EngineScoredTest, MediaHaveNoLogits) {
  Engine engine(*model_, options());
  std::vector<float> rows;
  EngineRequest seen = scored(request(random_tokens(20, 1)), rows);
  seen.media.emplace_back();
  const Reply reply = ask(engine, std::move(seen));
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, EngineFailure::Kind::bad_request);
  EXPECT_THAT(reply.failure->message, HasSubstr("media"));
}

}  // namespace
}  // namespace pleiad
