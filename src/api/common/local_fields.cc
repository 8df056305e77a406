#include "api/common/local_fields.h"

#include <limits>
#include <optional>

#include "api/common/media_reader.h"
#include "api/common/options.h"
#include "api/common/request_error.h"

namespace pleiad::api {
namespace {

constexpr double kLargestPenalty = 1e6;

/// true, false, or a level: the models know none, so any is true.
std::optional<bool> read_think(FieldReader& body) {
  const Json* think = body.value("think");
  if (!think) return std::nullopt;
  if (think->is_boolean()) return think->get<bool>();
  if (!think->is_string()) body.refuse("think", "true, false, \"low\", \"medium\" or \"high\"");
  return *body.one_of("think", {"none", "low", "medium", "high", "max"}) != "none";
}

/// What the models' template knows of a caller's variables.
std::optional<bool> read_template_variables(FieldReader& body, RequestNotes& notes) {
  auto variables = body.child("chat_template_kwargs");
  if (!variables) return std::nullopt;
  const auto enabled = variables->flag("enable_thinking");
  const auto other = variables->flag("thinking");
  notes.unknown(*variables);
  return enabled ? enabled : other;
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
  const auto think = read_think(body);
  const auto variable = read_template_variables(body, notes);
  if (request.form != serving::AnswerRequest::Form::chat) {
    constexpr std::string_view kNoTemplate = "a text is continued as it is, without a template";
    notes.without_effect(body, "think", kNoTemplate);
    notes.without_effect(body, "chat_template_kwargs", kNoTemplate);
  } else if (!request.think) {
    request.think = think ? think : variable;
  }
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
