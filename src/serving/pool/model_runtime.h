#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/media/media_prompt.h"
#include "serving/answer.h"
#include "store/model_entry.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace pleiad::serving {

/// What turns conversations into tokens; borrowed from a model or a tokenizer that
/// was loaded alone.
struct PromptModel {
  const text::Tokenizer* tokenizer = nullptr;
  text::TemplateFamily family = text::TemplateFamily::e_series;
  PromptTowers towers;
};

/// A model in memory that answers: as a seam, so that what surrounds it can be
/// tested without one.
class ModelRuntime {
 public:
  virtual ~ModelRuntime() = default;

  virtual PromptModel prompt_model() const = 0;
  virtual const sampling::SamplingOptions& sampling_defaults() const = 0;
  virtual const sampling::StopTokens& stop_tokens() const = 0;
  virtual std::size_t vocab_size() const = 0;
  virtual std::int64_t model_dim() const = 0;
  virtual std::int64_t context_length() const = 0;

  /// The form that a request asks of its reply, or null; `warnings` learns what of it cannot be
  /// enforced. Throws RequestError.
  virtual std::unique_ptr<sampling::TokenConstraint> constraint(
      const AnswerRequest& request, const text::ReplyOptions& reply,
      std::vector<std::string>& warnings) = 0;

  // As Engine's.
  virtual Engine::RequestId submit(EngineRequest request, std::shared_ptr<TokenSink> sink) = 0;
  virtual void cancel(Engine::RequestId id) = 0;
  virtual Engine::RequestId embed(std::vector<text::TokenId> tokens,
                                  std::function<void(Engine::Embedding)> done) = 0;
  virtual EngineStats stats() const = 0;
  virtual bool is_usable() const = 0;

  /// Rows of logits of a text in their order, a few at a time, [n, vocab_size]: of every token, or
  /// of the last one, as WantLogits says what that is. Computed on the caller's thread, which waits
  /// for its turn beside the answers; what `take` throws ends it. `take` has the turn, for which
  /// answers wait, and must wait for nothing; `between` is called now and then without it, and
  /// what it throws ends it as well. The tokens must be the model's, and not more than the context
  /// holds. Throws FileChangedError, and RequestError (no_memory) where keys and values would take
  /// more than those of all answers may.
  virtual void compute_logits(std::span<const text::TokenId> tokens, WantLogits want,
                              const TakeLogits& take, const std::function<void()>& between) = 0;
};

/// What a model will need, known before it is loaded.
struct MemoryNeed {
  std::uint64_t weight_bytes = 0;
  std::uint64_t least_kv_bytes = 0;  // to be of use
  std::uint64_t most_kv_bytes = 0;   // more would never be used
  std::uint64_t tower_bytes = 0;     // weights of its towers, which the first media load
  std::uint64_t media_bytes = 0;     // for media: room that is kept free where it is there
};

/// From an entry to a model in memory. Called on threads of the pool's.
class RuntimeLoader {
 public:
  virtual ~RuntimeLoader() = default;
  /// Throws LoadError.
  virtual MemoryNeed need(const store::ModelEntry& entry) = 0;
  /// Throws LoadError, and what `progress` throws.
  virtual std::unique_ptr<ModelRuntime> load(const store::ModelEntry& entry, std::uint64_t kv_bytes,
                                             const LoadProgress& progress) = 0;
};

}  // namespace pleiad::serving
