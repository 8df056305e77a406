#include "api/ollama/answer_writer.h"

#include <utility>

#include "api/common/media_json.h"
#include "api/common/stream_text.h"
#include "api/common/thinking_fields.h"
#include "api/ollama/errors.h"

namespace pleiad::api::ollama {
namespace {

using EventKind = text::ReplyEvent::Kind;

Json token_json(const serving::TokenText& token) {
  Json bytes = Json::array();
  for (const char c : token.bytes) bytes.push_back(static_cast<unsigned char>(c));
  return {{"token", token.bytes}, {"logprob", token.logprob}, {"bytes", std::move(bytes)}};
}

void add_logprobs(Json& list, const std::vector<serving::AnswerLogprob>& logprobs) {
  for (const serving::AnswerLogprob& logprob : logprobs) {
    Json entry = token_json(logprob.token);
    if (!logprob.top.empty()) {
      Json& top = entry["top_logprobs"] = Json::array();
      for (const serving::TokenText& token : logprob.top) top.push_back(token_json(token));
    }
    list.push_back(std::move(entry));
  }
}

std::string_view done_reason(FinishReason reason) {
  return is_cut_short(reason) ? "length" : "stop";
}

void add_metrics(Json& line, const serving::AnswerResult& result) {
  const GenerationStats& stats = result.stats;
  line["total_duration"] = nanoseconds(result.total_seconds);
  line["load_duration"] = nanoseconds(result.load_seconds);
  line["prompt_eval_count"] = stats.prompt_tokens;
  line["prompt_eval_cached_count"] = stats.cached_tokens;
  line["prompt_eval_duration"] = nanoseconds(stats.prompt_seconds);
  line["eval_count"] = stats.generated_tokens;
  line["eval_duration"] = nanoseconds(stats.generation_seconds);
  if (stats.saved_steps > 0 || stats.forced_tokens > 0) {
    line["eval_forced_count"] = stats.forced_tokens;
    line["eval_saved_steps"] = stats.saved_steps;
  }
  if (stats.dropped_tokens > 0) line["eval_dropped_count"] = stats.dropped_tokens;
}

}  // namespace

Json empty_answer(const AnswerForm& form) {
  Json answer = {{"model", form.model}, {"created_at", rfc3339(form.now())}};
  if (form.chat) {
    answer["message"] = {{"role", "assistant"}, {"content", ""}};
  } else {
    answer["response"] = "";
  }
  return answer;
}

AnswerWriter::AnswerWriter(std::shared_ptr<http::Exchange> exchange,
                           std::shared_ptr<CancelLink> link, AnswerForm form)
    : exchange_(std::move(exchange)),
      link_(std::move(link)),
      form_(std::move(form)),
      warnings_(form_.warnings, form_.thinking_wanted) {}

void AnswerWriter::delta(serving::AnswerDelta delta) {
  warnings_.note(delta.event);
  if (!form_.stream) {
    collect(delta);
    return;
  }
  Json line = empty_answer(form_);
  add_part(line, delta);
  line["done"] = false;
  if (!delta.logprobs.empty()) add_logprobs(line["logprobs"] = Json::array(), delta.logprobs);
  write(line);
}

/// A call in the form of this API: arguments are an object.
static Json call_json(serving::AnswerDelta& delta, int index) {
  return {{"id", delta.tool_call_id},
          {"function",
           {{"index", index},
            {"name", delta.event.name},
            {"arguments", std::move(delta.event.arguments)}}}};
}

void AnswerWriter::add_part(Json& answer, serving::AnswerDelta& delta) {
  switch (delta.event.kind) {
    case EventKind::call_begun:
    case EventKind::call_arguments:
      break;  // calls come whole
    case EventKind::thinking:
      add_text(answer, "thinking", std::move(delta.event.text));
      break;
    case EventKind::content:
    case EventKind::broken_tool_call:
      add_text(answer, form_.chat ? "content" : "response", std::move(delta.event.text));
      break;
    case EventKind::tool_call:
      (form_.chat ? answer["message"] : answer)["tool_calls"] =
          Json::array({call_json(delta, calls_++)});
      break;
  }
}

void AnswerWriter::add_text(Json& answer, const char* key, std::string text) const {
  (form_.chat ? answer["message"] : answer)[key] = std::move(text);
}

void AnswerWriter::collect(serving::AnswerDelta& delta) {
  switch (delta.event.kind) {
    case EventKind::call_begun:
    case EventKind::call_arguments:
      break;  // calls come whole
    case EventKind::thinking:
      thinking_ += delta.event.text;
      break;
    case EventKind::content:
    case EventKind::broken_tool_call:
      content_ += delta.event.text;
      break;
    case EventKind::tool_call:
      tool_calls_.push_back(call_json(delta, calls_++));
      break;
  }
  add_logprobs(logprobs_, delta.logprobs);
}

void AnswerWriter::add_collected(Json& answer) {
  add_text(answer, form_.chat ? "content" : "response", std::move(content_));
  if (!thinking_.empty()) add_text(answer, "thinking", std::move(thinking_));
  if (!tool_calls_.empty()) {
    (form_.chat ? answer["message"] : answer)["tool_calls"] = std::move(tool_calls_);
  }
}

Json AnswerWriter::last_line(const serving::AnswerResult& result) {
  Json line = empty_answer(form_);
  if (!form_.stream) add_collected(line);
  line["done"] = true;
  line["done_reason"] = done_reason(result.reason);
  add_limit_ends(line, result);
  add_logprobs(logprobs_, result.logprobs);
  if (!logprobs_.empty()) line["logprobs"] = std::move(logprobs_);
  add_metrics(line, result);
  if (form_.reports_drops) line["dropped_messages"] = result.dropped_messages;
  if (Json media = media_json(result.media); !media.is_null()) line["media"] = std::move(media);
  if (result.cache_debug) line["cache_debug"] = *result.cache_debug;
  if (const auto warnings = warnings_.all(result); !warnings.empty()) line["warnings"] = warnings;
  return line;
}

void AnswerWriter::done(const serving::AnswerResult& result) {
  link_->release();
  const Json line = last_line(result);
  if (!form_.stream) {
    exchange_->respond(json_response(line));
    return;
  }
  write(line);
  exchange_->end();
}

void AnswerWriter::failed(const serving::ServiceError& error) {
  link_->release();
  if (!begun_) {
    exchange_->respond(error_response(error, form_.model));
    return;
  }
  write(error_json(error, form_.model));
  exchange_->end();
}

void AnswerWriter::write(const Json& line) {
  if (!begun_) exchange_->begin(200, std::string(kNdjson));
  begun_ = true;
  exchange_->write(ndjson_line(line));
}

}  // namespace pleiad::api::ollama
