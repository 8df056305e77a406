#include "api/openai/responses/compaction.h"

#include <string>
#include <utility>

#include "api/common/answer_warnings.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/answer_json.h"
#include "api/openai/openai_error.h"
#include "api/openai/responses/compaction_item.h"
#include "api/openai/responses/response_json.h"

namespace pleiad::api::openai {
namespace {

using serving::AnswerDelta;
using serving::AnswerResult;
using serving::ServiceError;

constexpr std::int64_t kSummaryTokens = 2'048;
constexpr const char* kAskForSummary =
    "Stop here and write a summary of this conversation for somebody who has to go on with it and "
    "will see nothing of it but my messages and your summary. Say what I want, what has been done "
    "and found out (with the names of files, commands, values and decisions that matter), what "
    "was tried and failed, and what remains to be done next. Call no tools. Write the summary and "
    "nothing else.";

class CompactionFollower : public AnswerFollower {
 public:
  CompactionFollower(ResponseRequest request, ApiContext& context,
                     std::shared_ptr<http::Exchange> exchange)
      : request_(std::move(request)),
        warnings_(request_.warnings, false),
        context_(context),
        exchange_(std::move(exchange)) {}

  void delta(std::size_t /*index*/, const AnswerDelta& delta) override {
    warnings_.note(delta.event);
    if (is_content(delta.event)) summary_ += delta.event.text;
  }

  void done(std::size_t /*index*/, const AnswerResult& result) override { result_ = result; }

  void finished() override {
    if (summary_.find_first_not_of(" \n") == std::string::npos) {
      return exchange_->respond(
          error_response(422, "the model wrote no summary: go on with the conversation as it is"));
    }
    if (finish_reason(result_) == "length") {
      result_.warnings.emplace_back("the summary was cut off: it had become too long");
    }
    Json output = std::move(request_.user_items);
    output.push_back(compaction_item(context_.ids.make("cmp_"), summary_));
    Json body = {{"id", context_.ids.make("resp_", 48)},
                 {"object", "response.compaction"},
                 {"created_at", unix_seconds(context_.now())},
                 {"output", std::move(output)},
                 {"usage", usage_json(result_, false)}};
    add_warnings(body, warnings_.all(result_));
    add_remarks(body, result_);
    http::Response response;
    response.body = to_text(body);
    exchange_->respond(std::move(response));
  }

  void failed(const ServiceError& error) override { exchange_->respond(error_response(error)); }

 private:
  ResponseRequest request_;
  AnswerWarnings warnings_;
  ApiContext& context_;
  std::shared_ptr<http::Exchange> exchange_;
  std::string summary_;
  AnswerResult result_;
};

}  // namespace

void ask_for_summary(ResponseRequest& request) {
  if (request.stream) throw RequestError("stream", "not supported: a compaction comes as one body");
  if (request.background) {
    throw RequestError("background", "not supported: a compaction is given to who waits for it");
  }
  serving::AnswerRequest& answer = request.answer;
  answer.messages.push_back({{"role", "user"}, {"content", kAskForSummary}});
  answer.tools = Json::array();
  answer.tool_choice = {};
  answer.format.reset();
  answer.think = false;
  answer.sampling.n_logprobs.reset();
  answer.truncate = true;
  if (!answer.max_tokens) answer.max_tokens = kSummaryTokens;
}

std::unique_ptr<AnswerFollower> compaction_follower(ResponseRequest request, ApiContext& context,
                                                    std::shared_ptr<http::Exchange> exchange) {
  return std::make_unique<CompactionFollower>(std::move(request), context, std::move(exchange));
}

}  // namespace pleiad::api::openai
