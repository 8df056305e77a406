#include "serving/pool/engine_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/text_format.h"
#include "serving/answers/constraint.h"
#include "serving/pool/memory_need.h"
#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

constexpr int kMaxRows = 512;

class EngineRuntime final : public ModelRuntime {
 public:
  EngineRuntime(Checkpoint checkpoint, std::unique_ptr<Backend> backend,
                const LoadOptions& load_options, const EngineOptions& options, ComputeTurn& turn)
      : backend_(std::move(backend)),
        model_(std::move(checkpoint), *backend_, load_options),
        turn_(turn),
        kv_type_(options.kv_type),
        engine_(model_, fitting(options), &turn) {}

  PromptModel prompt_model() const override {
    return {&model_.tokenizer(), model_.family(), towers_};
  }
  const sampling::SamplingOptions& sampling_defaults() const override {
    return model_.sampling_defaults();
  }
  const sampling::StopTokens& stop_tokens() const override { return model_.stop_tokens(); }
  std::size_t vocab_size() const override {
    return static_cast<std::size_t>(model_.checkpoint().config().vocab_size);
  }
  std::int64_t model_dim() const override { return model_.checkpoint().config().model_dim; }
  std::int64_t context_length() const override { return engine_.context_length(); }
  std::unique_ptr<sampling::TokenConstraint> constraint(
      const AnswerRequest& request, const text::ReplyOptions& reply,
      std::vector<std::string>& warnings) override {
    return make_constraint(forms(), request, reply, warnings);
  }
  Engine::RequestId submit(EngineRequest request, std::shared_ptr<TokenSink> sink) override {
    return engine_.submit(std::move(request), std::move(sink));
  }
  void cancel(Engine::RequestId id) override { engine_.cancel(id); }
  Engine::RequestId embed(std::vector<text::TokenId> tokens,
                          std::function<void(Engine::Embedding)> done) override {
    return engine_.embed(std::move(tokens), std::move(done));
  }
  EngineStats stats() const override { return engine_.stats(); }
  bool is_usable() const override { return engine_.is_usable(); }
  void compute_logits(std::span<const text::TokenId> tokens, WantLogits want,
                      const TakeLogits& take, const std::function<void()>& between) override {
    Model& model = model_.model();
    const bool all = want == WantLogits::all;
    const auto most =
        static_cast<std::size_t>(all ? model.info().max_hidden_rows : model.info().max_rows);
    const auto cache = model.make_kv_cache({kv_type_, KvCacheOptions().page_tokens});
    check_fits(*cache, std::ssize(tokens), static_cast<std::int64_t>(most));
    KvSequence sequence(*cache);
    while (!tokens.empty()) {
      const auto part = tokens.first(std::min(most, tokens.size()));
      tokens = tokens.subspan(part.size());
      Slice slice = {&sequence, part, tokens.empty() || all ? want : WantLogits::none};
      if (all) slice.take_logits = &take;
      {
        const std::lock_guard turn(turn_);
        sequence.reserve(static_cast<std::int64_t>(part.size()));
        const Logits logits = model.forward({&slice, 1}, *cache);
        if (!all && tokens.empty()) take(logits.values);
      }
      between();
    }
  }

 private:
  /// What is computed beside the answers may take as much as all of them together, and no more.
  void check_fits(const KvCache& cache, std::int64_t n_tokens, std::int64_t step) const {
    const std::uint64_t bytes =
        cache.lasting_bytes_for(n_tokens) + cache.sliding_bytes_for(n_tokens, step);
    const std::uint64_t limit = engine_.stats().kv_bytes_limit;
    if (bytes <= limit) return;
    throw RequestError(ServiceError::Code::no_memory,
                       fmt::format("{} tokens need {} for keys and values; the limit is {}",
                                   format_count(static_cast<std::uint64_t>(n_tokens)),
                                   format_bytes(bytes), format_bytes(limit)),
                       "tokens");
  }

  /// Made when they are first asked for: they go over the whole vocabulary.
  constrain::ReplyForms& forms() {
    std::call_once(forms_made_,
                   [&] { forms_.emplace(model_.tokenizer(), model_.stop_tokens().tokens()); });
    return *forms_;
  }

  /// A length that is asked of every model is one that each has as far as it goes.
  EngineOptions fitting(EngineOptions options) {
    options.context_length = std::min(options.context_length, model_.model().info().context_length);
    return options;
  }

  std::unique_ptr<Backend> backend_;
  LoadedModel model_;
  const PromptTowers towers_ = prompt_towers(model_.checkpoint());
  std::once_flag forms_made_;
  std::optional<constrain::ReplyForms> forms_;
  ComputeTurn& turn_;
  const KvType kv_type_;
  Engine engine_;
};

}  // namespace

MemoryNeed EngineLoader::need(const store::ModelEntry& entry) {
  return memory_need(Checkpoint::open(entry.path, {entry.projector}), options_, online_);
}

std::unique_ptr<ModelRuntime> EngineLoader::load(const store::ModelEntry& entry,
                                                 std::uint64_t kv_bytes,
                                                 const LoadProgress& progress) {
  LoadOptions load_options;
  load_options.started = monotonic_seconds();
  Checkpoint checkpoint = Checkpoint::open(entry.path, {entry.projector});
  load_options.max_rows = step_rows(checkpoint, kMaxRows, options_.max_running);
  load_options.max_logit_rows = std::max(load_options.max_logit_rows, options_.max_running);
  load_options.progress = progress;
  load_options.online = online_;
  EngineOptions options = options_;
  options.kv_bytes = kv_bytes;
  return std::make_unique<EngineRuntime>(
      std::move(checkpoint), make_backend_(load_options.max_rows), load_options, options, turn_);
}

}  // namespace pleiad::serving
