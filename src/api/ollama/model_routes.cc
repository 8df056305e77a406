#include <utility>

#include "api/ollama/errors.h"
#include "api/ollama/manage_request.h"
#include "api/ollama/model_json.h"
#include "api/ollama/route_groups.h"

namespace pleiad::api::ollama {
namespace {

void tags(ApiContext& context, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange] {
    Json models = Json::array();
    for (const store::ModelEntry& entry : context.service.catalog().list()) {
      models.push_back(tag_json(entry));
    }
    exchange->respond(json_response({{"models", std::move(models)}}));
  });
}

void show(ApiContext& context, NameBody body, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, body = std::move(body)] {
    const auto entry = context.service.catalog().find(body.model);
    if (!entry) return exchange->respond(not_found(body.model, entry.message()));
    const std::string modelfile = store::to_modelfile(entry.value());
    exchange->respond(
        json_response(show_json(entry.value(), modelfile, body.verbose, body.warnings)));
  });
}

}  // namespace

void add_model_routes(Routes& routes, ApiContext& context) {
  routes.push_back({"GET", "/api/tags", http::Scope::use,
                    [&context](const http::Request& /*request*/, Exchange exchange) {
                      tags(context, std::move(exchange));
                    }});
  routes.push_back({"POST", "/api/show", http::Scope::use,
                    [&context](const http::Request& request, Exchange exchange) {
                      show(context, parse_name(request.body), std::move(exchange));
                    }});
  routes.push_back({"GET", "/api/ps", http::Scope::use,
                    [&context](const http::Request& /*request*/, const Exchange& exchange) {
                      exchange->respond(
                          json_response(loaded_json(context.service.loaded(), context.now())));
                    }});
}

}  // namespace pleiad::api::ollama
