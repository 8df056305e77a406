// Perplexity and divergence on tiny checkpoints, beside what the reference class gives
// (tools/reference/perplexity.py).

#include "eval/text_evaluation.h"
#include "base/testing/paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "base/error.h"
#include "base/json.h"
#include "base/testing/json.h"
#include "eval/eval_testing.h"

namespace pleiad::eval {
namespace {

/// The text of the longest case of e2b, without <bos>.
std::vector<text::TokenId> reference_text() {
  std::ifstream file(golden_path("models/e2b/prompts.json"));
  auto tokens = json_from(file).at("cases").back().at("tokens").get<std::vector<text::TokenId>>();
  tokens.erase(tokens.begin());
  return tokens;
}

TextRequest request_for(TinyModel& tiny, std::span<const text::TokenId> tokens,
                        WindowOptions windows) {
  TextRequest request;
  request.models = {{"tiny", &tiny.model}};
  request.tokens = tokens;
  request.bos = kBos;
  request.windows = windows;
  return request;
}

constexpr WindowOptions kWhole = {WindowMethod::sliding, 128, 64, 0};
constexpr WindowOptions kSliding = {WindowMethod::sliding, 24, 9, 0};
constexpr WindowOptions kChunks = {WindowMethod::chunks, 20, 10, 0};

TEST(TextWindows, SlidingCountsEveryTokenOnceAfterEnoughOthers) {
  for (const std::int64_t n : {1, 22, 23, 24, 32, 33, 69, 500}) {
    std::int64_t scored = 0;
    for (const TextWindow& window : cut_windows(n, kSliding)) {
      EXPECT_EQ(window.first_scored, scored);
      EXPECT_GT(window.n_scored(), 0);
      EXPECT_LE(window.last - window.first, 23);
      EXPECT_GE(window.first_scored - window.first, window.first > 0 ? 24 - 1 - 9 : 0);
      scored = window.last;
    }
    EXPECT_EQ(scored, n);
  }
  EXPECT_TRUE(cut_windows(0, kSliding).empty());
}

TEST(TextWindows, ChunksCountTheirSecondHalf) {
  // 40 tokens with <bos>: two chunks of 20; positions 10 to 18 of each predict nine tokens.
  const std::vector<TextWindow> expected = {{0, 10, 19}, {20, 30, 39}};
  EXPECT_EQ(cut_windows(39, kChunks), expected);
  EXPECT_EQ(cut_windows(58, kChunks), expected);
  EXPECT_EQ(cut_windows(59, kChunks).size(), 3U);
  EXPECT_TRUE(cut_windows(18, kChunks).empty());
}

TEST(TextEvaluation, PerplexityIsThatOfTheReference) {
  TinyModel tiny("e2b");
  const auto tokens = reference_text();
  const TextReport whole = evaluate_text(request_for(tiny, tokens, kWhole));
  EXPECT_EQ(whole.models.front().loss.count(), 69);
  EXPECT_EQ(whole.n_windows, 1);
  EXPECT_NEAR(whole.models.front().loss.mean(), 11.9796598, 2e-3);
  EXPECT_NEAR(whole.models.front().value(), std::exp(11.9796598), 500);
  const TextReport sliding = evaluate_text(request_for(tiny, tokens, kSliding));
  EXPECT_EQ(sliding.models.front().loss.count(), 69);
  EXPECT_NEAR(sliding.models.front().loss.mean(), 11.7298476, 2e-3);
  const TextReport chunks = evaluate_text(request_for(tiny, tokens, kChunks));
  EXPECT_EQ(chunks.models.front().loss.count(), 27);
  EXPECT_NEAR(chunks.models.front().loss.mean(), 11.6648607, 2e-3);
}

TEST(TextEvaluation, IsTheSameWithAnyNumberOfThreadsAndRows) {
  TinyModel one("e4b-nvfp4", 1, 8, 3);
  TinyModel two("e4b-nvfp4", 2, 32, 32);
  const auto tokens = some_tokens(60);
  const TextReport of_one = evaluate_text(request_for(one, tokens, kSliding));
  const TextReport of_two = evaluate_text(request_for(two, tokens, kSliding));
  EXPECT_EQ(of_one.models.front().loss.mean(), of_two.models.front().loss.mean());
  EXPECT_EQ(of_one.models.front().loss.error(), of_two.models.front().loss.error());
}

TEST(TextEvaluation, AModelDoesNotDivergeFromItself) {
  TinyModel tiny("e4b");
  const auto tokens = some_tokens(50);
  TextRequest request = request_for(tiny, tokens, kSliding);
  request.models.push_back({"again", &tiny.model});
  const TextReport report = evaluate_text(request);
  ASSERT_TRUE(report.comparison);
  EXPECT_EQ(report.comparison->tokens.divergence().mean(), 0);
  EXPECT_EQ(report.comparison->tokens.quantile(1), 0);
  EXPECT_EQ(report.comparison->tokens.same_top().mean(), 1);
  EXPECT_EQ(report.comparison->tokens.squared_difference().mean(), 0);
  EXPECT_EQ(report.comparison->loss_difference.mean(), 0);
}

TEST(TextEvaluation, AQuantizedModelDiverges) {
  TinyModel original("e4b");
  TinyModel quantized("e4b-nvfp4");
  const auto tokens = some_tokens(50);
  TextRequest request = request_for(original, tokens, kSliding);
  request.models.push_back({"nvfp4", &quantized.model});
  const TextReport report = evaluate_text(request);
  const DivergenceSummary& found = report.comparison->tokens;
  EXPECT_GT(found.divergence().mean(), 1e-3);
  EXPECT_GT(found.quantile(1), found.quantile(0.5));
  EXPECT_GT(found.divergence().interval().low, 0);
  EXPECT_NEAR(report.comparison->loss_difference.mean(),
              report.models[1].loss.mean() - report.models[0].loss.mean(), 1e-12);
}

TEST(TextEvaluation, StopsWhenToldAndCountsWholeWindowsOnly) {
  TinyModel tiny("e2b");
  const auto tokens = some_tokens(60);
  TextRequest request = request_for(tiny, tokens, kSliding);
  request.progress = [](std::int64_t done, std::int64_t) { return done < 28; };
  const TextReport report = evaluate_text(request);
  EXPECT_FALSE(report.complete());
  EXPECT_EQ(report.n_windows, 1);
  EXPECT_EQ(report.models.front().loss.count(), 23);
}

TEST(TextEvaluation, SaysWhatCannotBeEvaluated) {
  TinyModel tiny("e2b");
  const auto tokens = some_tokens(10);
  EXPECT_THROW(evaluate_text(request_for(tiny, tokens, kChunks)), Error);
  EXPECT_THROW(evaluate_text(request_for(tiny, {}, kSliding)), Error);
}

TEST(RowComparison, IsTheDefinition) {
  const std::vector<float> p = {1.0F, 2.0F, 3.0F, -4.0F};
  const std::vector<float> q = {0.5F, 2.5F, 2.0F, -1.0F};
  double norm_p = 0;
  double norm_q = 0;
  for (const float x : p) norm_p += std::exp(double{x});
  for (const float x : q) norm_q += std::exp(double{x});
  double expected = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double share = std::exp(double{p[i]}) / norm_p;
    expected += share * std::log(share / (std::exp(double{q[i]}) / norm_q));
  }
  const TokenComparison found = RowComparison().compare(p, q, 1);
  EXPECT_NEAR(found.divergence, expected, 1e-12);
  EXPECT_NEAR(found.reference, std::exp(2.0) / norm_p, 1e-12);
  EXPECT_NEAR(found.judged, std::exp(2.5) / norm_q, 1e-12);
  EXPECT_FALSE(found.same_top);
}

}  // namespace
}  // namespace pleiad::eval
