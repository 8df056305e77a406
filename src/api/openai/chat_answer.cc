#include "api/openai/chat_answer.h"

#include <utility>

#include "api/common/request_json.h"
#include "api/common/thinking_fields.h"
#include "api/openai/choice_warnings.h"
#include "api/openai/event_stream.h"
#include "api/openai/openai_error.h"

namespace pleiad::api::openai {
namespace {

using serving::AnswerDelta;
using serving::AnswerLogprob;
using serving::AnswerResult;
using EventKind = text::ReplyEvent::Kind;

Json choice_logprobs(bool wanted, const std::vector<AnswerLogprob>& logprobs) {
  if (!wanted) return nullptr;
  return {{"content", logprobs_json(logprobs)}, {"refusal", nullptr}};
}

/// What a request says about the form of calls.
struct CallForm {
  explicit CallForm(const ChatRequest& request)
      : custom(request.custom_tools), legacy(request.legacy_functions) {}

  std::string_view reason(const AnswerResult& result) const {
    const std::string_view reason = finish_reason(result);
    return legacy && reason == "tool_calls" ? "function_call" : reason;
  }

  CustomTools custom;
  bool legacy;
};

/// A call as clients knew it before there were tools.
Json function_call(const AnswerDelta& delta) {
  return {{"name", delta.event.name}, {"arguments", to_text(delta.event.arguments)}};
}

/// The answer as one body.
class WholeChat : public AnswerFollower {
 public:
  WholeChat(const ChatRequest& request, AnswerHead head, std::shared_ptr<http::Exchange> exchange)
      : head_(std::move(head)),
        calls_(request),
        wants_logprobs_(request.answer.sampling.n_logprobs.has_value()),
        exchange_(std::move(exchange)),
        choices_(static_cast<std::size_t>(request.n_choices)),
        warnings_(request.warnings, request.answer.think.value_or(false), choices_.size()) {}

  void delta(std::size_t index, const AnswerDelta& delta) override {
    Choice& choice = choices_[index];
    warnings_.note(index, delta.event);
    if (delta.event.kind == EventKind::thinking) {
      choice.thinking += delta.event.text;
      return;
    }
    if (delta.event.kind == EventKind::tool_call && calls_.legacy) {
      choice.function_call = function_call(delta);
    } else if (delta.event.kind == EventKind::tool_call) {
      choice.tool_calls.push_back(tool_call_json(delta, calls_.custom));
    } else {
      choice.content += delta.event.text;
    }
    choice.logprobs.insert(choice.logprobs.end(), delta.logprobs.begin(), delta.logprobs.end());
  }

  void done(std::size_t index, const AnswerResult& result) override {
    Choice& choice = choices_[index];
    choice.result = result;
    choice.logprobs.insert(choice.logprobs.end(), result.logprobs.begin(), result.logprobs.end());
    usage_.add_reply(result);
    if (index == 0) usage_.add_prompt(result);
    warnings_.done(index, result);
  }

  void finished() override {
    Json body = head_.body("chat.completion");
    Json& choices = body["choices"] = Json::array();
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      const Choice& choice = choices_[i];
      choices.push_back({{"index", i},
                         {"message", message(choice)},
                         {"logprobs", choice_logprobs(wants_logprobs_, choice.logprobs)},
                         {"finish_reason", calls_.reason(choice.result)}});
      add_limit_ends(choices.back(), choice.result);
    }
    body["usage"] = usage_.json();
    add_warnings(body, warnings_.all());
    add_remarks(body, choices_[0].result);
    http::Response response;
    response.body = to_text(body);
    exchange_->respond(std::move(response));
  }

  void failed(const serving::ServiceError& error) override {
    exchange_->respond(error_response(error));
  }

 private:
  struct Choice {
    std::string thinking, content;
    Json tool_calls = Json::array();
    Json function_call;  // null: none
    std::vector<AnswerLogprob> logprobs;
    AnswerResult result;
  };

  static Json message(const Choice& choice) {
    Json message = {{"role", "assistant"}, {"content", choice.content}, {"refusal", nullptr}};
    const bool has_calls = !choice.tool_calls.empty() || !choice.function_call.is_null();
    if (choice.content.empty() && has_calls) message["content"] = nullptr;
    if (!choice.thinking.empty()) {
      message["reasoning_content"] = choice.thinking;
      message["reasoning"] = choice.thinking;
    }
    if (!choice.tool_calls.empty()) message["tool_calls"] = choice.tool_calls;
    if (!choice.function_call.is_null()) message["function_call"] = choice.function_call;
    return message;
  }

  AnswerHead head_;
  CallForm calls_;
  bool wants_logprobs_;
  std::shared_ptr<http::Exchange> exchange_;
  std::vector<Choice> choices_;
  ChoiceWarnings warnings_;
  Usage usage_;
};

/// The answer as a stream of chunks.
class ChatStream : public AnswerFollower {
 public:
  ChatStream(const ChatRequest& request, AnswerHead head, std::shared_ptr<http::Exchange> exchange)
      : head_(std::move(head)),
        calls_(request),
        wants_logprobs_(request.answer.sampling.n_logprobs.has_value()),
        wants_usage_(request.include_usage),
        stream_(std::move(exchange)),
        choices_(static_cast<std::size_t>(request.n_choices)),
        warnings_(request.warnings, request.answer.think.value_or(false), choices_.size()) {}

  void delta(std::size_t index, const AnswerDelta& delta) override {
    begin_choice(index);
    warnings_.note(index, delta.event);
    Json change = Json::object();
    switch (delta.event.kind) {
      case EventKind::thinking:
        change["reasoning_content"] = delta.event.text;
        change["reasoning"] = delta.event.text;
        return send(index, std::move(change), nullptr, {});
      case EventKind::content:
      case EventKind::broken_tool_call:
        change["content"] = delta.event.text;
        break;
      case EventKind::call_begun:
      case EventKind::call_arguments:
      case EventKind::tool_call:
        change = call_change(choices_[index], delta);
        break;
    }
    Choice& choice = choices_[index];
    choice.logprobs.insert(choice.logprobs.end(), delta.logprobs.begin(), delta.logprobs.end());
    if (!change.empty()) {
      send(index, std::move(change), nullptr, std::exchange(choice.logprobs, {}));
    }
  }

  void done(std::size_t index, const AnswerResult& result) override {
    begin_choice(index);
    usage_.add_reply(result);
    if (index == 0) usage_.add_prompt(result);
    std::vector<AnswerLogprob> logprobs = std::exchange(choices_[index].logprobs, {});
    logprobs.insert(logprobs.end(), result.logprobs.begin(), result.logprobs.end());
    Json last = chunk_of(index, Json::object(), calls_.reason(result), logprobs);
    add_limit_ends(last["choices"][0], result);
    // Clients look at choices[0] of every chunk, so remarks have none of their own.
    if (index == 0) add_remarks(last, result);
    if (warnings_.done(index, result)) add_warnings(last, warnings_.all());
    stream_.send(last);
  }

  /// The usage, where it is asked for, comes in a chunk without choices.
  void finished() override {
    if (wants_usage_) {
      Json last = chunk();
      last["usage"] = usage_.json();
      stream_.send(last);
    }
    stream_.finish();
  }

  void failed(const serving::ServiceError& error) override { stream_.fail(error); }

 private:
  struct Choice {
    bool has_begun = false;
    int n_calls = 0;
    std::string open_call;                // the id of the last, while it comes in pieces
    std::vector<AnswerLogprob> logprobs;  // that no chunk has had
  };

  /// What a part of a call changes; empty where nothing does. The text of custom tools comes whole.
  Json call_change(Choice& choice, const AnswerDelta& delta) const {
    const EventKind kind = delta.event.kind;
    if (kind == EventKind::call_begun) {
      choice.open_call.clear();
      if (calls_.custom.contains(delta.event.name)) return Json::object();
      choice.open_call = delta.tool_call_id;
      const Json function = {{"name", delta.event.name}, {"arguments", ""}};
      if (calls_.legacy) return {{"function_call", function}};
      return of_call({{"index", choice.n_calls++},
                      {"id", delta.tool_call_id},
                      {"type", "function"},
                      {"function", function}});
    }
    if (kind == EventKind::call_arguments) {
      if (choice.open_call != delta.tool_call_id) return Json::object();
      const Json function = {{"arguments", delta.event.text}};
      if (calls_.legacy) return {{"function_call", function}};
      return of_call({{"index", choice.n_calls - 1}, {"function", function}});
    }
    if (std::exchange(choice.open_call, {}) == delta.tool_call_id) return Json::object();
    if (calls_.legacy) return {{"function_call", function_call(delta)}};
    Json call = {{"index", choice.n_calls++}};
    call.update(tool_call_json(delta, calls_.custom));
    return of_call(std::move(call));
  }

  static Json of_call(Json call) {
    Json change = {{"tool_calls", Json::array()}};
    change["tool_calls"].push_back(std::move(call));
    return change;
  }

  Json chunk() const {
    Json chunk = head_.body("chat.completion.chunk");
    chunk["choices"] = Json::array();
    if (wants_usage_) chunk["usage"] = nullptr;
    return chunk;
  }

  void begin_choice(std::size_t index) {
    if (choices_[index].has_begun) return;
    choices_[index].has_begun = true;
    send(index, {{"role", "assistant"}, {"content", ""}}, nullptr, {});
  }

  void send(std::size_t index, Json change, Json reason,
            const std::vector<AnswerLogprob>& logprobs) {
    stream_.send(chunk_of(index, std::move(change), std::move(reason), logprobs));
  }

  Json chunk_of(std::size_t index, Json change, Json reason,
                const std::vector<AnswerLogprob>& logprobs) const {
    Json message = chunk();
    message["choices"].push_back(
        {{"index", index},
         {"delta", std::move(change)},
         {"logprobs", choice_logprobs(wants_logprobs_ && !logprobs.empty(), logprobs)},
         {"finish_reason", std::move(reason)}});
    return message;
  }

  AnswerHead head_;
  CallForm calls_;
  bool wants_logprobs_;
  bool wants_usage_;
  EventStream stream_;
  std::vector<Choice> choices_;
  ChoiceWarnings warnings_;
  Usage usage_;
};

}  // namespace

std::unique_ptr<AnswerFollower> chat_follower(const ChatRequest& request, AnswerHead head,
                                              std::shared_ptr<http::Exchange> exchange) {
  if (request.stream) {
    return std::make_unique<ChatStream>(request, std::move(head), std::move(exchange));
  }
  return std::make_unique<WholeChat>(request, std::move(head), std::move(exchange));
}

}  // namespace pleiad::api::openai
