#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sampling/reference_sampling.h"
#include "sampling/sampler.h"

// One token from the 262,144 logits of Gemma 4's vocabulary.
namespace pleiad::sampling {
namespace {

constexpr std::size_t kVocabSize = 262144;

/// A model that hesitates between a few dozen tokens: noise far below a few peaks.
std::vector<float> peaked_logits() {
  std::vector<float> logits = reference::normal_logits(kVocabSize, 2.5, 1);
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    const auto token = static_cast<std::size_t>(random.uniform() * kVocabSize);
    logits[token] = static_cast<float>(14 + 8 * random.uniform());
  }
  return logits;
}

/// Allows a token in every 4,096, as where a name or a number goes on.
class FewTokens final : public TokenConstraint {
 public:
  bool allowed_next(std::span<std::uint64_t> allowed) override {
    for (std::size_t word = 0; word < allowed.size(); ++word)
      allowed[word] = word % 64 == 0 ? 1 : 0;
    return true;
  }
  void accept(std::int32_t /*token*/) override {}
  std::unique_ptr<TokenConstraint> copy() const override {
    return std::make_unique<FewTokens>(*this);
  }
};

void sample(benchmark::State& state, SamplingOptions options, const std::vector<float>& logits,
            TokenConstraint* constraint) {
  options.seed = 1;
  Sampler sampler(options, logits.size());
  for (int token = 0; token < 4096; ++token) sampler.accept(token);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.sample(logits, constraint));
}

void register_all() {
  static const std::vector<float> peaked = peaked_logits();
  static const std::vector<float> flat = reference::normal_logits(kVocabSize, 0.5, 3);
  const auto add = [](const char* name, const SamplingOptions& options,
                      const std::vector<float>& logits, TokenConstraint* constraint = nullptr) {
    benchmark::RegisterBenchmark(name, [options, &logits, constraint](benchmark::State& state) {
      sample(state, options, logits, constraint);
    })->Unit(benchmark::kMicrosecond);
  };
  add("greedy", {.temperature = 0}, peaked);
  add("default", {}, peaked);
  add("default/flat", {}, flat);
  add("repeat_penalty", {.repeat_penalty = 1.1}, peaked);
  add("20 logprobs", {.n_logprobs = 20}, peaked);
  add("top_k 10000", {.top_k = 10000}, peaked);
  add("top_p only", {.top_k = 0}, peaked);
  add("top_p only/flat", {.top_k = 0}, flat);
  add("min_p only", {.top_k = 0, .top_p = 1.0, .min_p = 0.05}, peaked);
  add("no filter", {.top_k = 0, .top_p = 1.0}, peaked);
  static FewTokens few;
  add("constrained", {}, peaked, &few);
  add("constrained/no filter", {.top_k = 0, .top_p = 1.0}, peaked, &few);
}

const int kRegistered = (register_all(), 0);

}  // namespace
}  // namespace pleiad::sampling
