#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "engine/media/prompt_media.h"
#include "model/model.h"

namespace pleiad::testing_support {

inline constexpr std::int64_t kBookkeepingRows = 48;  // of a pass
inline constexpr std::uint64_t kMuchMemory = std::uint64_t{64} << 20;

/// A model that computes nothing: into the cache, where keys and values would be, its passes write
/// the tokens themselves, and what they were asked for is remembered. Its generated tokens count
/// as rounded otherwise than those of prompts. One layer has a window, another none.
class BookkeepingModel final : public Model {
 public:
  static constexpr int kWindow = 100;

  struct Pass {
    std::int64_t first = 0;  // position
    std::vector<text::TokenId> tokens;
    WantLogits logits = WantLogits::none;
    Phase phase = Phase::prompt;
  };

  explicit BookkeepingModel(std::int64_t max_rows = kBookkeepingRows) {
    info_.vocab_size = 1000;
    info_.context_length = 100'000;
    info_.max_rows = max_rows;
    info_.n_layers = 2;
  }

  const ModelInfo& info() const override { return info_; }
  bool has_one_arithmetic() const override { return false; }
  std::unique_ptr<KvCache> make_kv_cache(const KvCacheOptions& options) override {
    const std::vector<KvLayerShape> layers = {{1, 16, kWindow}, {1, 16, 0}};
    page_tokens_ = options.page_tokens;
    return std::make_unique<KvCache>(backend_, layers, options);
  }
  Logits forward(std::span<const Slice> batch, KvCache&) override {
    before_pass();
    for (const Slice& slice : batch) {
      const std::int64_t first = slice.sequence->length();
      passes.push_back(
          {first, {slice.tokens.begin(), slice.tokens.end()}, slice.logits, slice.phase});
      for (std::int64_t i = 0; i < std::ssize(slice.tokens); ++i) {
        for (const std::size_t group : {0U, 1U}) {
          std::memcpy(place(*slice.sequence, group, first + i),
                      &slice.tokens[static_cast<std::size_t>(i)], sizeof(text::TokenId));
        }
      }
      slice.sequence->advance(std::ssize(slice.tokens));
    }
    return {};
  }
  void set_trace(TraceHook) override {}
  void set_input_hook(TraceHook) override {}

  /// Whether what a sequence can see is the beginning of a text.
  bool holds(const KvSequence& sequence, std::span<const text::TokenId> text) const {
    const std::int64_t n = sequence.length();
    if (n > std::ssize(text)) return false;
    for (std::int64_t position = 0; position < n; ++position) {
      for (const std::size_t group : {0U, 1U}) {
        if (group == 0 && position + kWindow <= n) continue;
        const std::byte* at = place(sequence, group, position);
        if (!at || std::memcmp(at, &text[static_cast<std::size_t>(position)],
                               sizeof(text::TokenId)) != 0) {
          return false;
        }
      }
    }
    return true;
  }

  std::function<void()> before_pass = [] {};
  std::vector<Pass> passes;

 private:
  std::byte* place(const KvSequence& sequence, std::size_t group, std::int64_t position) const {
    std::byte* page = sequence.pages(group)[static_cast<std::size_t>(position / page_tokens_)];
    return page ? page + position % page_tokens_ * std::int64_t{sizeof(text::TokenId)} : nullptr;
  }

  cpu::CpuBackend backend_{{.isa = "scalar", .n_threads = 1, .max_rows = 1}};
  ModelInfo info_;
  std::int64_t page_tokens_ = 0;
};

}  // namespace pleiad::testing_support
