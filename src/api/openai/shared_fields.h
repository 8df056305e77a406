#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// Answers that one request may ask for (n).
inline constexpr int kMaxChoices = 16;

/// Alternatives of a token that one request may ask for (top_logprobs).
inline constexpr int kMaxTopLogprobs = 20;

/// temperature, top_p, top_k, min_p, the penalties, seed, logit_bias.
void read_sampling(FieldReader& body, serving::AnswerRequest& request);

/// One string or several; empty ones are refused.
void read_stop(FieldReader& body, serving::AnswerRequest& request);

/// "low" and more: thinking, with the budget of the level; "none", "minimal": none.
void read_effort(FieldReader& fields, std::string_view key, serving::AnswerRequest& request);

/// {"type": "json_schema", ...}, what stands in `holder` ("json_schema", or the format
/// itself), as AnswerRequest::format.
void read_schema(FieldReader& holder, serving::AnswerRequest& request);

/// user, metadata, store, service_tier, ...: about the caller or the bill, not about the answer.
/// They are short: answers repeat them.
void read_labels(FieldReader& body);

/// max_tokens and its like: at least `least` (0 or 1), or -1 (no limit), as local clients write it.
std::optional<std::int64_t> read_token_limit(FieldReader& body, std::string_view key,
                                             std::int64_t least = 1);

/// stream_options: whether usage is wanted at the end. Without effect where there is no `stream`.
bool read_include_usage(FieldReader& body, bool stream, RequestNotes& notes);

/// Of another value than "medium": the models have no such setting.
void read_verbosity(FieldReader& fields, RequestNotes& notes);

inline constexpr std::string_view kNoSuchTool =
    "there are no tools here but functions and custom ones; the model does not see it";
inline constexpr std::string_view kCachedByContent = "prompts are cached by their content, always";

/// Throws where the field is given: "KEY: not supported: WHY". For what an answer must not be
/// without.
void refuse_given(FieldReader& body, std::string_view key, std::string_view why);

}  // namespace pleiad::api::openai
