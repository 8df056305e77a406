#include "eval/importance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "eval/eval_testing.h"

namespace pleiad::eval {
namespace {

TEST(Importance, KnowsEveryMatrixOfTheCheckpoint) {
  for (const char* family : {"e2b", "31b", "26b-a4b"}) {
    TinyModel tiny(family);
    const ImportanceMatrix found = measure_importance(tiny.model, some_tokens(30), kBos, {});
    std::size_t n_matrices = 0;
    tiny.checkpoint.for_each([&](std::string_view name, const HostTensor& tensor) {
      if (tensor.shape.size() < 2 || name == "per_layer.embedding") return;
      ++n_matrices;
      const auto columns = found.find(name);
      ASSERT_EQ(columns.size(), static_cast<std::size_t>(tensor.cols())) << family << " " << name;
      EXPECT_GT(*std::ranges::max_element(columns), 0.0F) << name;
      EXPECT_GE(*std::ranges::min_element(columns), 0.0F) << name;
    });
    EXPECT_EQ(found.columns.size(), n_matrices) << family;
  }
}

TEST(Importance, IsTheMeanOfTheSquaredInputs) {
  TinyModel tiny("e2b");
  const auto tokens = some_tokens(5);
  std::vector<text::TokenId> all = {kBos};
  all.insert(all.end(), tokens.begin(), tokens.end());
  std::vector<double> squares;
  tiny.model.set_trace(
      [&](std::string_view name, std::span<const float> values, std::int64_t, std::int64_t cols) {
        if (name != "l1.attn_norm") return;
        squares.assign(static_cast<std::size_t>(cols), 0.0);
        for (std::size_t i = 0; i < values.size(); ++i) {
          squares[i % squares.size()] += double{values[i]} * values[i] / 6.0;
        }
      });
  const auto cache = tiny.model.make_kv_cache({KvType::f32, 16});
  KvSequence sequence(*cache);
  sequence.reserve(6);
  const Slice slice = {&sequence, all, WantLogits::all, Phase::prompt};
  tiny.model.forward({&slice, 1}, *cache);
  tiny.model.set_trace({});
  const ImportanceMatrix found = measure_importance(tiny.model, tokens, kBos, {});
  EXPECT_EQ(found.n_tokens, 6);
  const auto columns = found.find("layers.1.attention.q_proj");
  ASSERT_EQ(columns.size(), squares.size());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    EXPECT_NEAR(columns[i], squares[i], 1e-3 * squares[i]);
  }
}

TEST(Importance, IsTheSameWithAnyNumberOfThreads) {
  TinyModel one("26b-a4b", 1);
  TinyModel two("26b-a4b", 2);
  const auto tokens = some_tokens(40);
  const auto of_one = measure_importance(one.model, tokens, kBos, {.chunk_tokens = 16});
  const auto of_two = measure_importance(two.model, tokens, kBos, {.chunk_tokens = 16});
  EXPECT_EQ(of_one.columns, of_two.columns);
}

TEST(Importance, ReadsAsManyChunksAsAskedForAndStopsWhenTold) {
  TinyModel tiny("e2b");
  const auto tokens = some_tokens(40);
  const auto two =
      measure_importance(tiny.model, tokens, kBos, {.chunk_tokens = 8, .max_chunks = 2});
  EXPECT_TRUE(two.complete);
  EXPECT_EQ(two.n_tokens, 16);
  std::int64_t calls = 0;
  const auto stopped = measure_importance(
      tiny.model, tokens, kBos, {.chunk_tokens = 8, .progress = [&](std::int64_t done, auto total) {
                                   EXPECT_EQ(total, 40);
                                   EXPECT_EQ(done, 7 * ++calls);
                                   return calls < 2;
                                 }});
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(stopped.columns, two.columns);
  EXPECT_THROW(measure_importance(tiny.model, {}, kBos, {}), Error);
}

}  // namespace
}  // namespace pleiad::eval
