#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/constraint_preparer.h"
#include "engine/form_ahead.h"
#include "engine/loaded_model.h"
#include "engine/media/encode_stats.h"
#include "engine/media/media_encoder.h"
#include "engine/media/prompt_media.h"
#include "model/kv_cache.h"
#include "sampling/options.h"
#include "sampling/sampler.h"
#include "sampling/stop_tokens.h"
#include "sampling/token_constraint.h"

namespace pleiad {

/// Why a reply ended.
enum class FinishReason : std::uint8_t {
  stop_token,    // the model ended its turn
  stop_string,   // a stop string of the caller's came up
  length,        // as many tokens as were asked for
  context_full,  // the context has no room for another token
  repetition,    // it repeated itself without end
  cancelled,     // the caller did not want more
};

/// "stop", "length", ...: as the APIs of others name it.
std::string_view name(FinishReason reason);

/// The reply is not whole, and nobody wanted it to end: what those APIs call "length".
constexpr bool is_cut_short(FinishReason reason) {
  return reason == FinishReason::length || reason == FinishReason::context_full ||
         reason == FinishReason::repetition;
}

struct GenerationStats {
  std::int64_t prompt_tokens = 0;     // all of the prompt
  std::int64_t cached_tokens = 0;     // of these, found in the cache and not computed
  std::int64_t generated_tokens = 0;  // a stop token is not counted
  std::int64_t forced_tokens = 0;     // of these, that nobody chose: see TokenConstraint
  std::int64_t saved_steps = 0;       // that they would have taken one by one
  /// Of tries that are no part of the reply, which counts nowhere else here: see Passage.
  std::int64_t dropped_tokens = 0;
  double prompt_seconds = 0;  // for what was computed of it, media included
  double generation_seconds = 0;
  MediaStats media;  // of the prompt; its seconds are some of prompt_seconds

  std::int64_t evaluated_tokens() const { return prompt_tokens - cached_tokens; }
};

struct GenerationOptions {
  sampling::SamplingOptions sampling;
  std::int64_t max_tokens = -1;  // negative: until the model or the context ends
  sampling::StopTokens stop_tokens;
  /// What a constraint forces is taken as it is, and computed in one step. False: the model is
  /// asked, a token a step.
  bool forced_runs = true;
};

struct GenerationResult {
  FinishReason reason = FinishReason::stop_token;
  GenerationStats stats;
  std::uint64_t seed = 0;  // the one in use, also when none was given
};

struct SessionOptions {
  KvType kv_type = KvType::bf16;
  std::int64_t context_length = 0;                           // 0: as long as the model allows
  std::uint64_t encodings_bytes = std::uint64_t{128} << 20;  // as EngineOptions'
  MediaTowers towers = {};                                   // as EngineOptions::towers
};

/// How far a prompt is.
struct PromptProgress {
  std::int64_t done = 0;   // tokens computed
  std::int64_t total = 0;  // tokens in all
  // While a picture or a sound is encoded (else zero): soft tokens of the prompt's new media, those
  // that are encoded and all of them.
  std::int64_t encoded = 0;
  std::int64_t to_encode = 0;
};

/// One conversation with a model: its tokens and their cached keys and values.
/// A prompt that begins as the session's tokens do is computed from where it differs, the last
/// reply included. Where the model has two arithmetics (Model::has_one_arithmetic) generated
/// tokens round differently, and a prompt's result must not depend on what the cache happens to
/// hold: there it is computed from where the last reply begins at the latest.
class Session {
 public:
  /// Called with each generated token; false stops.
  using OnToken = std::function<bool(text::TokenId)>;
  /// Called while a long prompt is computed, and while its media are encoded; false stops.
  using OnPrompt = std::function<bool(const PromptProgress& progress)>;

  Session(LoadedModel& model, const SessionOptions& options);

  /// Computes the prompt and generates. Throws Error when the prompt is empty, leaves no room in
  /// the context, or has media and the model no tower for them; then nothing has changed. Throws it
  /// too when one cannot be encoded. `constraint`: the form that the reply must have, of this
  /// reply alone, which other threads use too until the call returns; null: any.
  GenerationResult generate(const PromptView& prompt, const GenerationOptions& options,
                            const OnToken& on_token, const OnPrompt& on_prompt = {},
                            sampling::TokenConstraint* constraint = nullptr);

  /// The next prompt is computed from its beginning.
  void clear();

  std::int64_t context_length() const { return context_length_; }
  /// Tokens that the cache holds.
  std::span<const text::TokenId> tokens() const { return tokens_; }
  const KvCache& cache() const { return *cache_; }

 private:
  void check(const PromptView& prompt) const;
  std::int64_t reuse(const PromptView& prompt);
  bool compute_prompt(const PromptView& prompt, const OnPrompt& on_prompt, GenerationStats& stats);
  MediaRows encode(const PromptView& prompt, std::size_t index, PromptProgress progress,
                   const OnPrompt& on_prompt, GenerationStats& stats);
  void generate_reply(const GenerationOptions& options, const OnToken& on_token,
                      sampling::TokenConstraint* constraint, FormAhead& form,
                      sampling::Sampler& sampler, GenerationResult& result);
  void compute_ahead(std::vector<text::TokenId>& ahead);
  Logits compute(std::span<const text::TokenId> tokens, WantLogits want, Phase phase,
                 std::span<const SoftRows> soft = {});

  LoadedModel& model_;
  // Has what encodes pictures, and sound.
  bool sees_;
  bool hears_;
  std::int64_t context_length_;
  std::unique_ptr<KvCache> cache_;
  std::unique_ptr<KvSequence> sequence_;
  MediaEncoder encoder_;
  ConstraintPreparer preparer_;
  std::vector<text::TokenId> tokens_;
  std::vector<PromptMedia> media_;  // among them, without their content
  std::int64_t n_reusable_ = 0;     // of the tokens, the first ones: as a prompt would have them
  Logits logits_;
};

}  // namespace pleiad
