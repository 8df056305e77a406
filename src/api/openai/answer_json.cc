#include "api/openai/answer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/common/media_json.h"
#include "api/common/request_json.h"

namespace pleiad::api::openai {
namespace {

Json token_json(const serving::TokenText& token) {
  Json bytes = Json::array();
  for (const char byte : token.bytes) bytes.push_back(static_cast<std::uint8_t>(byte));
  return {{"token", token.bytes},
          {"logprob", finite_logprob(token.logprob)},
          {"bytes", std::move(bytes)}};
}

}  // namespace

Json AnswerHead::body(std::string_view object) const {
  return {{"id", id},
          {"object", object},
          {"created", created},
          {"model", model},
          {"system_fingerprint", fingerprint}};
}

void Usage::add_prompt(const serving::AnswerResult& result) {
  prompt_tokens += result.stats.prompt_tokens;
  cached_tokens += result.stats.cached_tokens;
}

void Usage::add_reply(const serving::AnswerResult& result) {
  generated_tokens += result.stats.generated_tokens;
  forced_tokens += result.stats.forced_tokens;
  saved_steps += result.stats.saved_steps;
  dropped_tokens += result.stats.dropped_tokens;
  if (thinking_tokens && result.thinking_tokens) {
    *thinking_tokens += *result.thinking_tokens;
  } else {
    thinking_tokens.reset();
  }
}

Json Usage::json() const {
  Json usage = {{"prompt_tokens", prompt_tokens},
                {"completion_tokens", generated_tokens},
                {"total_tokens", prompt_tokens + generated_tokens},
                {"prompt_tokens_details", {{"cached_tokens", cached_tokens}}}};
  if (thinking_tokens) {
    usage["completion_tokens_details"] = {{"reasoning_tokens", *thinking_tokens}};
  }
  if (saved_steps > 0 || forced_tokens > 0) {
    usage["completion_tokens_details"]["forced_tokens"] = forced_tokens;
    usage["completion_tokens_details"]["saved_steps"] = saved_steps;
  }
  if (dropped_tokens > 0) usage["completion_tokens_details"]["dropped_tokens"] = dropped_tokens;
  return usage;
}

std::string_view finish_reason(const serving::AnswerResult& result) {
  if (is_cut_short(result.reason)) return "length";
  return result.called_tools ? "tool_calls" : "stop";
}

void add_warnings(Json& body, const std::vector<std::string>& warnings) {
  if (!warnings.empty()) body["warnings"] = warnings;
}

void add_remarks(Json& body, const serving::AnswerResult& result) {
  if (result.dropped_messages > 0) body["dropped_messages"] = result.dropped_messages;
  if (Json media = media_json(result.media); !media.is_null()) body["media"] = std::move(media);
  if (result.cache_debug) body["cache_debug"] = *result.cache_debug;
}

double finite_logprob(double logprob) {
  constexpr double kLeast = -9999;
  return std::isfinite(logprob) ? std::max(logprob, kLeast) : kLeast;
}

Json logprobs_json(const std::vector<serving::AnswerLogprob>& logprobs) {
  Json list = Json::array();
  for (const serving::AnswerLogprob& logprob : logprobs) {
    Json& entry = list.emplace_back(token_json(logprob.token));
    Json& top = entry["top_logprobs"] = Json::array();
    for (const serving::TokenText& token : logprob.top) top.push_back(token_json(token));
  }
  return list;
}

Json tool_call_json(const serving::AnswerDelta& delta, const CustomTools& custom) {
  if (custom.contains(delta.event.name)) {
    return {
        {"id", delta.tool_call_id},
        {"type", "custom"},
        {"custom", {{"name", delta.event.name}, {"input", custom_input(delta.event.arguments)}}}};
  }
  return {
      {"id", delta.tool_call_id},
      {"type", "function"},
      {"function", {{"name", delta.event.name}, {"arguments", to_text(delta.event.arguments)}}}};
}

bool is_content(const text::ReplyEvent& event) {
  using Kind = text::ReplyEvent::Kind;
  return event.kind == Kind::content || event.kind == Kind::broken_tool_call;
}

}  // namespace pleiad::api::openai
