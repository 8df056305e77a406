#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cache_scope.h"
#include "engine/loaded_model.h"
#include "engine/media/encode_stats.h"
#include "engine/media/media_encoder.h"
#include "engine/media/prompt_media.h"
#include "engine/session.h"
#include "sampling/sampler.h"
#include "sampling/token_constraint.h"
#include "text/token.h"

namespace pleiad {

/// What one step computed, and how long it took.
struct StepRecord {
  std::int64_t generated_rows = 0;  // streams that went on
  std::int64_t forced_rows = 0;     // of forced text, beside these
  std::int64_t prompt_rows = 0;     // tokens of prompts
  double seconds = 0;
};

struct EngineOptions {
  KvType kv_type = KvType::bf16;
  std::int64_t context_length = 0;  // most tokens of one sequence; 0: as long as the model allows
  int max_running = 32;             // sequences in one step
  std::size_t max_waiting = 512;    // requests that wait for a place; more are refused
  std::uint64_t kv_bytes = 0;       // for keys and values, cached ones included; 0: chosen by
                                    // the memory that is available
  /// Encoded pictures and clips that are kept.
  std::uint64_t encodings_bytes = std::uint64_t{128} << 20;
  /// What encodes media, called on the engine's thread when it is first needed; those that are
  /// empty: the model's own towers.
  MediaTowers towers = {};
  std::function<void(const StepRecord&)> on_step = {};  // on the engine's thread; must not throw
};

/// How much is told of where a prompt left what the cache held.
enum class CacheDetail : std::uint8_t {
  none,
  pages,   // how many tokens, in whole pages: as much as the time tells
  tokens,  // to the token, and what stands there: for those who may read the prompts of the scope
};

/// Tokens in, tokens out; text is somebody else's.
struct EngineRequest {
  std::vector<text::TokenId> prompt;
  std::vector<PromptMedia> media;  // ascending; let go of once they are encoded
  GenerationOptions generation;
  std::unique_ptr<sampling::TokenConstraint> constraint;  // or null
  std::int64_t context_length = 0;  // 0: the engine's; else at most so many tokens in all
  bool use_cache = true;            // false: computed anew, and not kept
  /// If set: is given the logits of every token of the prompt, in order, some rows of [n,
  /// vocab_size] at a time, on the engine's thread; must not keep them, and what it throws fails
  /// the request. Such a prompt has no media, is computed anew and not kept, and its last row,
  /// rounded as a prompt's are, chooses the first token of the reply.
  TakeLogits take_prompt_logits = {};
  CacheScope cache_scope = CacheScope::common;
  /// What is found in the cache may end within a page: for those who may know the texts of the
  /// scope, since it shows to the token how far one agrees. Else whole pages are found.
  bool within_pages = true;
  CacheDetail explain_cache = CacheDetail::none;
  double deadline = std::numeric_limits<double>::infinity();  // monotonic seconds
  bool goes_on = false;  // with what others began: not refused where many wait
  /// The sink judges passages (TokenSink::passage()): memory is held to go back in the reply, where
  /// there is enough.
  bool judges_passages = false;
};

/// What became of one of a request's media.
struct EncodingUse {
  bool cached = false;  // found, or another request's: nothing of it was computed for this one
  double encode_seconds = 0;  // else
};

/// Where a prompt left what the cache held.
struct CacheExplanation {
  std::int64_t cached_tokens = 0;           // reused
  std::int64_t common_tokens = 0;           // as far as the nearest cached prompt agrees
  CacheDetail detail = CacheDetail::pages;  // below it nothing follows
  std::vector<text::TokenId> cached_next;   // what stands there in the cache (a few tokens)
  std::vector<text::TokenId> prompt_next;   // and in the prompt
};

/// Why a request was not answered.
struct EngineFailure {
  enum class Kind : std::uint8_t {
    bad_request,       // an empty prompt, a token out of range, a picture where the model sees
                       // none, sound where it hears none
    form,              // the constraint was given up
    context_exceeded,  // the prompt leaves no room for a token of a reply
    no_memory,         // its keys and values would never fit
    out_of_memory,     // the system gives none now: to encode a medium, for keys and values
    busy,              // the queue is full
    deadline,          // took too long
    shutting_down,
    model_changed,  // its file was written to: the engine answers nothing any more
    internal,
  };
  Kind kind = Kind::internal;
  std::string message;
  std::int64_t prompt_tokens = 0;
  std::int64_t limit_tokens = 0;
};

struct EngineResult {
  FinishReason reason = FinishReason::stop_token;
  GenerationStats stats;
  std::uint64_t seed = 0;
  double queue_seconds = 0;        // from submit to the first pass
  std::vector<EncodingUse> media;  // of the request, in order; as far as it came
  std::optional<CacheExplanation> cache;
  /// By which the reply ended: the token that stood there, and is no part of it.
  std::optional<text::TokenId> stop_token;
  /// What ended the reply amid a later try of a passage: it has a first one.
  std::optional<EngineFailure> failed_try;
};

/// Where a token stands in a passage of the reply that the sink judges once it is complete. A bad
/// one is written again from the token on that began it: PassageTries::kMost times in all, as long
/// as anything in it was left to chance, and while all tokens that were generated, dropped ones
/// too, are fewer than max_tokens. Random numbers go on, so a seed gives the same tries again.
enum class Passage : std::uint8_t {
  none,    // it begins none, and ends none
  begins,  // the reply may go back to where it was told
  good,    // the passage ends with it
  bad,     // likewise, or comes to no end
};

/// Follows one request. Called on the engine's thread, in order, and never after
/// finished() or failed(), of which exactly one comes; must return at once.
class TokenSink {
 public:
  virtual ~TokenSink() = default;
  /// While the prompt is computed: tokens done (cached ones included), in all.
  virtual void prompt_progress(std::int64_t /*done*/, std::int64_t /*total*/) {}
  /// A token of the reply; false ends it (a stop string was found: `cancelled`).
  virtual bool token(const sampling::SampledToken& token) = 0;
  /// Of the token that was just told; asked where EngineRequest::judges_passages.
  virtual Passage passage() { return Passage::none; }
  /// Behind a bad one: what was told behind the token that began it is no part of the reply, and
  /// what comes next takes its place.
  virtual void write_again() {}
  /// Or: the passage stays as the first of its tries was, which was bad, and the reply goes on
  /// behind that one; false ends it. Comes amid a try too, where that has no room or the reply
  /// ends.
  virtual bool take_first() { return true; }
  virtual void finished(const EngineResult& result) = 0;
  virtual void failed(const EngineFailure& failure) = 0;
};

class ComputeTurn;

/// What an engine is doing, for metrics and /api/ps.
struct EngineStats {
  std::size_t running = 0;
  std::size_t waiting = 0;
  std::uint64_t kv_bytes_limit = 0;
  std::uint64_t kv_bytes_running = 0;  // held by running sequences alone
  std::uint64_t kv_bytes_cached = 0;   // of the prefix cache
  std::uint64_t tokens_evaluated = 0;  // all since the start
  std::uint64_t tokens_cached = 0;
  std::uint64_t tokens_generated = 0;
  std::uint64_t tokens_forced = 0;     // of these: see GenerationStats
  std::uint64_t tokens_read_idly = 0;  // of conversations that had ended: see IdleReader
  std::uint64_t steps = 0;
  std::uint64_t cache_evicted_pages = 0;
  MediaStats media;
  /// The longest time that running replies waited for a part of an encoding (or for a tower to
  /// be loaded) between two of their tokens.
  double longest_encode_stall = 0;
  std::uint64_t tower_bytes = 0;      // once they are loaded
  std::uint64_t encodings_bytes = 0;  // of encodings that are kept
  std::uint64_t encodings_bytes_limit = 0;
};

/// Continuous batching over one model: every step computes the next token of each
/// running request and a slice of the prompts that wait, on a thread of its own.
///
/// Nothing that runs is ever stopped for memory. A request whose prompt and max_tokens
/// would not fit alone is refused; one without max_tokens ends where the memory does
/// (context_full). All others wait until they can start, and one whose reply outgrows
/// what it was promised (1,024 tokens at a time) may have to wait for others to end.
///
/// Prompts of one scope that share whole pages of 64 tokens share their keys and values, also
/// while the first of them is still computed; of the page on which they part the later one gets a
/// copy. Where the model has one arithmetic replies are kept as prompts are, unless they fail, so
/// that the next turn finds them. Results do not depend on any of it.
class Engine {
 public:
  /// Throws Error where the options do not fit the model, which has to be loaded for
  /// steps with max_running rows of logits. `model` and `turn` (may be null) must
  /// outlive the engine; the model computes for nobody else meanwhile.
  Engine(LoadedModel& model, EngineOptions options, ComputeTurn* turn = nullptr);
  /// Running requests fail with shutting_down.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  using RequestId = std::uint64_t;

  /// From any thread; does not block. What cannot be served is told to the sink
  /// too (failed()), possibly before submit() returns.
  RequestId submit(EngineRequest request, std::shared_ptr<TokenSink> sink);

  /// Ends a request within one step; its sink hears finished(cancelled). Unknown
  /// ids are ignored (it may just have ended).
  void cancel(RequestId id);

  /// The mean of the last layer's normalized hidden states over the tokens,
  /// [model_dim]; the callback runs on the engine's thread.
  struct Embedding {
    std::vector<float> values;
    std::int64_t prompt_tokens = 0;
    std::optional<EngineFailure> failure;
  };
  RequestId embed(std::vector<text::TokenId> tokens, std::function<void(Embedding)> done);

  /// Forgets everything that is cached and not in use, before what is submitted later.
  void clear_cache();

  EngineStats stats() const;
  /// False once the model's file was found to be changed: everything fails with model_changed, and
  /// the model has to be loaded anew. Known before the first sink hears of it.
  bool is_usable() const;
  std::int64_t context_length() const;
  const LoadedModel& model() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pleiad
