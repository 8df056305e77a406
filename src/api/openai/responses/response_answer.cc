#include "api/openai/responses/response_answer.h"

#include <utility>

#include "api/common/request_json.h"
#include "api/common/service_status.h"
#include "api/common/stream_text.h"
#include "api/openai/answer_json.h"
#include "api/openai/openai_error.h"
#include "api/openai/responses/response_builder.h"

namespace pleiad::api::openai {
namespace {

using serving::AnswerDelta;
using serving::AnswerResult;
using serving::ServiceError;

/// A response while it is being made.
class ResponseFollower : public AnswerFollower {
 public:
  ResponseFollower(ResponseRequest request, ApiContext& context, KeepResponse keep_response,
                   std::shared_ptr<http::Exchange> exchange)
      : request_(std::move(request)),
        warnings_(request_.warnings, request_.answer.think.value_or(false)),
        context_(context),
        keep_response_(std::move(keep_response)),
        exchange_(std::move(exchange)),
        builder_(context.ids, request_.answer.sampling.n_logprobs.has_value(),
                 [this](std::string_view type, Json event) { send(type, std::move(event)); }),
        id_(context.ids.make("resp_", 48)),
        created_(unix_seconds(context.now())) {}

  void delta(std::size_t /*index*/, const AnswerDelta& delta) override {
    begin();
    warnings_.note(delta.event);
    builder_.delta(delta);
  }

  void done(std::size_t /*index*/, const AnswerResult& result) override { result_ = result; }

  void finished() override {
    begin();
    const bool complete = !is_cut_off();
    builder_.finish(complete);
    Json body = response(complete ? "completed" : "incomplete");
    if (complete) {
      body["completed_at"] = unix_seconds(context_.now());
    } else {
      body["incomplete_details"] = {{"reason", "max_output_tokens"}};
    }
    body["usage"] = usage();
    add_remarks(body, warnings_, result_);
    if (request_.store) keep(body);
    if (request_.stream) {
      end_stream(complete ? "response.completed" : "response.incomplete", std::move(body));
    } else {
      http::Response answer;
      answer.body = to_text(body);
      exchange_->respond(std::move(answer));
    }
  }

  void failed(const ServiceError& error) override {
    if (!has_begun_ || !request_.stream) return exchange_->respond(error_response(error));
    builder_.finish(false);
    Json body = response("failed");
    body["error"] = {{"code", http_status(error.code) < 500 ? "invalid_prompt" : "server_error"},
                     {"message", error.message}};
    end_stream("response.failed", std::move(body));
  }

 private:
  bool is_cut_off() const {
    return result_.reason == FinishReason::length || result_.reason == FinishReason::context_full;
  }

  void begin() {
    if (has_begun_) return;
    has_begun_ = true;
    if (!request_.stream) return;
    exchange_->begin(200, std::string(kEventStream), {{"Cache-Control", "no-cache"}});
    const Json body = response("in_progress");
    send("response.created", {{"response", body}});
    send("response.in_progress", {{"response", body}});
  }

  void send(std::string_view type, Json event) {
    if (!request_.stream) return;
    Json whole = {{"type", type}, {"sequence_number", n_sent_++}};
    whole.update(event);
    exchange_->write(sse_event(whole, type));
  }

  void end_stream(std::string_view type, Json body) {
    send(type, {{"response", std::move(body)}});
    exchange_->end();
  }

  Json response(std::string_view status) const {
    Json body = {{"id", id_},
                 {"object", "response"},
                 {"created_at", created_},
                 {"status", status},
                 {"completed_at", nullptr},
                 {"error", nullptr},
                 {"incomplete_details", nullptr},
                 {"model", request_.answer.model},
                 {"output", builder_.output()},
                 {"usage", nullptr}};
    body.update(request_.echo);
    return body;
  }

  Json usage() const {
    const std::int64_t input = result_.stats.prompt_tokens;
    const std::int64_t output = result_.stats.generated_tokens;
    Json thinking;  // null: not counted
    if (result_.thinking_tokens) thinking = *result_.thinking_tokens;
    if (!builder_.has_reasoning() && thinking.is_null()) thinking = 0;
    return {{"input_tokens", input},
            {"input_tokens_details",
             {{"cached_tokens", result_.stats.cached_tokens}, {"cache_write_tokens", 0}}},
            {"output_tokens", output},
            {"output_tokens_details", {{"reasoning_tokens", std::move(thinking)}}},
            {"total_tokens", input + output}};
  }

  void keep(const Json& body) {
    auto stored = std::make_shared<StoredResponse>();
    stored->id = id_;
    stored->body = to_text(body);
    stored->input_items = to_text(request_.input_items);
    stored->output_items = to_text(builder_.output());
    stored->previous = request_.previous;
    stored->n_turns = request_.previous ? request_.previous->n_turns + 1 : 1;
    keep_response_(std::move(stored));
  }

  ResponseRequest request_;
  AnswerWarnings warnings_;
  ApiContext& context_;
  KeepResponse keep_response_;
  std::shared_ptr<http::Exchange> exchange_;
  OutputBuilder builder_;
  std::string id_;
  std::int64_t created_;
  bool has_begun_ = false;
  int n_sent_ = 0;
  AnswerResult result_;
};

}  // namespace

std::unique_ptr<AnswerFollower> response_follower(ResponseRequest request, ApiContext& context,
                                                  KeepResponse keep,
                                                  std::shared_ptr<http::Exchange> exchange) {
  return std::make_unique<ResponseFollower>(std::move(request), context, std::move(keep),
                                            std::move(exchange));
}

}  // namespace pleiad::api::openai
