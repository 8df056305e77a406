#include "api/openai/responses/response_posts.h"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "api/common/cancel_link.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/request_owner.h"
#include "api/openai/openai_error.h"
#include "api/openai/responses/compaction.h"
#include "api/openai/responses/response_answer.h"

namespace pleiad::api::openai {
namespace {

using ExchangePtr = std::shared_ptr<http::Exchange>;
using KeptPtr = std::shared_ptr<KeptResponses>;

/// For what the end of a response without output adds to it: its error.
constexpr std::size_t kRoomToEnd = 4096;

ResponseRequest read_asked(ApiContext& context, KeptResponses& kept, const http::Request& http,
                           ResponseUse use) {
  const KeptBefore before = {
      [&](const std::string& id) {
        if (kept.background.find(http.caller, id)) {
          throw RequestError("previous_response_id",
                             fmt::format("the response {} is still being made", describe(Json(id))),
                             "previous_response_not_found");
        }
        return kept.stores.find(http.caller, id);
      },
      [&](const std::string& id) { return kept.stores.find_item(http.caller, id); }};
  ResponseRequest request = read_response_request(parse_request(http.body), before, context.ids,
                                                  context.spare_fields, use);
  set_owner(request.answer, http, context);
  return request;
}

/// The question is handed on; the rest is what words the answer.
std::vector<serving::AnswerRequest> take_question(ResponseRequest& request) {
  std::vector<serving::AnswerRequest> questions;
  questions.push_back(request.answer);
  request.answer.messages = Json();
  request.answer.media.clear();
  request.answer.tools = Json();
  return questions;
}

void answer_in_background(ApiContext& context, const KeptPtr& kept, const http::Request& http,
                          ResponseRequest request, const ResponseHead& head,
                          const ExchangePtr& exchange) {
  const Json queued = response_json(head, request, "queued", Json::array());
  StoredResponse draft = stored_response(request, queued);
  if (!kept->stores.fits(draft, kRoomToEnd)) {
    throw RequestError("background",
                       "what is asked, with the conversation before it, is larger than all that is "
                       "kept: nobody could fetch the answer");
  }
  auto place = std::make_shared<BackgroundPlace>(kept, exchange);
  const auto made = place->begin(http.caller.key, std::move(draft));
  if (!made) {
    return exchange->respond(error_response(
        429,
        fmt::format("background: at most {} responses, of limited size together, may be under way",
                    BackgroundResponses::kMostOfKey),
        "background", "rate_limit_exceeded"));
  }
  ResponseKeeper keeper;
  keeper.in_progress = [made](std::string body) { made->progress(std::move(body)); };
  keeper.fits = [kept](const StoredResponse& ended) { return kept->stores.fits(ended); };
  keeper.keep = [place = std::move(place)](StoredResponse ended) { place->end(std::move(ended)); };
  const bool streams = request.stream;
  std::vector<serving::AnswerRequest> questions = take_question(request);
  auto follower = response_follower(std::move(request), head, context, std::move(keeper),
                                    streams ? exchange : nullptr);
  made->on_cancel(follow_detached(context.service, std::move(questions), std::move(follower)));
  if (streams) return;
  http::Response response;
  response.body = to_text(queued);
  exchange->respond(std::move(response));
}

}  // namespace

void create_response(ApiContext& context, const KeptPtr& kept, const http::Request& http,
                     ExchangePtr exchange) {
  ResponseRequest request = read_asked(context, *kept, http, ResponseUse::answer);
  exchange->warn(request.warnings);
  const ResponseHead head = {context.ids.make("resp_", 48), unix_seconds(context.now())};
  if (request.background) {
    return answer_in_background(context, kept, http, std::move(request), head, exchange);
  }
  ResponseKeeper keeper;
  keeper.fits = [kept](const StoredResponse& ended) { return kept->stores.fits(ended); };
  keeper.keep = [kept, key = http.caller.key](StoredResponse ended) {
    kept->stores.add(key, std::make_shared<StoredResponse>(std::move(ended)));
  };
  http::Exchange& out = *exchange;
  std::vector<serving::AnswerRequest> questions = take_question(request);
  follow_answers(
      context.service, std::move(questions), out,
      response_follower(std::move(request), head, context, std::move(keeper), std::move(exchange)));
}

void count_input_tokens(ApiContext& context, const KeptPtr& kept, const http::Request& http,
                        ExchangePtr exchange) {
  ResponseRequest request = read_asked(context, *kept, http, ResponseUse::count);
  exchange->warn(request.warnings);
  using Count = serving::Service::TokenCount;
  const auto link = CancelLink::on(*exchange);
  link->hold(context.service.count_tokens(
      std::move(request.answer),
      [exchange = std::move(exchange), link, warnings = std::move(request.warnings)](
          const std::variant<Count, serving::ServiceError>& outcome) {
        link->release();
        if (const auto* error = std::get_if<serving::ServiceError>(&outcome)) {
          return exchange->respond(error_response(*error));
        }
        Json body = {{"object", "response.input_tokens"},
                     {"input_tokens", std::get<Count>(outcome).tokens}};
        if (!warnings.empty()) body["warnings"] = warnings;
        http::Response response;
        response.body = to_text(body);
        exchange->respond(std::move(response));
      }));
}

void compact_response(ApiContext& context, const KeptPtr& kept, const http::Request& http,
                      ExchangePtr exchange) {
  ResponseRequest request = read_asked(context, *kept, http, ResponseUse::compaction);
  ask_for_summary(request);
  exchange->warn(request.warnings);
  http::Exchange& out = *exchange;
  std::vector<serving::AnswerRequest> questions = take_question(request);
  follow_answers(context.service, std::move(questions), out,
                 compaction_follower(std::move(request), context, std::move(exchange)));
}

}  // namespace pleiad::api::openai
