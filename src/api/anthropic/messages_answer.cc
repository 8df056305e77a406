#include "api/anthropic/messages_answer.h"

#include <utility>

#include "api/anthropic/anthropic_error.h"
#include "api/anthropic/citations/cited_answer.h"
#include "api/common/answer_warnings.h"
#include "api/common/media_json.h"
#include "api/common/request_json.h"
#include "api/common/stream_text.h"
#include "api/common/thinking_fields.h"

namespace pleiad::api::anthropic {
namespace {

using serving::AnswerDelta;
using serving::AnswerResult;
using serving::ServiceError;
using EventKind = text::ReplyEvent::Kind;

/// Thoughts are given in the clear; clients hand the signature back with them.
constexpr std::string_view kSignature = "pleiad";

std::string_view stop_reason(const AnswerResult& result) {
  switch (result.reason) {
    case FinishReason::length:
    case FinishReason::repetition:
      return "max_tokens";
    case FinishReason::context_full:
      return "model_context_window_exceeded";
    case FinishReason::stop_string:
      return "stop_sequence";
    case FinishReason::stop_token:
    case FinishReason::cancelled:
      break;
  }
  return result.called_tools ? "tool_use" : "end_turn";
}

/// input_tokens are those that the cache did not have.
Json usage_json(const AnswerResult& result) {
  Json usage = {{"input_tokens", result.stats.evaluated_tokens()},
                {"cache_creation_input_tokens", 0},
                {"cache_read_input_tokens", result.stats.cached_tokens},
                {"output_tokens", result.stats.generated_tokens}};
  if (result.thinking_tokens) {
    usage["output_tokens_details"] = {{"thinking_tokens", *result.thinking_tokens}};
  }
  if (result.stats.saved_steps > 0 || result.stats.forced_tokens > 0) {
    usage["output_tokens_details"]["forced_tokens"] = result.stats.forced_tokens;
    usage["output_tokens_details"]["saved_steps"] = result.stats.saved_steps;
  }
  if (result.stats.dropped_tokens > 0) {
    usage["output_tokens_details"]["dropped_tokens"] = result.stats.dropped_tokens;
  }
  return usage;
}

/// "toolu_..." of the service's "call_..."
std::string tool_use_id(const std::string& call_id) {
  constexpr std::string_view kPrefix = "call_";
  const bool has_prefix = call_id.rfind(kPrefix, 0) == 0;
  return "toolu_" + call_id.substr(has_prefix ? kPrefix.size() : 0);
}

void add_remarks(Json& body, const AnswerWarnings& warnings, const AnswerResult& result) {
  const std::vector<std::string> all = warnings.all(result);
  if (!all.empty()) body["warnings"] = all;
  if (Json media = media_json(result.media); !media.is_null()) body["media"] = std::move(media);
  if (result.cache_debug) body["cache_debug"] = *result.cache_debug;
  add_limit_ends(body, result);
}

/// What both forms of the answer share.
class MessagesFollower : public AnswerFollower {
 public:
  MessagesFollower(const MessagesRequest& request, std::string id,
                   std::shared_ptr<http::Exchange> exchange)
      : id_(std::move(id)),
        model_(request.answer.model),
        request_id_(request.answer.id),
        shows_thinking_(request.shows_thinking),
        warnings_(request.warnings, request.answer.think.value_or(false)),
        cited_(request.sources),
        exchange_(std::move(exchange)) {}

  void document(std::size_t /*index*/, const serving::DocumentText& document) override {
    cited_.take(document);
  }
  void prompted(std::size_t /*index*/) override { cited_.begin(); }

  void failed(const ServiceError& error) override {
    exchange_->respond(error_response(error, request_id_));
  }

 protected:
  bool is_hidden(const AnswerDelta& delta) const {
    return delta.event.kind == EventKind::thinking && !shows_thinking_;
  }

  /// Words, or a call that is broken, which is told as it was written.
  static bool is_said(const AnswerDelta& delta) {
    return delta.event.kind == EventKind::content ||
           delta.event.kind == EventKind::broken_tool_call;
  }

  Json message(Json content, Json reason, Json stop_sequence, Json usage) const {
    return {{"id", id_},
            {"type", "message"},
            {"role", "assistant"},
            {"model", model_},
            {"content", std::move(content)},
            {"stop_reason", std::move(reason)},
            {"stop_sequence", std::move(stop_sequence)},
            {"usage", std::move(usage)}};
  }

  static Json stop_sequence(const AnswerResult& result) {
    const bool stopped = result.reason == FinishReason::stop_string && result.stop_string;
    return stopped ? Json(*result.stop_string) : Json(nullptr);
  }

  std::string id_, model_, request_id_;
  bool shows_thinking_;
  AnswerWarnings warnings_;
  CitedAnswer cited_;
  std::shared_ptr<http::Exchange> exchange_;
};

class WholeMessage : public MessagesFollower {
 public:
  using MessagesFollower::MessagesFollower;

  void delta(std::size_t /*index*/, const AnswerDelta& delta) override {
    if (is_hidden(delta)) return;
    warnings_.note(delta.event);
    if (is_said(delta)) return add_texts(cited_.push(delta.event.text));
    add_texts(cited_.finish());
    if (delta.event.kind == EventKind::tool_call) {
      content_.push_back({{"type", "tool_use"},
                          {"id", tool_use_id(delta.tool_call_id)},
                          {"name", delta.event.name},
                          {"input", delta.event.arguments}});
      return;
    }
    if (content_.empty() || content_.back()["type"] != "thinking") {
      content_.push_back({{"type", "thinking"}, {"thinking", ""}, {"signature", kSignature}});
    }
    content_.back()["thinking"].get_ref<std::string&>() += delta.event.text;
  }

  void done(std::size_t /*index*/, const AnswerResult& result) override { result_ = result; }

  void finished() override {
    add_texts(cited_.finish());
    Json body = message(std::move(content_), stop_reason(result_), stop_sequence(result_),
                        usage_json(result_));
    add_remarks(body, warnings_, result_);
    http::Response response;
    response.body = to_text(body);
    exchange_->respond(std::move(response));
  }

 private:
  /// What is cited is a block of its own.
  void add_texts(std::vector<CitedAnswer::Stretch> stretches) {
    for (CitedAnswer::Stretch& stretch : stretches) {
      if (stretch.citation) {
        content_.push_back({{"type", "text"},
                            {"text", std::move(stretch.text)},
                            {"citations", Json::array({*std::move(stretch.citation)})}});
        continue;
      }
      const bool goes_on = !content_.empty() && content_.back()["type"] == "text" &&
                           !content_.back().contains("citations");
      if (!goes_on) content_.push_back({{"type", "text"}, {"text", ""}});
      content_.back()["text"].get_ref<std::string&>() += stretch.text;
    }
  }

  Json content_ = Json::array();
  AnswerResult result_;
};

class MessageStream : public MessagesFollower {
 public:
  using MessagesFollower::MessagesFollower;

  void delta(std::size_t /*index*/, const AnswerDelta& delta) override {
    if (is_hidden(delta)) return;
    begin();
    warnings_.note(delta.event);
    if (is_said(delta)) return send_texts(cited_.push(delta.event.text));
    send_texts(cited_.finish());
    if (delta.event.kind != EventKind::thinking) return send_call(delta);
    if (open_ != "thinking") {
      open_block("thinking", {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
    }
    send_delta({{"type", "thinking_delta"}, {"thinking", delta.event.text}});
  }

  void done(std::size_t /*index*/, const AnswerResult& result) override { result_ = result; }

  void finished() override {
    begin();
    send_texts(cited_.finish());
    close_block();
    Json last = {
        {"delta",
         {{"stop_reason", stop_reason(result_)}, {"stop_sequence", stop_sequence(result_)}}},
        {"usage", usage_json(result_)}};
    add_remarks(last, warnings_, result_);
    send("message_delta", last);
    send("message_stop", Json::object());
    exchange_->end();
  }

  void failed(const ServiceError& error) override {
    if (!has_begun_) return MessagesFollower::failed(error);
    exchange_->write(
        sse_event(error_body(status_of(error.code), error.message, request_id_), "error"));
    exchange_->end();
  }

 private:
  /// The prompt's tokens are not known yet: message_delta has them.
  void begin() {
    if (has_begun_) return;
    has_begun_ = true;
    exchange_->begin(200, std::string(kEventStream), {{"Cache-Control", "no-cache"}});
    send("message_start", {{"message", message(Json::array(), nullptr, nullptr,
                                               {{"input_tokens", 0}, {"output_tokens", 0}})}});
    send("ping", Json::object());
  }

  void send(std::string_view type, const Json& fields) {
    Json event = {{"type", type}};
    event.update(fields);
    exchange_->write(sse_event(event, type));
  }

  void send_delta(Json delta) {
    send("content_block_delta", {{"index", index_}, {"delta", std::move(delta)}});
  }

  void open_block(std::string type, Json block) {
    close_block();
    open_ = std::move(type);
    send("content_block_start", {{"index", index_}, {"content_block", std::move(block)}});
  }

  void close_block() {
    if (open_.empty()) return;
    if (open_ == "thinking") send_delta({{"type", "signature_delta"}, {"signature", kSignature}});
    send("content_block_stop", {{"index", index_++}});
    open_.clear();
  }

  /// What is cited is a block of its own.
  void send_texts(const std::vector<CitedAnswer::Stretch>& stretches) {
    for (const CitedAnswer::Stretch& stretch : stretches) {
      Json block = {{"type", "text"}, {"text", ""}};
      if (stretch.citation) block["citations"] = Json::array();
      if (stretch.citation || open_ != "text") open_block("text", std::move(block));
      send_delta({{"type", "text_delta"}, {"text", stretch.text}});
      if (!stretch.citation) continue;
      send_delta({{"type", "citations_delta"}, {"citation", *stretch.citation}});
      close_block();
    }
  }

  /// A call, or a part of one.
  void send_call(const AnswerDelta& delta) {
    const bool goes_on = open_ == "tool_use" && open_call_ == delta.tool_call_id;
    if (!goes_on) {
      open_call_ = delta.tool_call_id;
      open_block("tool_use", {{"type", "tool_use"},
                              {"id", tool_use_id(delta.tool_call_id)},
                              {"name", delta.event.name},
                              {"input", Json::object()}});
    }
    if (delta.event.kind == EventKind::call_arguments) send_arguments(delta.event.text);
    if (delta.event.kind != EventKind::tool_call) return;
    if (!goes_on) send_arguments(to_text(delta.event.arguments));
    close_block();
  }

  void send_arguments(const std::string& json) {
    send_delta({{"type", "input_json_delta"}, {"partial_json", json}});
  }

  bool has_begun_ = false;
  std::string open_;       // the type of the block that is open
  std::string open_call_;  // the id of the last call
  int index_ = 0;          // of the open block, or of the next
  AnswerResult result_;
};

}  // namespace

std::unique_ptr<AnswerFollower> messages_follower(const MessagesRequest& request, std::string id,
                                                  std::shared_ptr<http::Exchange> exchange) {
  if (request.stream) {
    return std::make_unique<MessageStream>(request, std::move(id), std::move(exchange));
  }
  return std::make_unique<WholeMessage>(request, std::move(id), std::move(exchange));
}

}  // namespace pleiad::api::anthropic
