// Forced tokens on the demo model: a reply is the same, bit for bit, whether what is forced is
// computed in one step or token by token.

#include "engine/forced_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

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

constexpr text::TokenId kStop = 1;

/// At each place one token, or any; behind the last place any.
class Places final : public sampling::TokenConstraint {
 public:
  explicit Places(std::vector<std::optional<text::TokenId>> places) : places_(std::move(places)) {}

  bool allowed_next(std::span<std::uint64_t> allowed) override {
    if (at_ >= places_.size() || !places_[at_]) return false;
    std::fill(allowed.begin(), allowed.end(), 0);
    const auto token = static_cast<std::size_t>(*places_[at_]);
    allowed[token / 64] |= std::uint64_t{1} << (token % 64);
    return true;
  }
  std::vector<std::int32_t> forced_next(std::size_t most) override {
    std::vector<std::int32_t> out;
    for (std::size_t i = at_; i < places_.size() && places_[i] && out.size() < most; ++i) {
      out.push_back(*places_[i]);
    }
    return out;
  }
  void accept(std::int32_t) override { ++at_; }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<Places>(*this);
  }

 private:
  std::vector<std::optional<text::TokenId>> places_;
  std::size_t at_ = 0;
};

/// Five forced, two free, one forced, one free, seventeen forced.
std::vector<std::optional<text::TokenId>> places() {
  std::vector<std::optional<text::TokenId>> out;
  const auto force = [&](int n) {
    for (int i = 0; i < n; ++i) out.emplace_back(300 + 7 * static_cast<int>(out.size()));
  };
  force(5);
  out.resize(out.size() + 2);
  force(1);
  out.resize(out.size() + 1);
  force(17);
  return out;
}

// Rows of logits for two more tokens than there are replies.
class ForcedTokensTest : public testing_support::DemoEngineTest<96, 6> {
 protected:
  static EngineOptions options() {
    EngineOptions options = DemoEngineTest::options();
    options.max_running = 4;
    return options;
  }
  static EngineRequest forced(std::uint32_t seed, std::int64_t max_tokens = 40, bool runs = true) {
    EngineRequest asked = cold(request(random_tokens(20 + seed, seed), seed, max_tokens));
    asked.constraint = std::make_unique<Places>(places());
    asked.generation.forced_runs = runs;
    return asked;
  }
};

TEST_F(ForcedTokensTest, AReplyHasTheBitsOfOneThatIsWrittenTokenByToken) {
  Engine engine(*model_, options());
  for (const std::optional<int> n_logprobs : {std::optional<int>(), std::optional<int>(3)}) {
    for (const bool is_penalized : {false, true}) {
      const auto make = [&](bool runs) {
        EngineRequest asked = forced(5, 40, runs);
        asked.generation.sampling.n_logprobs = n_logprobs;
        if (is_penalized) asked.generation.sampling.repeat_penalty = 1.5;
        return asked;
      };
      const Reply slow = ask(engine, make(false));
      const Reply fast = ask(engine, make(true));
      expect_same_reply(fast, slow);
      EXPECT_EQ(slow.result->stats.forced_tokens, 0);
      EXPECT_EQ(slow.result->stats.saved_steps, 0);
      EXPECT_EQ(fast.result->stats.forced_tokens, 23);
      EXPECT_EQ(fast.tokens[3].logprob.has_value(), n_logprobs.has_value());
      // The first comes with the prompt anyway, and of a run that others might wait for sixteen
      // tokens are computed beside one. Log probabilities need rows of logits, of which there are
      // six: 5, 2 and 18 tokens take 1, 1 and 3 steps then.
      if (n_logprobs) {
        EXPECT_GT(fast.result->stats.saved_steps, 12);
      } else {
        EXPECT_EQ(fast.result->stats.saved_steps, 23 - 2);
      }
    }
  }
  EXPECT_EQ(engine.stats().tokens_forced, 4U * 23U);
}

TEST_F(ForcedTokensTest, ARunTakesFewerSteps) {
  std::int64_t n_steps = 0;
  std::int64_t n_forced = 0;
  EngineOptions observed = options();
  observed.on_step = [&](const StepRecord& step) {
    n_steps += step.generated_rows;
    n_forced += step.forced_rows;
  };
  Engine engine(*model_, observed);
  EngineRequest asked = forced(1, 27);
  asked.generation.sampling.n_logprobs.reset();
  ask(engine, std::move(asked));
  // 5, 1, 2, 17 and 1 tokens; the last of the 27 is told and not computed.
  EXPECT_EQ(n_forced, 4 + 1 + 16);
  EXPECT_EQ(n_steps, 5);
}

TEST_F(ForcedTokensTest, ARunEndsWhereTheReplyDoes) {
  Engine engine(*model_, options());
  for (const std::optional<int> n_logprobs : {std::optional<int>(), std::optional<int>(0)}) {
    for (const std::int64_t most : {1, 3, 5, 6, 8, 12, 26, 27}) {
      SCOPED_TRACE(most);
      const auto with = [&](bool runs, const std::function<void(EngineRequest&)>& change) {
        EngineRequest asked = forced(2, most, runs);
        asked.generation.sampling.n_logprobs = n_logprobs;
        change(asked);
        return asked;
      };
      const auto same = [&](const std::function<void(EngineRequest&)>& change) {
        const Reply fast = ask(engine, with(true, change));
        expect_same_reply(fast, ask(engine, with(false, change)));
        return fast;
      };
      const Reply by_length = same([](EngineRequest&) {});
      EXPECT_EQ(by_length.tokens.size(), static_cast<std::size_t>(most));
      EXPECT_EQ(by_length.result->reason, FinishReason::length);
      const Reply by_context = same([&](EngineRequest& asked) {
        asked.generation.max_tokens = -1;
        asked.context_length = std::ssize(asked.prompt) + most;
      });
      EXPECT_EQ(by_context.tokens.size(), static_cast<std::size_t>(most));
      EXPECT_EQ(by_context.result->reason, FinishReason::context_full);
      const Reply by_token = same([&](EngineRequest& asked) {
        auto list = places();
        list.resize(std::max(list.size(), static_cast<std::size_t>(most) + 1));
        list[static_cast<std::size_t>(most)] = kStop;
        asked.constraint = std::make_unique<Places>(list);
        asked.generation.max_tokens = 40;
        asked.generation.stop_tokens = sampling::StopTokens({kStop});
      });
      EXPECT_LE(by_token.tokens.size(), static_cast<std::size_t>(most));
      EXPECT_EQ(by_token.result->reason, FinishReason::stop_token);
      // A stop string that whoever follows the reply finds.
      std::vector<Reply> stopped;
      for (const bool runs : {true, false}) {
        const auto sink = std::make_shared<CollectingSink>();
        sink->wants_more = [most](std::size_t n) { return std::cmp_less(n, most); };
        engine.submit(with(runs, [](EngineRequest& asked) { asked.generation.max_tokens = 40; }),
                      sink);
        stopped.push_back(sink->wait());
      }
      expect_same_reply(stopped[0], stopped[1]);
      EXPECT_EQ(stopped[0].tokens.size(), static_cast<std::size_t>(most));
      EXPECT_EQ(stopped[0].result->reason, FinishReason::cancelled);
    }
  }
}

TEST_F(ForcedTokensTest, WhatIsPreferredOrSuppressedIsLeftToTheModel) {
  GenerationOptions options;
  Places constraint(places());
  const auto n_forced = [&] { return forced_tokens(&constraint, options, 100).tokens.size(); };
  EXPECT_EQ(n_forced(), 5U);
  EXPECT_EQ(forced_tokens(&constraint, options, 3).tokens.size(), 3U);
  EXPECT_TRUE(forced_tokens(&constraint, options, 0).tokens.empty());
  EXPECT_TRUE(forced_tokens(nullptr, options, 100).tokens.empty());
  options.sampling.logit_bias = {{*places()[2], 5.0F}};
  EXPECT_EQ(n_forced(), 2U);
  options.sampling.suppressed_tokens = {*places()[1]};
  EXPECT_EQ(n_forced(), 1U);
  options.forced_runs = false;
  EXPECT_EQ(n_forced(), 0U);
}

TEST_F(ForcedTokensTest, CompanyAndPagesInTheCacheChangeNothing) {
  Engine engine(*model_, options());
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  // Amid prompts that are read, and replies with log probabilities that share the rows for these.
  for (std::uint32_t i = 0; i < 8; ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    EngineRequest asked = i % 4 == 3 ? request(random_tokens(300, i), i, 30) : forced(i);
    asked.use_cache = true;
    if (i % 2 == 1) asked.generation.sampling.n_logprobs.reset();
    engine.submit(std::move(asked), sinks.back());
  }
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Reply reply = sinks[i]->wait();
    if (i % 4 == 3) continue;
    EngineRequest alone = forced(i, 40, false);
    if (i % 2 == 1) alone.generation.sampling.n_logprobs.reset();
    expect_same_reply(reply, ask(engine, std::move(alone)));
    // The next turn finds the reply as any other: the same bits, and all but its last token.
    std::vector<text::TokenId> next = random_tokens(20 + i, i);
    const auto ids = reply.ids();
    next.insert(next.end(), ids.begin(), ids.end());
    next.push_back(300);
    const Reply warm = ask(engine, request(next, 9));
    expect_same_reply(warm, ask(engine, cold(request(next, 9))));
    if (model_->model().has_one_arithmetic()) {
      EXPECT_EQ(warm.result->stats.cached_tokens, std::ssize(next) - 2);
    }
  }
}

TEST_F(ForcedTokensTest, ASessionWritesWhatAnEngineDoes) {
  Engine engine(*model_, options());
  for (const std::int64_t most : {3, 5, 9, 40}) {
    const EngineRequest asked = forced(4, most);
    Session session(*model_, {});
    Places constraint(places());
    std::vector<text::TokenId> tokens;
    const GenerationResult result = session.generate(
        {asked.prompt, {}}, asked.generation,
        [&](text::TokenId token) {
          tokens.push_back(token);
          return true;
        },
        {}, &constraint);
    EXPECT_EQ(tokens, ask(engine, forced(4, most, false)).ids());
    EXPECT_EQ(result.reason, FinishReason::length);
    EXPECT_EQ(result.stats.forced_tokens, most == 3 ? 3 : most == 5 ? 5 : most == 9 ? 6 : 23);
    EXPECT_EQ(result.stats.saved_steps, most == 3 ? 2 : most == 5 ? 4 : most == 9 ? 5 : 22);
  }
}

}  // namespace
}  // namespace pleiad
