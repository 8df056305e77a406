#pragma once

#include <string_view>

#include "api/common/field_reader.h"
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

/// "low" and more: thinking; "none", "minimal": none.
void read_effort(FieldReader& fields, std::string_view key, serving::AnswerRequest& request);

/// A function's name, description, parameters and strict as the tool that a chat
/// template knows. `function` is the object that has these fields.
Json function_tool(FieldReader& function);

/// Where a choice names a function, or requires a call: that there is one.
void check_tool_choice(const serving::AnswerRequest& request, std::string_view path);

/// {"type": "json_schema", ...}, what stands in `holder` ("json_schema", or the format
/// itself), as AnswerRequest::format.
void read_schema(FieldReader& holder, serving::AnswerRequest& request);

/// user, metadata, store, service_tier, ...: about the caller or the bill, not about the answer.
void read_labels(FieldReader& body);

/// stream_options: whether usage is wanted at the end. Refused without `stream`.
bool read_include_usage(FieldReader& body, bool stream);

/// Throws where the field is given: "KEY: not supported: WHY".
void refuse_given(FieldReader& body, std::string_view key, std::string_view why);
/// Throws for the first field that nobody asked for: "foo: unknown parameter".
void refuse_unknown(const FieldReader& body);

}  // namespace pleiad::api::openai
