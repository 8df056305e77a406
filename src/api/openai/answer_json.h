#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/openai/tools.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// What every part of one answer repeats.
struct AnswerHead {
  std::string id;
  std::int64_t created = 0;  // Unix seconds; the same in all chunks
  std::string model;         // as it was asked for
  std::string fingerprint;   // "fp_pleiad_0.1.0"

  /// {"id", "object", "created", "model", "system_fingerprint"}
  Json body(std::string_view object) const;
};

/// Tokens of all answers to one request. A prompt counts once, however many choices
/// it was computed for.
struct Usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t generated_tokens = 0;
  std::optional<std::int64_t> thinking_tokens = 0;  // of these; empty: not counted
  std::int64_t forced_tokens = 0;                   // likewise
  std::int64_t saved_steps = 0;                     // by these
  std::int64_t dropped_tokens = 0;                  // that are not among those generated

  void add_prompt(const serving::AnswerResult& result);
  void add_reply(const serving::AnswerResult& result);
  /// In the form of completions.
  Json json() const;
};

/// "stop", "length", "tool_calls"
std::string_view finish_reason(const serving::AnswerResult& result);

/// Adds `warnings`, where there are some.
void add_warnings(Json& body, const std::vector<std::string>& warnings);

/// Adds `dropped_messages`, `media` and `cache_debug`, where there is something to say.
void add_remarks(Json& body, const serving::AnswerResult& result);

/// [{"token", "logprob", "bytes", "top_logprobs"}]
Json logprobs_json(const std::vector<serving::AnswerLogprob>& logprobs);

/// As JSON can say it: nothing is less likely than -9999.
double finite_logprob(double logprob);

/// A call as a message of the assistant has it: of one of the `custom` tools with its text.
Json tool_call_json(const serving::AnswerDelta& delta, const CustomTools& custom);

/// Whether the delta's text is content: ordinary text, or a call that cannot be used.
bool is_content(const text::ReplyEvent& event);

}  // namespace pleiad::api::openai
