#include "api/openai/chat_request.h"

#include "api/common/field_reader.h"
#include "api/common/local_fields.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/thinking_fields.h"
#include "api/openai/chat_messages.h"
#include "api/openai/continuation.h"
#include "api/openai/legacy_functions.h"
#include "api/openai/reply_form_fields.h"
#include "api/openai/shared_fields.h"
#include "api/openai/tool_choice.h"

namespace pleiad::api::openai {
namespace {

void read_lengths(FieldReader& body, serving::AnswerRequest& request) {
  const auto older = read_token_limit(body, "max_tokens");
  const auto most = read_token_limit(body, "max_completion_tokens");
  if (older && most && *older != *most) {
    throw RequestError("max_tokens", "differs from max_completion_tokens; give one of them");
  }
  if (most || older) request.max_tokens = most ? most : older;
}

void read_logprobs(FieldReader& body, serving::SamplingRequest& sampling) {
  const bool wanted = body.flag("logprobs").value_or(false);
  const auto top = body.integer("top_logprobs", 0, kMaxTopLogprobs);
  if (top && *top > 0 && !wanted) {
    throw RequestError("top_logprobs", "needs \"logprobs\": true");
  }
  if (wanted) sampling.n_logprobs = static_cast<int>(top.value_or(0));
}

void read_reasoning(FieldReader& body, serving::AnswerRequest& request, RequestNotes& notes) {
  read_effort(body, "reasoning_effort", request);
  auto reasoning = body.child("reasoning");
  if (!reasoning) return;
  const Json* effort = reasoning->value("effort");
  if (const Json* also = body.value("reasoning_effort"); effort && also && *effort != *also) {
    throw RequestError("reasoning_effort", "differs from reasoning.effort; give one of them");
  }
  read_effort(*reasoning, "effort", request);
  const auto enabled = reasoning->flag("enabled");
  if (enabled) request.think = *enabled;
  if (const auto most = reasoning->integer("max_tokens", 0, kMaxTokens)) {
    if (!enabled) request.think = true;
    refuse_second_budget(request, reasoning->path_of("max_tokens"), *most);
    set_thinking_budget(request, reasoning->path_of("max_tokens"), *most);
  }
  const auto& budget = request.thinking_budget;
  if (budget && !budget->is_level && budget->tokens == 0) request.think = false;
  notes.unknown(*reasoning);
}

void read_modalities(FieldReader& body) {
  const auto modalities = body.texts("modalities", 8);
  for (std::size_t i = 0; modalities && i < modalities->size(); ++i) {
    if ((*modalities)[i] == "text") continue;
    throw RequestError(element_path("modalities", i),
                       "replies are text, without audio; leave this field out",
                       "unsupported_media");
  }
}

void read_others(FieldReader& body, RequestNotes& notes) {
  read_modalities(body);
  read_verbosity(body, notes);
  notes.without_effect(body, "audio", "replies are text");
  notes.without_effect(body, "prediction", "answers are generated without a draft");
  notes.without_effect(body, "web_search_options", "this server does not search the web");
  notes.without_effect(body, "moderation", "this server does not moderate");
  notes.without_effect(body, "prompt_cache_options", kCachedByContent);
  notes.unknown(body);
}

}  // namespace

ChatRequest read_chat_request(const Json& json, SpareFields spare) {
  ChatRequest request;
  RequestNotes notes(spare);
  serving::AnswerRequest& answer = request.answer;
  FieldReader body(json);
  answer.model = body.required_text("model");
  MediaReader media(notes);
  answer.messages = read_messages(body, media, notes);
  answer.media = media.take();
  read_continuation(body, "messages", answer, notes);
  read_extensions(body, answer, notes.warnings());  // before the fields that overrule `options`
  read_local_fields(body, answer, notes);
  read_sampling(body, answer);
  read_lengths(body, answer);
  read_stop(body, answer);
  read_logprobs(body, answer.sampling);
  request.custom_tools = read_tools(body, ToolForm::nested, answer, notes).custom;
  read_tool_choice(body, ToolForm::nested, request.custom_tools, answer, notes);
  request.legacy_functions = read_legacy_functions(body, answer, notes);
  read_reply_form(body, answer, notes);
  read_reasoning(body, answer, notes);
  read_labels(body);
  request.n_choices = static_cast<int>(body.integer("n", 1, kMaxChoices).value_or(1));
  request.stream = body.flag("stream").value_or(false);
  answer.call_pieces = request.stream;
  request.include_usage = read_include_usage(body, request.stream, notes);
  read_others(body, notes);
  request.warnings = notes.take();
  return request;
}

std::vector<serving::AnswerRequest> one_for_each_choice(const serving::AnswerRequest& request,
                                                        int n_choices) {
  std::vector<serving::AnswerRequest> requests(static_cast<std::size_t>(n_choices), request);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto& seed = requests[i].sampling.seed;
    if (seed) *seed += i;
  }
  return requests;
}

}  // namespace pleiad::api::openai
