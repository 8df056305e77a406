#include "api/ollama/routes.h"

#include <utility>

#include "api/common/request_error.h"
#include "api/ollama/errors.h"
#include "api/ollama/route_groups.h"
#include "base/error.h"

namespace pleiad::api::ollama {
namespace {

http::Response running_line() {
  http::Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = "Ollama is running";
  response.headers = {{"Vary", "Accept"}};
  return response;
}

bool wants_page(const http::Request& request) {
  const auto accept = request.header("accept");
  return request.method == "GET" && accept && accept->find("text/html") != accept->npos;
}

http::Route home(http::Handler page) {
  return {"GET", "/", http::Scope::open,
          [page = std::move(page)](http::Request request, Exchange exchange) {
            if (page && wants_page(request)) return page(std::move(request), std::move(exchange));
            exchange->respond(running_line());
          }};
}

http::Route version(std::string theirs, std::string ours) {
  return {"GET", "/api/version", http::Scope::use,
          [body = Json{{"version", std::move(theirs)}, {"pleiad", std::move(ours)}}](
              const http::Request& /*request*/, const Exchange& exchange) {
            exchange->respond(json_response(body));
          }};
}

/// A RequestError as the other errors of this API: with its code and field.
http::Handler with_fields(http::Handler handler) {
  return [handler = std::move(handler)](http::Request request, const Exchange& exchange) {
    try {
      handler(std::move(request), exchange);
    } catch (const RequestError& error) {
      exchange->respond(error_response(error));
    }
  };
}

}  // namespace

void on_worker(ApiContext& context, Exchange exchange, std::function<void()> task) {
  context.worker.post([exchange = std::move(exchange), task = std::move(task)] {
    try {
      task();
    } catch (const RequestError& error) {
      exchange->respond(error_response(error));
    } catch (const Error& error) {
      exchange->respond(error_response(400, error.what()));
    } catch (const std::exception&) {
      exchange->respond(error_response(500, "internal error"));
    }
  });
}

std::vector<http::Route> ollama_routes(ApiContext& context, OllamaOptions options) {
  Routes routes;
  routes.push_back(home(std::move(options.page)));
  routes.push_back(version(std::move(options.version), context.service.version()));
  add_answer_routes(routes, context);
  add_embed_routes(routes, context);
  add_page_routes(routes, context);
  add_model_routes(routes, context);
  add_manage_routes(routes, context);
  add_transfer_routes(routes, context);
  add_blob_routes(routes, context);
  add_account_routes(routes);
  for (http::Route& route : routes) route.handler = with_fields(std::move(route.handler));
  return routes;
}

}  // namespace pleiad::api::ollama
