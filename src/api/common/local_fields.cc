#include "api/common/local_fields.h"

#include <limits>
#include <optional>

#include "api/common/media_reader.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/thinking_fields.h"

namespace pleiad::api {
namespace {

constexpr double kLargestPenalty = 1e6;

/// true, false, or a level.
void read_think(FieldReader& body, serving::AnswerRequest& request) {
  const Json* think = body.value("think");
  if (!think) return;
  if (think->is_boolean()) {
    if (!request.think) request.think = think->get<bool>();
    return;
  }
  if (!think->is_string()) body.refuse("think", "true, false, \"low\", \"medium\" or \"high\"");
  const auto level = body.one_of("think", {"none", "low", "medium", "high", "max"});
  if (!request.think) set_thinking_level(request, body.path_of("think"), *level);
}

/// What the models' template knows of a caller's variables.
void read_template_variables(FieldReader& body, serving::AnswerRequest& request,
                             RequestNotes& notes) {
  auto variables = body.child("chat_template_kwargs");
  if (!variables) return;
  const auto enabled = variables->flag("enable_thinking");
  const auto other = variables->flag("thinking");
  if (!request.think) request.think = enabled ? enabled : other;
  read_reply_limits(*variables, request);  // thinking_budget, as Qwen's template has it
  notes.unknown(*variables);
}

void read_stop_tokens(FieldReader& body, serving::AnswerRequest& request) {
  const Json* tokens = body.list("stop_token_ids", kMaxStops);
  for (std::size_t i = 0; tokens && i < tokens->size(); ++i) {
    const Json& token = (*tokens)[i];
    const auto id = token.is_number_integer() ? token.get<std::int64_t>() : -1;
    if (id < 0 || id > std::numeric_limits<std::int32_t>::max()) {
      throw RequestError(element_path(body.path_of("stop_token_ids"), i),
                         "expected a token's number");
    }
    request.stop_tokens.push_back(static_cast<std::int32_t>(id));
  }
}

}  // namespace

void read_local_fields(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes) {
  if (request.form != serving::AnswerRequest::Form::chat) {
    constexpr std::string_view kNoTemplate = "a text is continued as it is, without a template";
    notes.without_effect(body, "think", kNoTemplate);
    notes.without_effect(body, "chat_template_kwargs", kNoTemplate);
  } else {
    read_think(body, request);
    read_template_variables(body, request, notes);
  }
  read_foreign_limits(body, request, notes);
  for (const std::string_view key : {"repetition_penalty", "repeat_penalty"}) {
    if (const auto penalty = body.number_above(key, 0, kLargestPenalty)) {
      request.sampling.repeat_penalty = penalty;
    }
  }
  if (const auto typical = body.number("typical_p", 0, 1)) request.sampling.typical_p = typical;
  if (const auto length = body.integer("num_ctx", 0, kMaxTokens); length && *length > 0) {
    request.context_length = length;
  }
  if (const auto cache = body.flag("cache_prompt")) request.use_cache = *cache;
  read_stop_tokens(body, request);
  read_request_budget(body, request, notes);
}

}  // namespace pleiad::api
