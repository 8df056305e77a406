#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "model/checkpoint.h"
#include "model/gemma4/gemma4.h"

namespace pleiad::testing_support {

/// A cache that rounds nothing.
inline constexpr KvCacheOptions kExactCache = {KvType::f32, 16};

/// A checkpoint with a CPU backend of its own, for tests. One thread unless threads are what is
/// tested: these models take microseconds, and where tests share the cores, threads that wait for
/// each other cost several times what they compute.
class ModelRunner {
 public:
  explicit ModelRunner(const std::filesystem::path& path, const std::string& isa = "",
                       int n_threads = 1, int max_rows = 96, int max_logit_rows = 96,
                       std::optional<gemma4::OnlineOptions> online = {},
                       cpu::ActivationForm activations = cpu::ActivationForm::automatic)
      : checkpoint_(Checkpoint::open(path)),
        backend_(
            {.isa = isa, .n_threads = n_threads, .max_rows = max_rows, .activations = activations}),
        model_(checkpoint_, backend_, {max_rows, max_logit_rows, online}) {}

  /// With activations of 16 bits.
  static ModelRunner precise(const std::filesystem::path& path, const std::string& isa = "",
                             std::optional<gemma4::OnlineOptions> online = {}) {
    return ModelRunner(path, isa, 1, 96, 96, online, cpu::ActivationForm::words);
  }

  gemma4::Gemma4& model() { return model_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }

  /// Logits of every token, [n_tokens * vocab_size], the tokens taken `chunk`
  /// at a time: the first n_prompt as a prompt, the rest as generated ones.
  std::vector<float> logits(const std::vector<std::int32_t>& tokens, std::size_t n_prompt,
                            std::size_t chunk, const KvCacheOptions& options) {
    const auto cache = model_.make_kv_cache(options);
    KvSequence sequence(*cache);
    std::vector<float> all;
    for (std::size_t at = 0; at < tokens.size();) {
      const std::size_t end = at < n_prompt ? n_prompt : tokens.size();
      const std::size_t n = std::min(chunk, end - at);
      sequence.reserve(static_cast<std::int64_t>(n));
      const Slice slice = {&sequence, std::span(tokens).subspan(at, n), WantLogits::all,
                           at < n_prompt ? Phase::prompt : Phase::generation};
      const Logits logits = model_.forward({&slice, 1}, *cache);
      all.insert(all.end(), logits.values.begin(), logits.values.end());
      at += n;
    }
    return all;
  }

  /// Logits of the last token of a prompt, the next one being asked for: [vocab_size].
  std::vector<float> next_token_logits(std::span<const std::int32_t> prompt, std::size_t chunk,
                                       Phase phase = Phase::prompt,
                                       const KvCacheOptions& options = {KvType::f32, 16}) {
    const auto cache = model_.make_kv_cache(options);
    KvSequence sequence(*cache);
    for (std::size_t at = 0;; at += chunk) {
      const std::span<const std::int32_t> part =
          prompt.subspan(at, std::min(chunk, prompt.size() - at));
      sequence.reserve(static_cast<std::int64_t>(part.size()));
      const bool is_last = at + chunk >= prompt.size();
      const WantLogits want = is_last ? WantLogits::last : WantLogits::none;
      const Slice slice = {&sequence, part, want, phase};
      const Logits logits = model_.forward({&slice, 1}, *cache);
      if (is_last) return {logits.values.begin(), logits.values.end()};
    }
  }

  /// All tokens in one phase.
  std::vector<float> logits(const std::vector<std::int32_t>& tokens, std::size_t chunk,
                            Phase phase = Phase::generation,
                            const KvCacheOptions& options = {KvType::f32, 16}) {
    return logits(tokens, phase == Phase::prompt ? tokens.size() : 0, chunk, options);
  }

 private:
  Checkpoint checkpoint_;
  cpu::CpuBackend backend_;
  gemma4::Gemma4 model_;
};

}  // namespace pleiad::testing_support
