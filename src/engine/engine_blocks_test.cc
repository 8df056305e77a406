// Whole prompts with pictures through the engine: a tiny checkpoint of the reference with its own
// tower, whose soft tokens see all of their picture (26B-A4B), so that none may be cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <new>

#include "backend/cpu/cpu_backend.h"
#include "base/testing/sanitizers.h"
#include "engine/testing/engine_test_support.h"
#include "engine/testing/golden_requests.h"
#include "model/testing/golden_media.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;
using testing_support::about;
using testing_support::ask;
using testing_support::cold;
using testing_support::CollectingSink;
using testing_support::expect_same_reply;
using testing_support::golden_media;
using testing_support::GoldenPrompt;
using testing_support::Reply;
using testing_support::request;

class EngineBlocksTest : public ::testing::Test {
 protected:
  static constexpr int kMaxRows = 80;  // the longest picture of the prompts has 70 soft tokens
  static constexpr int kMaxRunning = 8;

  static void SetUpTestSuite() {
    backend_ = new cpu::CpuBackend({.isa = "scalar", .n_threads = 1, .max_rows = kMaxRows});
    LoadOptions options;
    options.max_rows = kMaxRows;
    options.max_logit_rows = kMaxRunning;
    model_ = new LoadedModel(golden_media("26b-a4b") / "26b-a4b.gguf", *backend_, options);
    prompts_ = testing_support::read_golden_media("26b-a4b").prompts;
    // Long videos meet no path that short ones do not.
    if (kSanitized)
      std::erase_if(prompts_, [](const auto& one) { return one.tokens.size() > 110; });
  }
  static void TearDownTestSuite() {
    delete model_;
    delete backend_;
  }

  static EngineOptions options() { return testing_support::exact_options(kMaxRunning); }
  static const GoldenPrompt& prompt(const std::string& name) {
    return *std::find_if(prompts_.begin(), prompts_.end(),
                         [&](const GoldenPrompt& one) { return one.name == name; });
  }

  static inline cpu::CpuBackend* backend_ = nullptr;
  static inline LoadedModel* model_ = nullptr;
  static inline std::vector<GoldenPrompt> prompts_;
};

TEST_F(EngineBlocksTest, TheNextTokenIsTheReferences) {
  ASSERT_TRUE(model_->model().info().bidirectional_blocks);
  Engine engine(*model_, options());
  testing_support::expect_next_tokens_of_the_reference(engine, prompts_);
}

TEST_F(EngineBlocksTest, RepliesAreTheSameBitsAloneAndAmidOthers) {
  Engine engine(*model_, options());
  testing_support::expect_same_alone_and_amid_others(engine, prompts_);
}

// A page ends in the middle of the picture: the rest of it is computed, and sees all of it.
TEST_F(EngineBlocksTest, AWarmPromptIsTheSameBitsFromTheMiddleOfAPictureOn) {
  Engine engine(*model_, options());
  GoldenPrompt golden = prompt("longer-than-the-window");
  const auto& picture = golden.pictures.at(0);
  ASSERT_LT(picture.first, 64);
  ASSERT_GT(picture.first + picture.n, 64);
  ask(engine, about(golden));
  golden.tokens.back() = golden.tokens.back() == 30 ? 31 : 30;
  EngineRequest asked = about(golden, 2);
  asked.within_pages = false;  // else all but the last token would be found
  const Reply warm = ask(engine, std::move(asked));
  EXPECT_EQ(warm.result->stats.cached_tokens, 64);
  EXPECT_EQ(warm.result->stats.media.pictures.encoded, 0);
  EXPECT_EQ(warm.result->stats.media.pictures.cached, 1);
  expect_same_reply(warm, ask(engine, cold(about(golden, 2))));
}

// Its last row sees all of the picture, which the cache holds.
TEST_F(EngineBlocksTest, APromptThatEndsInAPictureComputesItsLastRow) {
  Engine engine(*model_, options());
  GoldenPrompt golden = prompt("longer-than-the-window");
  const std::int64_t end = golden.pictures.at(0).first + golden.pictures[0].n;
  golden.tokens.resize(static_cast<std::size_t>(end));
  const Reply first = ask(engine, about(golden));
  const Reply again = ask(engine, about(golden));
  EXPECT_EQ(again.result->stats.cached_tokens, end - 1);
  expect_same_reply(again, first);
}

TEST_F(EngineBlocksTest, ASessionGivesTheSame) {
  SessionOptions session_options;
  session_options.kv_type = KvType::f32;
  for (const GoldenPrompt& golden : prompts_) {
    SCOPED_TRACE(golden.name);
    Engine engine(*model_, options());
    const EngineRequest asked = about(golden);
    const auto expected = ask(engine, about(golden)).ids();
    for (const bool watched : {false, true}) {
      Session session(*model_, session_options);
      std::vector<text::TokenId> tokens;
      GenerationOptions generation = asked.generation;
      generation.sampling.n_logprobs.reset();
      session.generate(
          {asked.prompt, asked.media}, generation,
          [&](text::TokenId token) {
            tokens.push_back(token);
            return true;
          },
          watched ? Session::OnPrompt([](auto) { return true; }) : Session::OnPrompt());
      EXPECT_EQ(tokens, expected);
    }
  }
}

// Beside a long embedding, which by itself would leave no step with room for a block.
TEST_F(EngineBlocksTest, APictureGoesOnBesideAnEmbedding) {
  std::promise<void> started;
  std::promise<void> submitted;
  std::atomic<int> n_steps = 0;
  EngineOptions observed = options();
  observed.on_step = [&](const StepRecord&) {
    if (++n_steps > 1) return;
    started.set_value();
    submitted.get_future().wait();
  };
  std::promise<bool> embedded;
  std::atomic<bool> is_answered = false;
  Engine engine(*model_, observed);
  const GoldenPrompt& golden = prompt("longer-than-the-window");
  engine.embed(std::vector<text::TokenId>(3000, 30), [&](const Engine::Embedding& embedding) {
    embedded.set_value(!embedding.failure && is_answered);
  });
  started.get_future().wait();
  const auto sink = std::make_shared<CollectingSink>();
  sink->wants_more = [&](std::size_t) {
    is_answered = true;
    return true;
  };
  engine.submit(cold(about(golden)), sink);
  submitted.set_value();
  EXPECT_TRUE(embedded.get_future().get()) << "the picture waited for the embedding's end";
  const Reply beside = sink->wait();
  ASSERT_TRUE(beside.result) << beside.failure->message;
  expect_same_reply(beside, ask(engine, cold(about(golden))));
}

TEST_F(EngineBlocksTest, APictureThatFitsInNoStepIsRefused) {
  Engine engine(*model_, options());
  GoldenPrompt golden = prompt("longer-than-the-window");
  EngineRequest asked = request(std::vector<text::TokenId>(200, 30));
  auto picture = std::make_shared<PictureInput>();
  picture->width = 48 * 74;
  picture->height = 48;
  asked.media = {{10, 74, picture}};
  const Reply reply = ask(engine, std::move(asked));
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, EngineFailure::Kind::bad_request);
  EXPECT_THAT(reply.failure->message, HasSubstr("picture 0: takes 74 tokens"));
  EXPECT_THAT(reply.failure->message, HasSubstr("at most 73"));
}

// Else a part of a picture that comes next would be computed as rows of that step.
TEST_F(EngineBlocksTest, AStepThatFailsIsOver) {
  const auto cache = model_->model().make_kv_cache({KvType::f32, 64});
  KvSequence sequence(*cache);
  sequence.reserve(1);
  const std::vector<text::TokenId> tokens = {30};
  const Slice slice = {&sequence, tokens, WantLogits::last, Phase::generation};
  model_->model().set_trace([](std::string_view, std::span<const float>, std::int64_t,
                               std::int64_t) { throw std::bad_alloc(); });
  EXPECT_THROW((void)model_->model().forward({&slice, 1}, *cache), std::bad_alloc);
  model_->model().set_trace({});
  const std::vector<std::int32_t> first_row = {0};
  EXPECT_THROW(backend_->keep_rows(first_row, 1), InternalError) << "its rows are still there";
  EXPECT_EQ(sequence.length(), 0);
}

TEST(StepRows, HoldTheLongestPictureWhereItMayNotBeCut) {
  const Checkpoint blocks = Checkpoint::open(golden_media("26b-a4b") / "26b-a4b.gguf");
  EXPECT_EQ(step_rows(blocks, 512, 32), 1120 + 32);
  EXPECT_EQ(step_rows(blocks, 2048, 32), 2048);
  const Checkpoint causal = Checkpoint::open(golden_media("e2b") / "e2b.gguf");
  EXPECT_EQ(step_rows(causal, 512, 32), 512);
}

}  // namespace
}  // namespace pleiad
