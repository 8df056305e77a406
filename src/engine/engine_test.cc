// The engine on the demo model: nothing that runs beside a request may show in it.

#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "engine/testing/demo_engine_test.h"

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
using Kind = EngineFailure::Kind;

// Small passes, so that prompts take several.
class EngineTest : public testing_support::DemoEngineTest<96, 64> {};

TEST_F(EngineTest, AReplyIsTheSameBitsAloneAndAmidOthers) {
  std::vector<EngineRequest> requests;
  const auto make = [](std::uint32_t i) {
    EngineRequest one = request(random_tokens(5 + i * 37 % 400, i), i, 6 + i * 5 % 40);
    if (i % 3 == 0) one.generation.sampling.temperature = 0;
    if (i % 4 == 1) one.generation.sampling.repeat_penalty = 1.3;
    return one;
  };
  std::vector<Reply> alone;
  {
    EngineOptions one_at_a_time = options();
    one_at_a_time.max_running = 1;
    Engine engine(*model_, one_at_a_time);
    for (std::uint32_t i = 0; i < 17; ++i) alone.push_back(ask(engine, cold(make(i))));
  }
  Engine engine(*model_, options());
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (std::uint32_t i = 0; i < 17; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(make(i), sinks.back());
  }
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same_reply(sinks[i]->wait(), alone[i]);
  }
}

TEST_F(EngineTest, AReplyIsWhatASessionGives) {
  const auto prompt = random_tokens(150, 4);
  GenerationOptions generation = request(prompt, 9, 30).generation;
  generation.sampling.n_logprobs.reset();
  Session session(*model_, {});
  std::vector<text::TokenId> expected;
  session.generate(prompt, generation, [&](text::TokenId token) {
    expected.push_back(token);
    return true;
  });
  Engine engine(*model_, options());
  EXPECT_EQ(ask(engine, request(prompt, 9, 30)).ids(), expected);
}

TEST_F(EngineTest, StatsOfAReplyCountWhatWasDone) {
  Engine engine(*model_, options());
  const Reply reply = ask(engine, request(random_tokens(200, 1), 7, 5));
  ASSERT_TRUE(reply.result);
  EXPECT_EQ(reply.result->reason, FinishReason::length);
  EXPECT_EQ(reply.result->seed, 7U);
  EXPECT_EQ(reply.result->stats.prompt_tokens, 200);
  EXPECT_EQ(reply.result->stats.cached_tokens, 0);
  EXPECT_EQ(reply.result->stats.generated_tokens, 5);
  EXPECT_GT(reply.result->stats.prompt_seconds, 0);
  EXPECT_GT(reply.result->stats.generation_seconds, 0);
  EXPECT_GE(reply.result->queue_seconds, 0);
  const EngineStats stats = engine.stats();
  EXPECT_EQ(stats.tokens_evaluated, 200U);
  EXPECT_EQ(stats.tokens_generated, 5U);
  EXPECT_EQ(stats.running, 0U);
  EXPECT_EQ(stats.waiting, 0U);
}

TEST_F(EngineTest, EndsForTheReasonThatItNames) {
  Engine engine(*model_, options());
  const auto prompt = random_tokens(30, 2);
  EXPECT_EQ(ask(engine, request(prompt, 1, 0)).result->reason, FinishReason::length);
  EXPECT_TRUE(ask(engine, request(prompt, 1, 0)).tokens.empty());

  EngineRequest narrow = request(prompt, 1, -1);
  narrow.context_length = 34;
  Reply reply = ask(engine, std::move(narrow));
  EXPECT_EQ(reply.result->reason, FinishReason::context_full);
  EXPECT_EQ(reply.tokens.size(), 4U);

  EngineRequest stopping = request(prompt, 1, 20);
  stopping.generation.stop_tokens =
      sampling::StopTokens({ask(engine, request(prompt, 1, 20)).ids().at(3)});
  reply = ask(engine, std::move(stopping));
  EXPECT_EQ(reply.result->reason, FinishReason::stop_token);
  EXPECT_LE(reply.tokens.size(), 3U);
  EXPECT_EQ(reply.result->stats.generated_tokens, static_cast<std::int64_t>(reply.tokens.size()));

  const auto sink = std::make_shared<CollectingSink>();
  sink->wants_more = [](std::size_t n) { return n < 3; };
  engine.submit(request(prompt, 1, 20), sink);
  reply = sink->wait();
  EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
  EXPECT_EQ(reply.tokens.size(), 3U);
}

TEST_F(EngineTest, RefusesWhatItCannotServe) {
  EngineOptions small = options();
  small.context_length = 100;
  Engine engine(*model_, small);
  EXPECT_EQ(engine.context_length(), 100);
  EXPECT_EQ(ask(engine, request({})).failure->kind, Kind::bad_request);
  EXPECT_EQ(ask(engine, request({1 << 30})).failure->kind, Kind::bad_request);
  EXPECT_EQ(ask(engine, request({-1})).failure->kind, Kind::bad_request);
  EngineRequest hot = request({300});
  hot.generation.sampling.temperature = -1;
  EXPECT_EQ(ask(engine, std::move(hot)).failure->kind, Kind::bad_request);
  const Reply reply = ask(engine, request(random_tokens(100, 1)));
  EXPECT_EQ(reply.failure->kind, Kind::context_exceeded);
  EXPECT_EQ(reply.failure->prompt_tokens, 100);
  EXPECT_EQ(reply.failure->limit_tokens, 100);
  EXPECT_THAT(reply.failure->message, HasSubstr("100 tokens"));
  EXPECT_TRUE(ask(engine, request(random_tokens(99, 1))).result);
}

TEST_F(EngineTest, RefusesOptionsThatDoNotFitTheModel) {
  EngineOptions wrong = options();
  wrong.max_running = 65;
  EXPECT_THROW(Engine(*model_, wrong), Error);
  wrong.max_running = 0;
  EXPECT_THROW(Engine(*model_, wrong), Error);
  wrong = options();
  wrong.context_length = std::int64_t{1} << 40;
  EXPECT_THROW(Engine(*model_, wrong), Error);
}

TEST_F(EngineTest, WhatNeverFitsIsRefusedWithNumbersAndWhatFitsLaterWaits) {
  std::vector<Reply> expected;
  {
    Engine roomy(*model_, options());
    for (std::uint32_t i = 0; i < 8; ++i) {
      expected.push_back(ask(roomy, cold(request(random_tokens(100, i), i, 100))));
    }
  }
  EngineOptions small = options(std::uint64_t{1} << 20);
  small.max_running = 8;
  Engine engine(*model_, small);
  const Reply refused = ask(engine, request(random_tokens(100, 1), 1, 100000));
  ASSERT_TRUE(refused.failure);
  EXPECT_EQ(refused.failure->kind, Kind::no_memory);
  EXPECT_THAT(refused.failure->message, HasSubstr("the limit is 1"));
  // A reply without a limit runs as far as the memory goes.
  EngineRequest unlimited = request(random_tokens(100, 1), 1, -1);
  unlimited.generation.sampling.n_logprobs.reset();
  const Reply endless = ask(engine, std::move(unlimited));
  ASSERT_TRUE(endless.result) << endless.failure->message;
  EXPECT_EQ(endless.result->reason, FinishReason::context_full);

  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (std::uint32_t i = 0; i < 8; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(request(random_tokens(100, i), i, 100), sinks.back());
  }
  for (std::uint32_t i = 0; i < 8; ++i) {
    expect_same_reply(sinks[i]->wait(), expected[i]);
  }
}

TEST_F(EngineTest, GoesOnWhereAllLeaveWhileOneOfThemWaitsForMemory) {
  std::promise<void> paused;
  std::promise<void> cancelled;
  bool both_ran = false;
  bool told = false;
  EngineOptions tight = options(std::uint64_t{3} << 20);
  tight.on_step = [&](const StepRecord& step) {
    both_ran = both_ran || step.generated_rows == 2;
    if (!both_ran || step.generated_rows != 1 || told) return;
    told = true;
    paused.set_value();
    cancelled.get_future().wait();
  };
  Engine engine(*model_, tight);
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  std::vector<Engine::RequestId> ids;
  for (std::uint32_t i = 0; i < 2; ++i) {
    EngineRequest unlimited = cold(request(random_tokens(20, i), i, -1));
    unlimited.generation.sampling.n_logprobs.reset();
    sinks.push_back(std::make_shared<CollectingSink>());
    ids.push_back(engine.submit(std::move(unlimited), sinks.back()));
  }
  paused.get_future().wait();
  for (const auto& sink : sinks) EXPECT_EQ(sink->n_ends(), 0);
  for (const auto id : ids) engine.cancel(id);
  cancelled.set_value();
  for (const auto& sink : sinks) EXPECT_EQ(sink->wait().result->reason, FinishReason::cancelled);
  EXPECT_TRUE(ask(engine, request(random_tokens(20, 9))).result);
}

TEST_F(EngineTest, AFullQueueIsSaidAtOnce) {
  EngineOptions tiny = options();
  tiny.max_running = 1;
  tiny.max_waiting = 2;
  Engine engine(*model_, tiny);
  std::mutex gate;
  gate.lock();  // the first request's prompt is done when this opens
  const auto first = std::make_shared<CollectingSink>();
  first->on_progress = [&](auto, auto) { const std::lock_guard wait(gate); };
  engine.submit(request(random_tokens(20, 1)), first);
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (std::uint32_t i = 0; i < 4; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(request(random_tokens(20, i + 2)), sinks.back());
  }
  for (const std::size_t i : {2U, 3U}) {
    EXPECT_EQ(sinks[i]->n_ends(), 1);
    EXPECT_EQ(sinks[i]->wait().failure->kind, Kind::busy);
  }
  const auto going_on = std::make_shared<CollectingSink>();
  EngineRequest next = request(random_tokens(20, 7));
  next.goes_on = true;
  engine.submit(std::move(next), going_on);
  EXPECT_EQ(going_on->n_ends(), 0);
  gate.unlock();
  EXPECT_TRUE(going_on->wait().result);
  EXPECT_TRUE(first->wait().result);
  EXPECT_TRUE(sinks[0]->wait().result);
  EXPECT_TRUE(sinks[1]->wait().result);
  EXPECT_TRUE(ask(engine, request(random_tokens(20, 9))).result);
}

TEST_F(EngineTest, CancellingEndsARequestWhereverItIs) {
  EngineOptions narrow = options();
  narrow.max_running = 1;
  Engine engine(*model_, narrow);
  const auto running = std::make_shared<CollectingSink>();
  const auto waiting = std::make_shared<CollectingSink>();
  const auto in_prompt = std::make_shared<CollectingSink>();
  const auto id = engine.submit(request(random_tokens(20, 1), 1, 1000), running);
  const auto waiting_id = engine.submit(request(random_tokens(20, 2)), waiting);
  running->wait_for_tokens(2);
  engine.cancel(waiting_id);
  EXPECT_EQ(waiting->wait().result->reason, FinishReason::cancelled);
  engine.cancel(id);
  const Reply reply = running->wait();
  EXPECT_EQ(reply.result->reason, FinishReason::cancelled);
  EXPECT_LT(reply.tokens.size(), 1000U);

  Engine::RequestId prompt_id = 0;
  std::mutex known;
  known.lock();
  in_prompt->on_progress = [&](auto, auto) {
    const std::lock_guard wait(known);
    engine.cancel(prompt_id);
  };
  prompt_id = engine.submit(request(random_tokens(500, 3)), in_prompt);
  known.unlock();
  const Reply stopped = in_prompt->wait();
  EXPECT_EQ(stopped.result->reason, FinishReason::cancelled);
  EXPECT_TRUE(stopped.tokens.empty());
  EXPECT_EQ(stopped.result->stats.prompt_tokens, kMaxRows);
  engine.cancel(12345);
  engine.cancel(id);
  EXPECT_TRUE(ask(engine, request(random_tokens(20, 9))).result);
}

TEST_F(EngineTest, ADeadlineEndsARequest) {
  Engine engine(*model_, options());
  EngineRequest late = request(random_tokens(20, 1));
  late.deadline = monotonic_seconds() - 1;
  EXPECT_EQ(ask(engine, std::move(late)).failure->kind, Kind::deadline);
  const auto sink = std::make_shared<CollectingSink>();
  EngineRequest slow = request(random_tokens(20, 1), 1, 1000);
  slow.deadline = monotonic_seconds() + 0.05;
  const double deadline = slow.deadline;
  sink->wants_more = [&](std::size_t) {
    while (monotonic_seconds() < deadline) {
    }
    return true;
  };
  engine.submit(std::move(slow), sink);
  const Reply reply = sink->wait();
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::deadline);
  EXPECT_LE(reply.tokens.size(), 1U);
}

TEST_F(EngineTest, TheDestructorEndsWhatRuns) {
  const auto running = std::make_shared<CollectingSink>();
  const auto waiting = std::make_shared<CollectingSink>();
  {
    EngineOptions narrow = options();
    narrow.max_running = 1;
    Engine engine(*model_, narrow);
    engine.submit(request(random_tokens(20, 1), 1, 100000), running);
    engine.submit(request(random_tokens(20, 2), 1, 100000), waiting);
    running->wait_for_tokens(1);
  }
  for (const auto& sink : {running, waiting}) {
    EXPECT_EQ(sink->n_ends(), 1);
    EXPECT_EQ(sink->wait().failure->kind, Kind::shutting_down);
  }
}

class ThrowingSink final : public TokenSink {
 public:
  bool token(const sampling::SampledToken&) override { throw std::runtime_error("no"); }
  void finished(const EngineResult&) override { throw 1; }
  void failed(const EngineFailure& failure) override {
    kind = failure.kind;
    throw std::runtime_error("no");
  }
  std::optional<Kind> kind;
};

TEST_F(EngineTest, ASinkThatThrowsHurtsNobodyElse) {
  Engine engine(*model_, options());
  const auto good = std::make_shared<CollectingSink>();
  const auto bad = std::make_shared<ThrowingSink>();
  const auto bad_at_the_end = std::make_shared<ThrowingSink>();
  engine.submit(request(random_tokens(200, 1), 1, 30), good);
  engine.submit(request(random_tokens(20, 2), 1, 30), bad);
  engine.submit(request(random_tokens(20, 3), 1, 0), bad_at_the_end);
  const Reply reply = good->wait();
  settled_stats(engine);
  EXPECT_EQ(bad->kind, Kind::internal);
  expect_same_reply(reply, ask(engine, request(random_tokens(200, 1), 1, 30)));
}

TEST_F(EngineTest, SixtyFourRepliesAreComputedInOneStep) {
  std::int64_t most = 0;
  EngineOptions wide = options();
  wide.max_running = 64;
  wide.on_step = [&](const StepRecord& step) { most = std::max(most, step.generated_rows); };
  Engine engine(*model_, wide);
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  const auto make = [](std::uint32_t i) { return request(random_tokens(3 + i % 5, i), i, 80); };
  for (std::uint32_t i = 0; i < 64; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(make(i), sinks.back());
  }
  std::vector<Reply> replies;
  for (const auto& sink : sinks) replies.push_back(sink->wait());
  EXPECT_EQ(most, 64);
  for (const std::uint32_t i : {0U, 31U, 63U}) {
    expect_same_reply(replies[i], ask(engine, cold(make(i))));
  }
}

TEST_F(EngineTest, ChoosesItsMemoryWhereNobodySays) {
  Engine engine(*model_, options(0));
  EXPECT_GT(engine.stats().kv_bytes_limit, 0U);
  EXPECT_TRUE(ask(engine, request(random_tokens(20, 1))).result);
}

/// As one is that meets a model gone wrong (Error), or a form with too many ways (ConstraintError).
template <typename Thrown>
class ThrowingConstraint final : public sampling::TokenConstraint {
 public:
  bool allowed_next(std::span<std::uint64_t>) override {
    if (++n_tokens_ == 3) throw Thrown("no token may come");
    return false;
  }
  void accept(std::int32_t) override {}
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<ThrowingConstraint>(*this);
  }

 private:
  int n_tokens_ = 0;
};

TEST_F(EngineTest, ARequestWhoseTokenCannotBeChosenFailsAlone) {
  Engine engine(*model_, options());
  const auto good = std::make_shared<CollectingSink>();
  const auto bad = std::make_shared<CollectingSink>();
  EngineRequest failing = request(random_tokens(50, 2), 1, 30);
  failing.constraint = std::make_unique<ThrowingConstraint<Error>>();
  engine.submit(request(random_tokens(50, 1), 1, 30), good);
  engine.submit(std::move(failing), bad);
  const Reply failed = bad->wait();
  EXPECT_EQ(failed.tokens.size(), 2U);
  EXPECT_EQ(failed.failure->kind, Kind::internal);
  EXPECT_EQ(failed.failure->message, "no token may come");
  expect_same_reply(good->wait(), ask(engine, request(random_tokens(50, 1), 1, 30)));
}

TEST_F(EngineTest, AConstraintThatIsGivenUpIsTheRequestsFault) {
  Engine engine(*model_, options());
  EngineRequest failing = request(random_tokens(50, 2), 1, 30);
  failing.constraint = std::make_unique<ThrowingConstraint<sampling::ConstraintError>>();
  const Reply failed = ask(engine, std::move(failing));
  EXPECT_EQ(failed.failure->kind, Kind::form);
  EXPECT_EQ(failed.failure->message, "no token may come");
}

/// Allows the tokens of a list, one after the other, and then one for ever.
class FixedTokens final : public sampling::TokenConstraint {
 public:
  explicit FixedTokens(std::vector<std::int32_t> tokens) : tokens_(std::move(tokens)) {}
  bool allowed_next(std::span<std::uint64_t> allowed) override {
    std::fill(allowed.begin(), allowed.end(), 0);
    const auto token = static_cast<std::size_t>(tokens_[std::min(next_, tokens_.size() - 1)]);
    allowed[token / 64] |= std::uint64_t{1} << (token % 64);
    return true;
  }
  void accept(std::int32_t) override { ++next_; }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<FixedTokens>(*this);
  }

 private:
  std::vector<std::int32_t> tokens_;
  std::size_t next_ = 0;
};

TEST_F(EngineTest, AConstraintChoosesWhatMayCome) {
  Engine engine(*model_, options());
  EngineRequest one = request(random_tokens(50, 1), 1, 4);
  one.constraint = std::make_unique<FixedTokens>(std::vector<std::int32_t>{300, 64, 2047, 0});
  EXPECT_EQ(ask(engine, std::move(one)).ids(), (std::vector<text::TokenId>{300, 64, 2047, 0}));
}

TEST_F(EngineTest, TellsHowFarAPromptHasCome) {
  Engine engine(*model_, options());
  std::vector<std::int64_t> seen;
  const auto sink = std::make_shared<CollectingSink>();
  sink->on_progress = [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, 200);
    seen.push_back(done);
  };
  engine.submit(request(random_tokens(200, 1)), sink);
  sink->wait();
  EXPECT_EQ(seen, (std::vector<std::int64_t>{96, 192, 200}));
}

TEST_F(EngineTest, AnObserverSeesEveryStep) {
  std::int64_t generated = 0;
  std::int64_t prompts = 0;
  EngineOptions observed = options();
  observed.on_step = [&](const StepRecord& step) {
    generated += step.generated_rows;
    prompts += step.prompt_rows;
    EXPECT_GT(step.seconds, 0);
  };
  Engine engine(*model_, observed);
  ask(engine, request(random_tokens(200, 1), 1, 5));
  EXPECT_EQ(prompts, 200);
  EXPECT_EQ(generated, 4) << "the first token comes of the prompt";
}

std::optional<Engine::Embedding> embed(Engine& engine, std::vector<text::TokenId> tokens) {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Engine::Embedding> found;
  engine.embed(std::move(tokens), [&](Engine::Embedding embedding) {
    const std::lock_guard lock(mutex);
    found = std::move(embedding);
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return found.has_value(); });
  return found;
}

TEST_F(EngineTest, AnEmbeddingIsTheMeanOfTheHiddenStates) {
  const auto prompt = random_tokens(230, 1);
  // The same from the trace of a pass that computes logits.
  const auto dim = static_cast<std::size_t>(model_->model().info().model_dim);
  std::vector<double> sums(dim, 0);
  const auto cache = model_->model().make_kv_cache({});
  {
    KvSequence sequence(*cache);
    model_->model().set_trace(
        [&](std::string_view name, std::span<const float> values, std::int64_t, std::int64_t) {
          if (name != "result_norm") return;
          for (std::size_t i = 0; i < values.size(); ++i) sums[i % dim] += values[i];
        });
    for (std::size_t at = 0; at < prompt.size(); at += 23) {
      sequence.reserve(23);
      const Slice slice = {&sequence, std::span(prompt).subspan(at, 23), WantLogits::all,
                           Phase::prompt};
      model_->model().forward({&slice, 1}, *cache);
    }
    model_->model().set_trace({});
  }
  std::vector<float> expected;
  for (const double sum : sums) expected.push_back(static_cast<float>(sum / 230));

  Engine engine(*model_, options());
  const auto alone = embed(engine, prompt);
  ASSERT_FALSE(alone->failure) << alone->failure->message;
  EXPECT_EQ(alone->prompt_tokens, 230);
  EXPECT_EQ(alone->values, expected);

  const auto sink = std::make_shared<CollectingSink>();
  engine.submit(request(random_tokens(300, 2), 1, 200), sink);
  EXPECT_EQ(embed(engine, prompt)->values, expected) << "amid others";
  expect_same_reply(sink->wait(), ask(engine, request(random_tokens(300, 2), 1, 200)));
  EXPECT_EQ(embed(engine, {})->failure->kind, Kind::bad_request);
}

}  // namespace
}  // namespace pleiad
