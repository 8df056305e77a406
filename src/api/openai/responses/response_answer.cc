#include "api/openai/responses/response_answer.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/answer_warnings.h"
#include "api/common/request_json.h"
#include "api/common/stream_text.h"
#include "api/common/thinking_fields.h"
#include "api/openai/answer_json.h"
#include "api/openai/openai_error.h"
#include "api/openai/responses/response_builder.h"

namespace pleiad::api::openai {
namespace {

using serving::AnswerDelta;
using serving::AnswerResult;
using serving::ServiceError;

/// Those words of OpenAI's type that say what a service refused.
const char* failure_code(ServiceError::Code code) {
  using Code = ServiceError::Code;
  const bool is_prompts =
      code == Code::bad_request || code == Code::context_exceeded || code == Code::unsupported;
  return is_prompts ? "invalid_prompt" : "server_error";
}

/// A response while it is being made.
class ResponseFollower : public AnswerFollower {
 public:
  ResponseFollower(ResponseRequest request, ResponseHead head, ApiContext& context,
                   ResponseKeeper keeper, std::shared_ptr<http::Exchange> exchange)
      : request_(std::move(request)),
        head_(std::move(head)),
        warnings_(request_.warnings, request_.answer.think.value_or(false)),
        context_(context),
        keeper_(std::move(keeper)),
        exchange_(std::move(exchange)),
        streams_(request_.stream && exchange_),
        builder_(context.ids, request_.answer.sampling.n_logprobs.has_value(), request_.tool_names,
                 [this](std::string_view type, Json event) { send(type, std::move(event)); }) {}

  /// Of one in the background: it may be long until anything comes.
  void queued() {
    if (!streams_) return;
    const Json body = response("queued");
    open_stream(body);
    send("response.queued", {{"response", body}});
  }

  void delta(std::size_t /*index*/, const AnswerDelta& delta) override {
    begin();
    warnings_.note(delta.event);
    builder_.delta(delta);
  }

  void done(std::size_t /*index*/, const AnswerResult& result) override { result_ = result; }

  void finished() override {
    begin();
    const std::string_view status = end_status();
    builder_.finish(status == "completed");
    Json body = response(status);
    if (status == "completed") {
      body["completed_at"] = unix_seconds(context_.now());
    } else if (status == "incomplete") {
      body["incomplete_details"] = {{"reason", "max_output_tokens"}};
    }
    body["usage"] = usage_json(result_, builder_.has_reasoning());
    add_warnings(body, warnings_.all(result_));
    add_remarks(body, result_);
    add_limit_ends(body, result_);
    if (request_.store) keep(body);
    if (streams_) {
      end_stream(status == "completed" ? "response.completed" : "response.incomplete",
                 std::move(body));
    } else if (exchange_) {
      http::Response answer;
      answer.body = to_text(body);
      exchange_->respond(std::move(answer));
    }
  }

  void failed(const ServiceError& error) override {
    if (request_.background || has_begun_) builder_.finish(false);
    Json body = response("failed");
    body["error"] = {{"code", failure_code(error.code)}, {"message", error.message}};
    if (request_.background) keep(body);
    if (!exchange_) return;
    if (!is_open_) return exchange_->respond(error_response(error));
    end_stream("response.failed", std::move(body));
  }

 private:
  std::string_view end_status() const {
    if (is_cut_short(result_.reason)) return "incomplete";
    return result_.reason == FinishReason::cancelled ? "cancelled" : "completed";
  }

  void begin() {
    if (has_begun_) return;
    has_begun_ = true;
    if (!streams_ && !keeper_.in_progress) return;
    const Json body = response("in_progress");
    if (keeper_.in_progress) keeper_.in_progress(to_text(body));
    if (!streams_) return;
    open_stream(body);
    send("response.in_progress", {{"response", body}});
  }

  void open_stream(const Json& body) {
    if (is_open_) return;
    is_open_ = true;
    exchange_->begin(200, std::string(kEventStream), {{"Cache-Control", "no-cache"}});
    send("response.created", {{"response", body}});
  }

  /// What is too large is not kept, and says so; where nobody may be there to hear it, what is kept
  /// in its place does.
  void keep(Json& body) {
    constexpr const char* kTooLarge =
        "the response is too large to keep, with its conversation before it";
    StoredResponse ended = stored_response(request_, body);
    if (keeper_.fits(ended)) return keeper_.keep(std::move(ended));
    body["warnings"].push_back(fmt::format("store: {}", kTooLarge));
    if (!request_.background) return;
    Json failed = response_json(head_, request_, "failed", Json::array());
    failed["error"] = body["error"];
    if (body["error"].is_null()) {
      failed["error"] = {{"code", "server_error"}, {"message", kTooLarge}};
    }
    failed["usage"] = body["usage"];
    keeper_.keep(stored_response(request_, failed));
  }

  void send(std::string_view type, Json event) {
    if (!streams_) return;
    Json whole = {{"type", type}, {"sequence_number", n_sent_++}};
    whole.update(event);
    exchange_->write(sse_event(whole, type));
  }

  void end_stream(std::string_view type, Json body) {
    send(type, {{"response", std::move(body)}});
    exchange_->end();
  }

  Json response(std::string_view status) const {
    return response_json(head_, request_, status, builder_.output());
  }

  ResponseRequest request_;
  ResponseHead head_;
  AnswerWarnings warnings_;
  ApiContext& context_;
  ResponseKeeper keeper_;
  std::shared_ptr<http::Exchange> exchange_;
  const bool streams_;
  OutputBuilder builder_;
  bool has_begun_ = false;  // the answer
  bool is_open_ = false;    // the stream
  int n_sent_ = 0;
  AnswerResult result_;
};

}  // namespace

std::unique_ptr<AnswerFollower> response_follower(ResponseRequest request, ResponseHead head,
                                                  ApiContext& context, ResponseKeeper keeper,
                                                  std::shared_ptr<http::Exchange> exchange) {
  const bool in_background = request.background;
  auto follower = std::make_unique<ResponseFollower>(std::move(request), std::move(head), context,
                                                     std::move(keeper), std::move(exchange));
  if (in_background) follower->queued();
  return follower;
}

}  // namespace pleiad::api::openai
