// Sessions on the demo model: real text, real stops, a cache that must not show.

#include "engine/session.h"
#include "base/testing/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;

/// Allows even tokens, works out its first place on another thread, and fails at one place.
class EvenForm final : public sampling::TokenConstraint {
 public:
  void prepare() override {
    if (n_accepted == fails_at) throw sampling::ConstraintError("too much to find out");
    EXPECT_NE(std::this_thread::get_id(), asker_);
    is_prepared_ = true;
  }
  bool allowed_next(std::span<std::uint64_t> allowed) override {
    if (n_accepted == fails_at) throw sampling::ConstraintError("too much to find out");
    if (is_prepared_) ++n_prepared;
    std::ranges::fill(allowed, 0x5555'5555'5555'5555U);
    return true;
  }
  void accept(std::int32_t token) override {
    EXPECT_EQ(token % 2, 0);
    ++n_accepted;
    is_prepared_ = false;
  }
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<EvenForm>(*this);
  }

  int fails_at = -1;
  int n_prepared = 0;
  int n_accepted = 0;

 private:
  std::thread::id asker_ = std::this_thread::get_id();
  bool is_prepared_ = false;
};

class SessionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    backend_ = new cpu::CpuBackend({.isa = "", .n_threads = 1, .max_rows = 24});
    LoadOptions options;
    options.max_rows = 24;  // small, so that prompts take several passes
    options.max_logit_rows = 1;
    model_ = new LoadedModel(source_path("models/demo/pleiad-demo.gguf"), *backend_, options);
  }
  static void TearDownTestSuite() {
    delete model_;
    delete backend_;
  }

  static std::vector<text::TokenId> prompt(const std::string& user) {
    return model_->tokenizer().encode_with_control("<bos><|turn>user\n" + user +
                                                   "<turn|>\n<|turn>model\n");
  }

  struct Run {
    std::vector<text::TokenId> tokens;
    GenerationResult result;
  };
  static Run generate(Session& session, const std::vector<text::TokenId>& prompt,
                      GenerationOptions options, sampling::TokenConstraint* constraint = nullptr) {
    Run run;
    run.result = session.generate(
        prompt, options,
        [&](text::TokenId token) {
          run.tokens.push_back(token);
          return true;
        },
        {}, constraint);
    return run;
  }
  static GenerationOptions sampled(std::uint64_t seed, std::int64_t max_tokens = 40) {
    GenerationOptions options;
    options.sampling.temperature = 2.5;
    options.sampling.top_k = 0;
    options.sampling.top_p = 1.0;
    options.sampling.seed = seed;
    options.max_tokens = max_tokens;
    options.stop_tokens = sampling::StopTokens({1, 106, 50});
    return options;
  }

  static inline cpu::CpuBackend* backend_ = nullptr;
  static inline LoadedModel* model_ = nullptr;
};

TEST_F(SessionTest, TheSameSeedGivesTheSameTextAndAnotherSeedAnother) {
  Session session(*model_, {});
  const auto asked = prompt("Tell me something about yourself and the days of the week");
  const Run first = generate(session, asked, sampled(1));
  session.clear();
  const Run again = generate(session, asked, sampled(1));
  EXPECT_EQ(first.tokens, again.tokens);
  EXPECT_EQ(first.result.seed, 1U);
  bool differs = false;
  for (std::uint64_t seed = 2; seed < 8; ++seed) {
    session.clear();
    differs |= generate(session, asked, sampled(seed)).tokens != first.tokens;
  }
  EXPECT_TRUE(differs);
}

TEST_F(SessionTest, ACachedPromptGivesWhatAColdOneGives) {
  Session session(*model_, {});
  const auto first = prompt("Count from 1 to 30");
  const Run reply = generate(session, first, sampled(3, 200));
  EXPECT_EQ(reply.result.stats.cached_tokens, 0);

  std::vector<text::TokenId> longer = first;
  longer.insert(longer.end(), reply.tokens.begin(), reply.tokens.end());
  const auto more = model_->tokenizer().encode_with_control(
      "<turn|>\n<|turn>user\nAnd what is 7 + 8?<turn|>\n<|turn>model\n");
  longer.insert(longer.end(), more.begin(), more.end());
  const Run warm = generate(session, longer, sampled(4));
  const std::int64_t n_untold = reply.result.reason == FinishReason::length ? 1 : 0;
  EXPECT_EQ(warm.result.stats.cached_tokens,
            std::ssize(first) + std::ssize(reply.tokens) - n_untold)
      << "all of the reply that was computed";
  EXPECT_EQ(warm.result.stats.prompt_tokens, static_cast<std::int64_t>(longer.size()));

  // The turn's reply is thrown away and asked for again: back to the prompt.
  const Run again = generate(session, longer, sampled(4));
  EXPECT_EQ(again.tokens, warm.tokens);
  EXPECT_EQ(again.result.stats.evaluated_tokens(), 1);

  Session cold(*model_, {});
  const Run fresh = generate(cold, longer, sampled(4));
  EXPECT_EQ(fresh.result.stats.cached_tokens, 0);
  EXPECT_EQ(fresh.tokens, warm.tokens);
}

TEST_F(SessionTest, APromptOfAnotherBeginningIsComputedAnew) {
  Session session(*model_, {});
  generate(session, prompt("Count from 1 to 30"), sampled(3, 200));
  const auto other = prompt("Hello");
  const Run run = generate(session, other, sampled(1, 5));
  EXPECT_LE(run.result.stats.cached_tokens, 6);
  Session cold(*model_, {});
  EXPECT_EQ(generate(cold, other, sampled(1, 5)).tokens, run.tokens);
}

TEST_F(SessionTest, APromptThatDoesNotFitIsRefusedWithBothNumbers) {
  SessionOptions options;
  options.context_length = 20;
  Session session(*model_, options);
  const std::vector<text::TokenId> tokens(20, 107);
  try {
    generate(session, tokens, sampled(1));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("20 tokens"));
    EXPECT_THAT(error.what(), HasSubstr("holds 20"));
  }
  EXPECT_TRUE(session.tokens().empty());
  EXPECT_THROW(generate(session, {}, sampled(1)), Error);
  EXPECT_THROW(generate(session, {1 << 30}, sampled(1)), Error);
  options.context_length = std::int64_t{1} << 40;
  EXPECT_THROW(Session(*model_, options), Error);
}

TEST_F(SessionTest, EndsForTheReasonThatItNames) {
  const auto asked = prompt("Count from 1 to 30");
  Session session(*model_, {});
  Run run = generate(session, asked, sampled(1, 3));
  EXPECT_EQ(run.result.reason, FinishReason::length);
  EXPECT_EQ(run.tokens.size(), 3U);
  run = generate(session, asked, sampled(1, 0));
  EXPECT_EQ(run.result.reason, FinishReason::length);
  EXPECT_TRUE(run.tokens.empty());

  SessionOptions small;
  small.context_length = static_cast<std::int64_t>(asked.size()) + 4;
  Session narrow(*model_, small);
  GenerationOptions endless = sampled(1, -1);
  endless.stop_tokens = sampling::StopTokens(std::vector<std::int32_t>{});
  run = generate(narrow, asked, endless);
  EXPECT_EQ(run.result.reason, FinishReason::context_full);
  EXPECT_EQ(run.tokens.size(), 4U);

  std::vector<std::int32_t> everything(static_cast<std::size_t>(model_->model().info().vocab_size));
  for (std::size_t i = 0; i < everything.size(); ++i) everything[i] = static_cast<std::int32_t>(i);
  GenerationOptions stops = sampled(1);
  stops.stop_tokens = sampling::StopTokens(everything);
  run = generate(session, asked, stops);
  EXPECT_EQ(run.result.reason, FinishReason::stop_token);
  EXPECT_EQ(run.result.stats.generated_tokens, 0);
}

TEST_F(SessionTest, StoppingInThePromptLeavesASessionThatGoesOn) {
  Session session(*model_, {});
  const auto asked = prompt("Please spell the word planet, and count from 3 to 17, and say hello");
  ASSERT_GT(asked.size(), 30U);
  int calls = 0;
  const GenerationResult stopped = session.generate(
      asked, sampled(1), [](text::TokenId) { return true; },
      [&](const PromptProgress&) { return ++calls < 1; });
  EXPECT_EQ(stopped.reason, FinishReason::cancelled);
  EXPECT_EQ(stopped.stats.generated_tokens, 0);
  const Run run = generate(session, asked, sampled(9));
  EXPECT_GT(run.result.stats.cached_tokens, 0);
  Session cold(*model_, {});
  EXPECT_EQ(generate(cold, asked, sampled(9)).tokens, run.tokens);
}

TEST_F(SessionTest, TheFirstFormIsWorkedOutByAnotherThreadBesideThePrompt) {
  Session session(*model_, {});
  GenerationOptions options = sampled(4, 12);
  options.stop_tokens = sampling::StopTokens(std::vector<std::int32_t>());
  EvenForm even;
  const Run run = generate(session, prompt("Say hello"), options, &even);
  EXPECT_EQ(run.tokens.size(), 12U);
  EXPECT_EQ(even.n_accepted, 12);
  EXPECT_GE(even.n_prepared, 1);  // others behind steps that are long enough
}

TEST_F(SessionTest, AFormThatCannotBeWorkedOutEndsItsReplyAlone) {
  Session session(*model_, {});
  const auto asked = prompt("Say hello");
  for (const int place : {0, 3}) {
    EvenForm even;
    even.fails_at = place;
    EXPECT_THROW(generate(session, asked, sampled(4, 12), &even), sampling::ConstraintError);
    EXPECT_EQ(even.n_accepted, place);
  }
  Session cold(*model_, {});
  EXPECT_EQ(generate(session, asked, sampled(9)).tokens, generate(cold, asked, sampled(9)).tokens);
}

}  // namespace
}  // namespace pleiad
