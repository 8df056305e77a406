#include "api/anthropic/anthropic_routes.h"

#include <utility>
#include <variant>

#include "api/anthropic/anthropic_error.h"
#include "api/anthropic/messages_answer.h"
#include "api/anthropic/messages_request.h"
#include "api/common/answer_group.h"
#include "api/common/body_limits.h"
#include "api/common/cancel_link.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/request_owner.h"

namespace pleiad::api::anthropic {
namespace {

using ExchangePtr = std::shared_ptr<http::Exchange>;

void messages(ApiContext& context, const http::Request& http, ExchangePtr exchange) {
  MessagesRequest request = read_messages_request(parse_request(http.body), context.spare_fields);
  set_owner(request.answer, http, context);
  http::Exchange& out = *exchange;
  out.warn(request.warnings);
  auto follower = messages_follower(request, context.ids.make("msg_"), std::move(exchange));
  std::vector<serving::AnswerRequest> answers;
  answers.push_back(std::move(request.answer));
  follow_answers(context.service, std::move(answers), out, std::move(follower));
}

void count_tokens(ApiContext& context, const http::Request& http, ExchangePtr exchange) {
  MessagesRequest request = read_count_request(parse_request(http.body), context.spare_fields);
  exchange->warn(request.warnings);
  set_owner(request.answer, http, context);
  using Count = serving::Service::TokenCount;
  const auto link = CancelLink::on(*exchange);
  link->hold(context.service.count_tokens(
      std::move(request.answer),
      [exchange = std::move(exchange), link, id = http.id,
       warnings = request.warnings](const std::variant<Count, serving::ServiceError>& outcome) {
        link->release();
        if (const auto* error = std::get_if<serving::ServiceError>(&outcome)) {
          return exchange->respond(error_response(*error, id));
        }
        http::Response response;
        Json body = {{"input_tokens", std::get<Count>(outcome).tokens}};
        if (!warnings.empty()) body["warnings"] = warnings;
        response.body = to_text(body);
        exchange->respond(std::move(response));
      }));
}

}  // namespace

void add_anthropic_routes(http::Router& router, ApiContext& context) {
  const auto add = [&](std::string pattern, std::uint64_t max_body_bytes,
                       void (*handle)(ApiContext&, const http::Request&, ExchangePtr)) {
    http::Route route;
    route.method = "POST";
    route.pattern = std::move(pattern);
    route.max_body_bytes = max_body_bytes;
    route.handler = [&context, handle](const http::Request& request, ExchangePtr exchange) {
      try {
        handle(context, request, exchange);
      } catch (const RequestError& error) {
        exchange->respond(error_response(error, request.id));
      }
    };
    route.on_error = [](int status, const std::string& message) {
      return error_response(status, message);
    };
    router.add(std::move(route));
  };
  add("/v1/messages", kAnswerBodyBytes, messages);
  add("/v1/messages/count_tokens", kAnswerBodyBytes, count_tokens);
}

}  // namespace pleiad::api::anthropic
