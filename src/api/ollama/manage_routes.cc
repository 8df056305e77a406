#include <algorithm>
#include <utility>
#include <vector>

#include "api/common/body_limits.h"
#include "api/ollama/errors.h"
#include "api/ollama/manage_request.h"
#include "api/ollama/route_groups.h"
#include "api/ollama/steps.h"

namespace pleiad::api::ollama {
namespace {

/// Nothing, unless there is something to warn of.
http::Response done(const std::vector<std::string>& warnings) {
  if (!warnings.empty()) return json_response({{"warnings", warnings}});
  http::Response response;
  response.content_type = "text/plain; charset=utf-8";
  return response;
}

void create(ApiContext& context, CreateBody body, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, body = std::move(body)] {
    store::Catalog& catalog = context.service.catalog();
    if (!body.model.from.empty()) {
      const auto from = catalog.find(body.model.from);
      if (!from) return exchange->respond(not_found(body.model.from, from.message()));
    }
    catalog.create(body.model);
    respond_with_steps(exchange, body.stream, {"reading model metadata", "writing manifest"},
                       body.warnings);
  });
}

void copy(ApiContext& context, CopyBody body, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, body = std::move(body)] {
    store::Catalog& catalog = context.service.catalog();
    const auto source = catalog.find(body.source);
    if (!source) return exchange->respond(not_found(body.source, source.message()));
    catalog.copy(body.source, body.destination);
    exchange->respond(done(body.warnings));
  });
}

/// What others own is refused untouched by the catalog. The model stays loaded where another name
/// stands for the same file.
void remove(ApiContext& context, NameBody body, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, body = std::move(body)] {
    store::Catalog& catalog = context.service.catalog();
    const auto entry = catalog.find(body.model);
    if (!entry) return exchange->respond(not_found(body.model, entry.message()));
    catalog.remove(body.model);
    const std::vector<store::ModelEntry> left = catalog.list();
    if (std::none_of(left.begin(), left.end(), [&](const store::ModelEntry& other) {
          return other.path == entry.value().path;
        })) {
      context.service.unload_file(entry.value().path);
    }
    exchange->respond(done(body.warnings));
  });
}

}  // namespace

void add_manage_routes(Routes& routes, ApiContext& context) {
  const auto add = [&](const char* method, const char* path, http::Handler handler) {
    routes.push_back({method, path, http::Scope::admin, std::move(handler)});
  };
  add("POST", "/api/create", [&context](const http::Request& request, Exchange exchange) {
    create(context, parse_create(request.body), std::move(exchange));
  });
  routes.back().max_body_bytes = kRecipeBodyBytes;
  add("POST", "/api/copy", [&context](const http::Request& request, Exchange exchange) {
    copy(context, parse_copy(request.body), std::move(exchange));
  });
  add("DELETE", "/api/delete", [&context](const http::Request& request, Exchange exchange) {
    remove(context, parse_name(request.body), std::move(exchange));
  });
}

}  // namespace pleiad::api::ollama
