// Prompts with pictures that see all of themselves on every layer (12B), through the engine: what
// is cached of them is gone on from where what is left of a picture can see its beginning.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/testing/sanitizers.h"
#include "engine/testing/engine_test_support.h"
#include "engine/testing/golden_requests.h"

namespace pleiad {
namespace {

using testing_support::about;
using testing_support::ask;
using testing_support::cold;
using testing_support::exact_options;
using testing_support::expect_same_reply;
using testing_support::golden_media;
using testing_support::GoldenPrompt;
using testing_support::Reply;

constexpr int kUnifiedMaxRows = 80;  // the longest picture of the prompts has 70 soft tokens
constexpr int kUnifiedMaxRunning = 8;
constexpr std::int64_t kUnifiedPage = KvCacheOptions().page_tokens;

class EngineUnifiedTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    backend_ = new cpu::CpuBackend({.isa = "scalar", .n_threads = 1, .max_rows = kUnifiedMaxRows});
    LoadOptions options;
    options.max_rows = kUnifiedMaxRows;
    options.max_logit_rows = kUnifiedMaxRunning;
    model_ = new LoadedModel(golden_media("12b") / "12b.gguf", *backend_, options);
    prompts_ = testing_support::read_golden_media("12b").prompts;
    if (kSanitized)
      std::erase_if(prompts_, [](const auto& one) { return one.tokens.size() > 110; });
  }
  static void TearDownTestSuite() {
    delete model_;
    delete backend_;
  }

  static EngineOptions options() { return exact_options(kUnifiedMaxRunning); }

  /// The prompt with a picture of 70 soft tokens, and so much text before it that the picture
  /// begins at `first`.
  static GoldenPrompt with_picture_at(std::int64_t first) {
    GoldenPrompt prompt =
        *std::ranges::find(prompts_, "longer-than-the-window", &GoldenPrompt::name);
    const std::int64_t n = first - prompt.pictures.at(0).first;
    EXPECT_GE(n, 0);
    std::vector<text::TokenId> text;
    for (std::int64_t i = 0; i < n; ++i) text.push_back(static_cast<text::TokenId>(30 + i % 50));
    prompt.tokens.insert(prompt.tokens.begin() + 1, text.begin(), text.end());
    prompt.pictures[0].first = first;
    return prompt;
  }

  /// Tokens that the cache gave of a prompt that ends otherwise than one before it, whose reply is
  /// that of a cold prompt.
  static std::int64_t cached_tokens(GoldenPrompt prompt) {
    Engine engine(*model_, options());
    ask(engine, about(prompt));
    prompt.tokens.back() = prompt.tokens.back() == 30 ? 31 : 30;
    EngineRequest asked = about(prompt, 2);
    asked.within_pages = false;  // else all but the last token would be found
    const Reply warm = ask(engine, std::move(asked));
    EXPECT_TRUE(warm.result) << warm.failure->message;
    EXPECT_EQ(warm.result->stats.media.pictures.encoded, 0);
    expect_same_reply(warm, ask(engine, cold(about(prompt, 2))));
    return warm.result->stats.cached_tokens;
  }

  static inline cpu::CpuBackend* backend_ = nullptr;
  static inline LoadedModel* model_ = nullptr;
  static inline std::vector<GoldenPrompt> prompts_;
};

TEST_F(EngineUnifiedTest, TheNextTokenIsTheReferences) {
  ASSERT_TRUE(model_->model().info().blocks_on_all_layers);
  Engine engine(*model_, options());
  testing_support::expect_next_tokens_of_the_reference(engine, prompts_);
}

TEST_F(EngineUnifiedTest, RepliesAreTheSameBitsAloneAndAmidOthers) {
  Engine engine(*model_, options());
  testing_support::expect_same_alone_and_amid_others(engine, prompts_);
}

// The window of 16 positions holds the picture's beginning no more where the second page ends.
TEST_F(EngineUnifiedTest, IsCutBackToBeforeAPictureWhoseBeginningNoWindowHolds) {
  const std::int64_t first = kUnifiedPage + 6;
  EXPECT_EQ(cached_tokens(with_picture_at(first)), kUnifiedPage);
}

TEST_F(EngineUnifiedTest, GoesOnFromTheMiddleOfAPictureWhoseBeginningTheWindowHolds) {
  EXPECT_EQ(cached_tokens(with_picture_at(2 * kUnifiedPage - 14)), 2 * kUnifiedPage);
}

// All but the last token is cached, which is the picture's: it is computed whole.
TEST_F(EngineUnifiedTest, APromptThatEndsInAPictureGoesOnFromBeforeIt) {
  Engine engine(*model_, options());
  GoldenPrompt prompt = with_picture_at(kUnifiedPage + 6);
  prompt.tokens.resize(static_cast<std::size_t>(prompt.pictures[0].first + prompt.pictures[0].n));
  const Reply first = ask(engine, about(prompt));
  const Reply again = ask(engine, about(prompt));
  EXPECT_EQ(again.result->stats.cached_tokens, kUnifiedPage + 6);
  expect_same_reply(again, first);
  EngineRequest asked = about(prompt);
  asked.within_pages = false;
  const Reply by_pages = ask(engine, std::move(asked));
  EXPECT_EQ(by_pages.result->stats.cached_tokens, kUnifiedPage);
  expect_same_reply(by_pages, first);
}

TEST_F(EngineUnifiedTest, GoesOnFromThePagesThatAWholePictureIsOn) {
  GoldenPrompt prompt = with_picture_at(kUnifiedPage - 20);
  prompt.tokens.insert(prompt.tokens.end(), 40, 33);
  EXPECT_EQ(cached_tokens(prompt), 2 * kUnifiedPage);
}

}  // namespace
}  // namespace pleiad
