#include "answer.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "api/common/thinking_fields.h"
#include "base/json.h"
#include "errors.h"
#include "wait.h"

namespace pleiad::python {
namespace {

Json token_json(const serving::TokenText& token) {
  Json bytes = Json::array();
  for (const char byte : token.bytes) bytes.push_back(static_cast<std::uint8_t>(byte));
  return {{"id", token.id}, {"bytes", std::move(bytes)}, {"logprob", token.logprob}};
}

Json logprobs_json(const std::vector<serving::AnswerLogprob>& logprobs) {
  Json list = Json::array();
  for (const serving::AnswerLogprob& one : logprobs) {
    Json entry = token_json(one.token);
    Json top = Json::array();
    for (const serving::TokenText& token : one.top) top.push_back(token_json(token));
    entry["top"] = std::move(top);
    list.push_back(std::move(entry));
  }
  return list;
}

std::string kind_name(text::ReplyEvent::Kind kind) {
  switch (kind) {
    case text::ReplyEvent::Kind::thinking:
      return "thinking";
    case text::ReplyEvent::Kind::tool_call:
      return "tool_call";
    case text::ReplyEvent::Kind::broken_tool_call:
      return "broken_tool_call";
    case text::ReplyEvent::Kind::call_begun:
    case text::ReplyEvent::Kind::call_arguments:  // not asked for
    case text::ReplyEvent::Kind::content:
      break;
  }
  return "content";
}

/// Text has none, unless logprobs were asked for.
std::string details_of(const serving::AnswerDelta& delta) {
  Json details = Json::object();
  if (delta.event.kind == text::ReplyEvent::Kind::tool_call) {
    details["id"] = delta.tool_call_id;
    details["name"] = delta.event.name;
    details["arguments"] = delta.event.arguments;
  }
  if (delta.event.kind == text::ReplyEvent::Kind::broken_tool_call) {
    details["problem"] = delta.event.problem;
  }
  if (!delta.logprobs.empty()) details["logprobs"] = logprobs_json(delta.logprobs);
  return details.empty() ? std::string() : to_text(details);
}

/// As a chat completion has it; "cancelled" is nothing that Python shows.
std::string finish_reason(const serving::AnswerResult& result) {
  if (result.reason == FinishReason::repetition) return "length";
  const std::string reason(name(result.reason));
  return reason == "stop" && result.called_tools ? "tool_calls" : reason;
}

Json result_json(const serving::AnswerResult& result, std::vector<std::string> warnings) {
  warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
  const GenerationStats& stats = result.stats;
  Json json = {
      {"finish_reason", finish_reason(result)},
      {"stop_string", result.stop_string ? Json(*result.stop_string) : Json()},
      {"seed", result.seed},
      {"prompt_tokens", stats.prompt_tokens},
      {"cached_tokens", stats.cached_tokens},
      {"completion_tokens", stats.generated_tokens},
      {"thinking_tokens", result.thinking_tokens ? Json(*result.thinking_tokens) : Json()},
      {"forced_tokens", stats.forced_tokens},
      {"saved_steps", stats.saved_steps},
      {"dropped_tokens", stats.dropped_tokens},
      {"queue_seconds", result.queue_seconds},
      {"prompt_seconds", stats.prompt_seconds},
      {"generation_seconds", stats.generation_seconds},
      {"dropped_messages", result.dropped_messages},
      {"dropped_thinking_bytes", result.dropped_thinking_bytes},
      {"warnings", std::move(warnings)},
  };
  api::add_limit_ends(json, result);
  if (!result.logprobs.empty()) json["logprobs"] = logprobs_json(result.logprobs);
  return json;
}

}  // namespace

AnswerQueue& Answer::queue() {
  if (owner_ != ::getpid()) {
    throw ClosedError("this reply is of the process that was forked, and so is what generates it");
  }
  return *queue_;
}

AnswerQueue::~AnswerQueue() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AnswerQueue::delta(serving::AnswerDelta delta) {
  push({kind_name(delta.event.kind), delta.event.text, details_of(delta)});
}

void AnswerQueue::done(const serving::AnswerResult& result) {
  std::string text = to_text(result_json(result, warnings_));
  const std::lock_guard lock(mutex_);
  result_ = std::move(text);
  end();
}

void AnswerQueue::failed(const serving::ServiceError& error) {
  const std::lock_guard lock(mutex_);
  error_ = error;
  end();
}

void AnswerQueue::push(AnswerPart part) {
  const std::lock_guard lock(mutex_);
  parts_.push_back(std::move(part));
  signal();
  changed_.notify_all();
}

void AnswerQueue::end() {
  ended_ = true;
  signal();
  changed_.notify_all();
}

void AnswerQueue::signal() const {
  if (descriptor_ < 0) return;
  const std::uint64_t one = 1;
  // Full after 2^64 - 2 of them: it is readable then as well.
  [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

std::optional<AnswerPart> AnswerQueue::take() {
  if (!parts_.empty()) {
    AnswerPart part = std::move(parts_.front());
    parts_.pop_front();
    return part;
  }
  if (error_) throw ServiceFailure(*error_);
  return std::nullopt;
}

std::optional<AnswerPart> AnswerQueue::next() {
  wait_until(mutex_, changed_, [this] { return has_something(); });
  const std::lock_guard lock(mutex_);
  return take();
}

std::optional<AnswerPart> AnswerQueue::next_at_once(bool& waits) {
  const std::lock_guard lock(mutex_);
  waits = !has_something();
  if (!waits) return take();
  // Emptied with the lock held, so that what comes from now on is signalled again.
  std::uint64_t count = 0;
  if (descriptor_ >= 0) [[maybe_unused]]
    const auto n = ::read(descriptor_, &count, sizeof count);
  return std::nullopt;
}

int AnswerQueue::descriptor() {
  const std::lock_guard lock(mutex_);
  if (descriptor_ < 0) {
    descriptor_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor_ < 0) throw Error("no descriptor for the event loop: {}", errno_text(errno));
    if (has_something()) signal();
  }
  return descriptor_;
}

std::string AnswerQueue::result() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

}  // namespace pleiad::python
