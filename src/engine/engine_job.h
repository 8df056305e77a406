#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "engine/constraint_preparer.h"
#include "engine/engine.h"
#include "engine/kv_memory.h"
#include "engine/passage_tries.h"

namespace pleiad {

/// A request on its way through the engine, from submit() to its end.
struct EngineJob {
  Engine::RequestId id = 0;
  EngineRequest request;                                  // without its constraint
  std::shared_ptr<sampling::TokenConstraint> constraint;  // who prepares it may be the last one
  std::shared_ptr<TokenSink> sink;                        // of a reply
  std::function<void(Engine::Embedding)> on_embedding;    // or of an embedding
  std::int64_t limit_tokens = 0;                          // prompt and reply end here
  std::int64_t most_tokens = 0;                           // that it can come to
  std::vector<std::uint64_t> page_chain;                  // see page_chain()
  double submitted = 0;

  // Once it runs:
  std::unique_ptr<KvUse> kv;
  std::optional<sampling::Sampler> sampler;
  std::vector<text::TokenId> ahead;     // of the reply, chosen or forced, and not computed yet
  std::size_t n_told = 0;               // of these, the first ones: the sink has them
  std::optional<text::TokenId> end;     // the stop token that is forced behind what is ahead
  bool more_may_be_forced = false;      // behind what is ahead
  ConstraintPreparer::OrderPtr form;    // of its constraint, at the place behind all that is told
  bool form_is_slow = false;            // the last one was
  std::vector<float> held_logits;       // [vocab_size] that wait for `form`; else empty
  std::int64_t n_steps = 0;             // that computed tokens of the reply
  std::int64_t n_counted = 0;           // of prompt and reply: n_steps has what computed these
  std::optional<PassageTries> passage;  // that is being written
  int n_gone_back = 0;                  // times, to where a passage began
  std::vector<text::TokenId> text;  // the prompt and, as far as it is computed, the reply; empty
                                    // where nothing is kept
  bool reply_is_kept = false;       // as it is computed
  std::vector<double> hidden_sums;  // [model_dim], of an embedding
  std::size_t first_medium = 0;     // of the media: those before are computed, or were cached
  std::vector<MediaRows> rows;      // by medium: encoded and not computed yet
  EngineResult result;
  double started = 0;      // the first pass
  double prompt_done = 0;  // the first logits

  /// How it ended, until that is told.
  std::variant<std::monostate, FinishReason, EngineFailure> outcome;

  bool has_ended() const { return outcome.index() != 0; }
  bool is_embedding() const { return on_embedding != nullptr; }
  bool is_scored() const { return request.take_prompt_logits != nullptr; }
  std::int64_t n_prompt() const { return static_cast<std::int64_t>(request.prompt.size()); }
  std::int64_t n_computed() const { return kv->sequence->length(); }
  bool in_prompt() const { return n_computed() < n_prompt(); }
  bool wants_logprobs() const { return request.generation.sampling.n_logprobs.has_value(); }
  /// Its next token is to be chosen when its form is known: meanwhile nothing is computed for it.
  bool is_held() const { return !held_logits.empty(); }
  /// The passage that is written was complete before, and bad.
  bool in_later_try() const { return passage && passage->first; }
  PassageTries::Counts counts() const {
    return {result.stats.generated_tokens, result.stats.forced_tokens, n_steps, n_computed()};
  }
  void set_counts(const PassageTries::Counts& counts);
  /// What was generated of a later try counts as dropped, and the first one as generated.
  void count_first_try();
  /// Tokens that the reply may still have, by what was asked for and by the context: of a later try
  /// by what all tries leave.
  std::int64_t reply_room() const;
  PromptView prompt() const { return {request.prompt, request.media}; }
  /// What is computed and may be kept as it is.
  PromptView computed() const;

  /// Its first pass, or the first part of an encoding for it.
  void begin(double now);

  /// Within a later try: with the first one, also where it fails.
  void finish(FinishReason reason);
  /// By a stop token.
  void finish_by(text::TokenId token);
  void fail(EngineFailure::Kind kind, std::string message);

  /// What its sink hears; one that throws ends the job (or is ignored at the end).
  void tell_progress();
  bool tell_token(const sampling::SampledToken& token);
  void tell(const std::function<void()>& hear);
  void tell_outcome();
};

/// A number for each whole page of a prompt that stands for this page and all before
/// it, media included: two prompts share so many pages as they have equal numbers.
std::vector<std::uint64_t> page_chain(const PromptView& prompt, std::int64_t page_tokens);

/// How many pages two prompts share.
std::int64_t shared_pages(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);

}  // namespace pleiad
