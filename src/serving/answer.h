#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/engine.h"
#include "engine/thought_limit.h"
#include "serving/media/media.h"
#include "serving/service_error.h"
#include "text/reply_parser.h"

namespace pleiad::serving {

/// How long a model stays loaded after a request.
struct KeepAlive {
  double seconds = 300;  // infinity: for ever; 0: unloaded when nothing needs it
};

/// What a request says about sampling; the rest is the model's own (its Modelfile's
/// PARAMETERs, then what came with the checkpoint).
struct SamplingRequest {
  std::optional<double> temperature, typical_p, top_p, min_p, repeat_penalty, presence_penalty,
      frequency_penalty;
  std::optional<int> top_k, repeat_last_n;
  std::optional<std::uint64_t> seed;
  std::vector<std::pair<std::int32_t, float>> logit_bias;
  std::optional<int> n_logprobs;  // as in SamplingOptions
};

/// Whether the model may, must or must not call tools.
struct ToolChoice {
  enum class Kind : std::uint8_t { automatic, none, required, named };
  Kind kind = Kind::automatic;
  std::string name;      // named
  bool parallel = true;  // false: the reply ends after one call
};

/// How long the thoughts of a reply may be.
struct ThinkingBudget {
  std::int64_t tokens = -1;  // tags included; negative: any number
  std::string field;         // that says so, for what is told of it: "thinking.budget_tokens"
  bool is_level = false;     // the field has a word for it: as much of it as there is room for
};

/// One answer, however an API worded the question.
struct AnswerRequest {
  enum class Form : std::uint8_t {
    chat,    // `messages`, through the model's template
    text,    // `text` continued as it is: no template; control tokens that it spells count
    tokens,  // `tokens` continued as they are: nothing is put before them, nothing dropped
  };
  std::string model;
  Form form = Form::chat;
  Json messages = Json::array();  // OpenAI's form, see text::parse_chat_input
  Json tools = Json::array();
  std::vector<MediaPart> media;     // of `messages`; of a `text`, in the order of its <|image|>
  std::optional<int> media_budget;  // of pictures without one of their own
  bool media_automatic = false;     // likewise, where there is no budget
  std::optional<int> media_frames;  // of videos without a number of their own
  bool videos_with_sound = false;   // of all videos the sound is heard too
  std::string text;
  std::vector<std::int32_t> tokens;  // of the model's tokenizer; others are a bad request
  std::optional<bool> think;         // empty: off
  std::optional<ThinkingBudget> thinking_budget;  // empty: the server's
  bool use_model_messages = true;                 // the Modelfile's SYSTEM and MESSAGEs come first
  bool continue_last = true;  // a last message of the assistant's is gone on with; false:
                              // the answer is a turn of its own

  SamplingRequest sampling;
  std::optional<std::int64_t> max_tokens;  // empty: the model's num_predict; negative: no limit
  std::optional<std::vector<std::string>> stop;  // empty: the model's
  std::vector<std::int32_t> stop_tokens;         // that end the reply beside the model's own
  std::optional<bool> repetition_guard;          // empty: the server's
  bool ignore_end = false;  // tokens that end a reply are not chosen: it goes on to max_tokens
  bool forced_text = true;  // what the form compels is taken as it is: see GenerationOptions
  bool any_property_order = false;  // the form leaves the order of properties to the model
  std::optional<Json> format;       // "json", a JSON schema (an object), or a grammar
                                    // (constrain/grammars/text_grammar.h): the content obeys it
  ToolChoice tool_choice;
  /// Where the client's request has the format and the tools' schemas, for messages; no paths:
  /// tools[0].function.parameters and so on.
  std::string format_path = "format";
  std::vector<std::string> tool_paths;
  /// Those of the prompt's own tokens, of a `text` or `tokens` without media: nothing of it comes
  /// from the cache then.
  struct PromptLogprobs {
    int n_top = 0;                 // so many of the likeliest at each place
    std::int64_t most_tokens = 0;  // a longer prompt is refused
    std::string field;             // that asks for them, for messages
  };
  std::optional<PromptLogprobs> prompt_logprobs;
  bool call_pieces = false;  // of a call comes what is known of it, before it comes whole

  std::optional<std::int64_t> context_length;  // num_ctx: of this request; nothing is reloaded
  bool truncate = false;  // drop the oldest messages where the prompt is too long
  bool use_cache = true;
  bool explain_cache = false;
  CacheScope cache_scope = CacheScope::common;  // what is cached is found by its own scope
  bool sees_cached_text =
      false;  // of all that is cached in the scope; else whole pages are counted
  std::optional<KeepAlive> keep_alive;
  std::optional<double> timeout_seconds;
  std::optional<double> begun;  // monotonic_seconds() when the time began; else when it comes
  bool goes_on = false;         // with what other answers began: no full queue refuses it
  std::string id;               // the HTTP request's
  std::uint64_t caller = 0;     // whose it is, for shares of memory; 0: nobody's that is known
};

/// A token with what it says, for logprobs.
struct TokenText {
  std::int32_t id = 0;
  std::string bytes;  // may be a part of a character
  double logprob = 0;
};
struct AnswerLogprob {
  TokenText token;
  std::vector<TokenText> top;
};

/// How likely the tokens of a prompt were, each behind those before it.
struct PromptScores {
  bool begins = true;  // these are the prompt's first tokens
  std::string text;    // that all tokens of the prompt stand for; only where it begins
  std::vector<AnswerLogprob> tokens;  // the very first follows nothing: its logprob means nothing
  bool began_with_bos = false;        // the very first, which `text` does not have
  std::optional<AnswerLogprob>
      end;  // of the last ones: the likeliest that would end a reply at once
};

/// A part of the answer.
struct AnswerDelta {
  text::ReplyEvent event;               // broken_tool_call: one that no piece came of before
  std::string tool_call_id;             // of a call and its pieces: "call_" and eight of [a-z0-9]
  std::vector<AnswerLogprob> logprobs;  // of the tokens since the last delta, where asked for
};

struct AnswerResult {
  FinishReason reason = FinishReason::stop_token;
  std::optional<std::string> stop_string;
  std::optional<EndedThought> ended_thought;       // a thought that was ended for the model
  std::optional<sampling::Repetition> repetition;  // of a reply that ended by it
  bool called_tools = false;
  GenerationStats stats;                        // cached_tokens is always known here
  std::optional<std::int64_t> thinking_tokens;  // of the generated ones; empty: not counted
  std::uint64_t seed = 0;
  double total_seconds = 0;  // since the request was handed in
  double load_seconds = 0;   // that it waited for the model to load; 0: it was loaded
  double queue_seconds = 0;
  std::int64_t dropped_messages = 0;  // by `truncate`
  std::size_t dropped_thinking_bytes = 0;
  std::vector<std::string> warnings;
  std::vector<MediaUse> media;          // as the request's
  std::optional<Json> cache_debug;      // {"cached_tokens", "common_tokens"}, and "cached_text",
                                        // "prompt_text" for those who may see them
  std::vector<AnswerLogprob> logprobs;  // of tokens after the last delta
};

/// What a model is shown of a document as text.
struct DocumentText {
  struct Page {
    int number = 1;
    std::string text;
  };
  std::size_t media = 0;    // which of the request's
  bool has_pages = false;   // else the one page is all of it
  std::vector<Page> pages;  // those that are shown as text
};

/// Follows one answer. Called on an engine's thread, in order; exactly one of done()
/// and failed() comes, last. Must return at once.
class AnswerObserver {
 public:
  virtual ~AnswerObserver() = default;
  /// Of each document whose part says so (MediaPart::tells_text), before anything else and not on
  /// the engine's thread.
  virtual void document(DocumentText /*document*/) {}
  /// The prompt is made, and fits: after all documents, before any delta, and not on the engine's
  /// thread. What takes its time before an answer can be followed has its place here.
  virtual void prompted() {}
  /// Some tokens of the prompt are computed, in their order: after prompted(), before any delta,
  /// where AnswerRequest::prompt_logprobs asked for them. The last ones come with what ends.
  virtual void scored(PromptScores /*scores*/) {}
  virtual void delta(AnswerDelta delta) = 0;
  virtual void done(const AnswerResult& result) = 0;
  virtual void failed(const ServiceError& error) = 0;
};

}  // namespace pleiad::serving
