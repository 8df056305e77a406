#include "bench/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backend/cpu/cpu_backend.h"
#include "base/testing/paths.h"
#include "model/gemma4/gemma4.h"

namespace pleiad::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// A small model that keeps what it was asked to compute.
class RecordingModel final : public Model {
 public:
  struct Pass {
    std::vector<std::size_t> sizes;  // of its slices
    std::vector<std::int64_t> starts;
    std::vector<WantLogits> wanted;
    std::vector<std::int32_t> tokens;
  };

  RecordingModel()
      : checkpoint_(Checkpoint::open(golden_path("models/e2b"))),
        backend_({"", 1, kRows}),
        model_(checkpoint_, backend_, {kRows, 4}) {}

  const ModelInfo& info() const override { return model_.info(); }
  bool has_one_arithmetic() const override { return model_.has_one_arithmetic(); }
  std::unique_ptr<KvCache> make_kv_cache(const KvCacheOptions& options) override {
    types.push_back(options.type);
    return model_.make_kv_cache(options);
  }
  Logits forward(std::span<const Slice> batch, KvCache& cache) override {
    Pass& pass = passes.emplace_back();
    for (const Slice& slice : batch) {
      pass.sizes.push_back(slice.tokens.size());
      pass.starts.push_back(slice.sequence->length());
      pass.wanted.push_back(slice.logits);
      pass.tokens.insert(pass.tokens.end(), slice.tokens.begin(), slice.tokens.end());
    }
    return model_.forward(batch, cache);
  }
  void set_trace(TraceHook hook) override { model_.set_trace(std::move(hook)); }
  void set_input_hook(TraceHook hook) override { model_.set_input_hook(std::move(hook)); }

  static constexpr int kRows = 8;
  std::vector<Pass> passes;
  std::vector<KvType> types;

 private:
  Checkpoint checkpoint_;
  cpu::CpuBackend backend_;
  gemma4::Gemma4 model_;
};

constexpr RunOptions kTwice = {2, 1};

TEST(RunTests, APromptGoesInChunksAndWantsItsLastLogits) {
  RecordingModel model;
  const std::vector<Case> tests = {{TestKind::prompt, 20, 0, 1, KvType::bf16}};
  const auto measured = run_tests(model, tests, kTwice, {});
  ASSERT_THAT(measured, SizeIs(1));
  EXPECT_THAT(measured[0].tokens_per_second, SizeIs(2));
  ASSERT_THAT(model.passes, SizeIs(1 + 2 * 3));  // a warm-up of one pass
  EXPECT_THAT(model.passes[1].wanted, ElementsAre(WantLogits::none));
  EXPECT_THAT(model.passes[2].starts, ElementsAre(8));
  EXPECT_THAT(model.passes[3].sizes, ElementsAre(4));
  EXPECT_THAT(model.passes[3].wanted, ElementsAre(WantLogits::last));
  EXPECT_THAT(model.passes[4].starts, ElementsAre(0));  // anew
}

TEST(RunTests, TokensAreNewInEveryRepetitionAndTheSameForASeed) {
  RecordingModel model;
  const std::vector<Case> tests = {{TestKind::prompt, 8, 0, 1, KvType::bf16}};
  run_tests(model, tests, kTwice, {});
  run_tests(model, tests, kTwice, {});
  std::set<std::vector<std::int32_t>> distinct;
  for (const auto& pass : model.passes) distinct.insert(pass.tokens);
  EXPECT_EQ(model.passes.size(), 6U);
  EXPECT_EQ(distinct.size(), 3U);
  run_tests(model, tests, {2, 2}, {});
  EXPECT_NE(model.passes[0].tokens, model.passes[6].tokens);
}

TEST(RunTests, SequencesGenerateTogetherAtTheirDepth) {
  RecordingModel model;
  const std::vector<Case> tests = {{TestKind::generation, 6, 12, 1, KvType::f16},
                                   {TestKind::generation, 6, 12, 3, KvType::f16}};
  const auto measured = run_tests(model, tests, kTwice, {});
  ASSERT_THAT(measured, SizeIs(2));
  EXPECT_THAT(model.types, ElementsAre(KvType::f16));  // one context for both
  // Two passes fill a sequence: the first for one, two more for three.
  ASSERT_THAT(model.passes, SizeIs(2 + 4 + 2 * 6 + 2 * 2 + 4 + 2 * 6));
  EXPECT_THAT(model.passes[0].wanted, ElementsAre(WantLogits::none));
  EXPECT_THAT(model.passes[2].starts, ElementsAre(12));
  EXPECT_THAT(model.passes.back().sizes, ElementsAre(1, 1, 1));
  EXPECT_THAT(model.passes.back().starts, ElementsAre(17, 17, 17));
  EXPECT_THAT(model.passes.back().wanted, ::testing::Each(WantLogits::last));
}

TEST(RunTests, WhatWasFinishedComesBackWhenItIsStopped) {
  RecordingModel model;
  const std::vector<Case> tests = {{TestKind::generation, 4, 0, 1, KvType::bf16},
                                   {TestKind::generation, 9, 0, 1, KvType::bf16}};
  Observer observer;
  observer.stop = [&] { return model.passes.size() >= 4 + 3 * 4 + 4 + 9 + 2; };
  const auto measured = run_tests(model, tests, {3, 1}, observer);
  ASSERT_THAT(measured, SizeIs(2));
  EXPECT_THAT(measured[0].tokens_per_second, SizeIs(3));
  EXPECT_THAT(measured[1].tokens_per_second, SizeIs(1));
  observer.stop = [] { return true; };
  EXPECT_THAT(run_tests(model, tests, {3, 1}, observer), SizeIs(0));
}

TEST(RunTests, ProgressEndsAtItsTotal) {
  RecordingModel model;
  const std::vector<Case> tests = {{TestKind::generation, 5, 3, 2, KvType::bf16}};
  std::vector<std::string> titles;
  std::uint64_t left = 1;
  Observer observer;
  observer.progress = [&](const std::string& what, std::uint64_t done, std::uint64_t total) {
    if (titles.empty() || titles.back() != what) titles.push_back(what);
    left = total - done;
  };
  run_tests(model, tests, kTwice, observer);
  EXPECT_THAT(titles, ElementsAre("filling 3", "tg5@d3 x2"));
  EXPECT_EQ(left, 0U);
}

}  // namespace
}  // namespace pleiad::bench
