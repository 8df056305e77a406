#include "api/openai/model_routes.h"

#include <exception>
#include <utility>

#include "api/anthropic/anthropic_error.h"
#include "api/anthropic/models.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/openai/models.h"
#include "api/openai/openai_error.h"

namespace pleiad::api::openai {
namespace {

using ExchangePtr = std::shared_ptr<http::Exchange>;

bool is_anthropic(const http::Request& request) {
  return request.header("anthropic-version").has_value();
}

http::Response error(const http::Request& request, int status, const std::string& message,
                     std::string_view param, std::string_view code) {
  return is_anthropic(request) ? anthropic::error_response(status, message, request.id)
                               : error_response(status, message, param, code);
}

http::Response ok(const Json& body) {
  http::Response response;
  response.body = to_text(body);
  return response;
}

http::Response list(ApiContext& context, const http::Request& request) {
  const std::vector<store::ModelEntry> entries = context.service.catalog().list();
  return ok(is_anthropic(request) ? anthropic::model_list(entries, request.query)
                                  : model_list(entries));
}

http::Response show(ApiContext& context, const http::Request& request) {
  const Result<store::ModelEntry> entry = context.service.catalog().find(request.arguments.at(0));
  if (!entry) return error(request, 404, entry.message(), "model", "model_not_found");
  // Such a model is in no list either.
  if (const std::string& problem = entry.value().problem; !problem.empty()) {
    return error(request, 404, problem, "model", "model_not_found");
  }
  return ok(is_anthropic(request) ? anthropic::model_json(entry.value())
                                  : model_json(entry.value()));
}

using Handle = http::Response (*)(ApiContext&, const http::Request&);

void handle_on_worker(ApiContext& context, http::Request request, ExchangePtr exchange,
                      Handle handle) {
  // Shared: a task can be copied, a request cannot.
  auto shared = std::make_shared<http::Request>(std::move(request));
  context.worker.post([&context, shared, exchange = std::move(exchange), handle] {
    try {
      exchange->respond(handle(context, *shared));
    } catch (const RequestError& problem) {
      exchange->respond(error(*shared, 400, problem.what(), problem.field(), problem.code()));
    } catch (const std::exception&) {
      exchange->respond(error(*shared, 500, "the models could not be read", {}, {}));
    }
  });
}

}  // namespace

void list_models(ApiContext& context, http::Request request, ExchangePtr exchange) {
  handle_on_worker(context, std::move(request), std::move(exchange), list);
}

void show_model(ApiContext& context, http::Request request, ExchangePtr exchange) {
  handle_on_worker(context, std::move(request), std::move(exchange), show);
}

}  // namespace pleiad::api::openai
