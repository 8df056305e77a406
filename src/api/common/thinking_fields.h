#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/common/field_reader.h"
#include "api/common/request_notes.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api {

/// A word for how much to think, of the field at `path`: "none" and "minimal" turn thinking off,
/// any other on, with the budget of that level (serving::budget_of_level) unless the request has a
/// number.
void set_thinking_level(serving::AnswerRequest& request, std::string_view path,
                        std::string_view level);

/// So many tokens of thought at most, as the field at `path` says: -1 for no limit; 0 turns
/// thinking off. Overrules what was set before.
void set_thinking_budget(serving::AnswerRequest& request, std::string_view path,
                         std::int64_t tokens);

/// Throws RequestError where the request has another number already. One in `options` counts for
/// nothing: other fields overrule it.
void refuse_second_budget(const serving::AnswerRequest& request, const std::string& path,
                          std::int64_t tokens);

/// `thinking_budget` and `repetition_guard`, of the body or of `options`, which do not overrule
/// what was set before. Throws as refuse_second_budget().
void read_reply_limits(FieldReader& fields, serving::AnswerRequest& request);

/// The same in the words of other servers: `thinking_budget_tokens` (llama.cpp),
/// `thinking_token_budget` and `repetition_detection` (vLLM).
void read_foreign_limits(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes);

/// Tells in what an answer ended with, a choice or the answer itself, whether a thought or the
/// reply was ended because of its limits: "thinking_ended_by": "budget" or "repetition",
/// "ended_by": "repetition". Nothing where none was.
void add_limit_ends(Json& ended, const serving::AnswerResult& result);

}  // namespace pleiad::api
