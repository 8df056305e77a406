#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/testing/paths.h"
#include "engine/testing/engine_test_support.h"
#include "engine/testing/fake_towers.h"

namespace pleiad::testing_support {

/// The demo model beneath towers that only count.
class EngineMediaTest : public ::testing::Test {
 protected:
  static constexpr int kMaxRows = 96;

  static void SetUpTestSuite() {
    backend_ = new cpu::CpuBackend({.isa = "", .n_threads = 1, .max_rows = kMaxRows});
    model_ =
        new LoadedModel(source_path("models/demo/pleiad-demo.gguf"), *backend_, load_options());
  }
  static void TearDownTestSuite() {
    delete model_;
    delete backend_;
  }

  static LoadOptions load_options() {
    LoadOptions options;
    options.max_rows = kMaxRows;
    options.max_logit_rows = 32;
    return options;
  }
  static LoadedModel model_without_towers() {
    return {golden_path("models/e4b/e4b.gguf"), *backend_, load_options()};
  }

  EngineOptions options() {
    EngineOptions options;
    options.kv_bytes = std::uint64_t{256} << 20;
    options.towers.vision = [this]() -> VisionEncoder& { return vision_; };
    options.towers.audio = [this]() -> AudioEncoder& { return audio_; };
    return options;
  }
  static EngineRequest about(const MediaBook& book, std::uint64_t seed = 1,
                             std::int64_t max_tokens = 8) {
    EngineRequest asked = request(book.tokens, seed, max_tokens);
    asked.media = book.media;
    return asked;
  }
  /// In an engine of its own: no other one may be at work.
  Reply alone(const EngineRequest& request) {
    Engine engine(*model_, options());
    EngineRequest copy;
    copy.prompt = request.prompt;
    copy.media = request.media;
    copy.generation = request.generation;
    return ask(engine, cold(std::move(copy)));
  }
  /// What the model itself makes of the prompt: the best next token.
  text::TokenId best_next(const MediaBook& book) {
    Model& model = model_->model();
    const auto cache = model.make_kv_cache({KvType::bf16, 64});
    KvSequence sequence(*cache);
    std::vector<std::vector<float>> rows;
    for (const PromptMedia& one : book.media) {
      rows.push_back(one.sound ? audio_.rows_of(*one.sound) : vision_.rows_of(*one.picture));
    }
    std::vector<SoftRows> soft;
    for (std::size_t i = 0; i < rows.size(); ++i) soft.push_back({book.media[i].first, rows[i]});
    sequence.reserve(std::ssize(book.tokens));
    Slice slice = {&sequence, book.tokens, WantLogits::last, Phase::prompt};
    slice.soft = soft;
    const auto logits = model.forward({&slice, 1}, *cache).row(0);
    return static_cast<text::TokenId>(std::max_element(logits.begin(), logits.end()) -
                                      logits.begin());
  }

  static inline cpu::CpuBackend* backend_ = nullptr;
  static inline LoadedModel* model_ = nullptr;
  FakeVision vision_{model_->model().info().model_dim};
  FakeAudio audio_{model_->model().info().model_dim};
};

}  // namespace pleiad::testing_support
