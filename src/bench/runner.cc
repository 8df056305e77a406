#include "bench/runner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "bench/context.h"
#include "bench/slices.h"

namespace pleiad::bench {
namespace {

constexpr std::int64_t kWarmUpSteps = 4;  // of generation; a prompt: one pass

class Runner {
 public:
  Runner(Model& model, const RunOptions& options, const Observer& observer)
      : model_(model), options_(options), observer_(observer), random_(options.seed) {}

  /// Empty repetitions when it was stopped before the first one was done.
  Measurement run(const Case& test) {
    Measurement measurement = {test, {}};
    if (!prepare(test)) return measurement;
    Case warm_up = test;
    warm_up.n_tokens = std::min(
        test.n_tokens, test.kind == TestKind::prompt ? model_.info().max_rows : kWarmUpSteps);
    start(test.name(), warm_up.total_tokens() + options_.n_repetitions * test.total_tokens());
    if (!repeat(warm_up)) return measurement;
    for (int repetition = 0; repetition < options_.n_repetitions; ++repetition) {
      const std::optional<double> seconds = repeat(test);
      if (!seconds) break;
      measurement.tokens_per_second.push_back(static_cast<double>(test.total_tokens()) / *seconds);
    }
    return measurement;
  }

  bool stopped() const { return stopped_; }

 private:
  /// A context of the right kind with enough sequences; false: stopped.
  bool prepare(const Case& test) {
    if (!context_ || context_->type() != test.kv_type || context_->depth() != test.depth) {
      context_.reset();  // first: two caches need not fit
      context_ = std::make_unique<Context>(model_, test.kv_type, test.depth);
    }
    const auto wanted = static_cast<std::size_t>(test.n_sequences);
    if (context_->size() >= wanted) return true;
    start("filling " + std::to_string(test.depth),
          static_cast<std::int64_t>(wanted - context_->size()) * test.depth);
    return context_->grow(wanted, random_, [&](std::int64_t n) { return after_pass(n); });
  }

  /// Seconds of one repetition; empty: stopped.
  std::optional<double> repeat(const Case& test) {
    const auto tokens = random_tokens(test.total_tokens(), model_.info().vocab_size, random_);
    const double started = monotonic_seconds();
    const bool done =
        test.kind == TestKind::prompt
            ? evaluate_prompt(model_, context_->cache(), context_->sequence(0), tokens, true,
                              [&](std::int64_t n) { return after_pass(n); })
            : generate(test, tokens);
    const double seconds = monotonic_seconds() - started;
    context_->rewind();
    if (!done) return std::nullopt;
    return seconds;
  }

  bool generate(const Case& test, std::span<const std::int32_t> tokens) {
    const auto n_sequences = static_cast<std::size_t>(test.n_sequences);
    std::vector<Slice> batch(n_sequences);
    for (std::int64_t step = 0; step < test.n_tokens; ++step) {
      const auto row = tokens.subspan(static_cast<std::size_t>(step) * n_sequences, n_sequences);
      for (std::size_t index = 0; index < n_sequences; ++index) {
        context_->sequence(index).reserve(1);
        batch[index] = generation_slice(context_->sequence(index), row[index]);
      }
      model_.forward(batch, context_->cache());
      if (!after_pass(test.n_sequences)) return false;
    }
    return true;
  }

  void start(std::string what, std::int64_t total) {
    what_ = std::move(what);
    done_ = 0;
    total_ = total;
  }

  bool after_pass(std::int64_t n) {
    done_ += n;
    if (observer_.progress) {
      observer_.progress(what_, static_cast<std::uint64_t>(done_),
                         static_cast<std::uint64_t>(total_));
    }
    stopped_ = stopped_ || (observer_.stop && observer_.stop());
    return !stopped_;
  }

  Model& model_;
  const RunOptions& options_;
  const Observer& observer_;
  sampling::Random random_;
  std::unique_ptr<Context> context_;
  std::string what_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::vector<Measurement> run_tests(Model& model, std::span<const Case> tests,
                                   const RunOptions& options, const Observer& observer) {
  Runner runner(model, options, observer);
  std::vector<Measurement> measurements;
  for (const Case& test : tests) {
    Measurement measurement = runner.run(test);
    if (!measurement.tokens_per_second.empty()) measurements.push_back(std::move(measurement));
    if (runner.stopped()) break;
  }
  return measurements;
}

}  // namespace pleiad::bench
