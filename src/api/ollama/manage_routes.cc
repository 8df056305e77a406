#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "api/common/body_limits.h"
#include "api/common/stream_text.h"
#include "api/ollama/errors.h"
#include "api/ollama/manage_request.h"
#include "api/ollama/route_groups.h"
#include "base/text_format.h"

namespace pleiad::api::ollama {
namespace {

/// The steps of what has been done, line by line; "success" is the last.
void respond_with_steps(const Exchange& exchange, bool stream,
                        std::initializer_list<const char*> steps,
                        const std::vector<std::string>& warnings = {}) {
  Json last = {{"status", "success"}};
  if (!warnings.empty()) last["warnings"] = warnings;
  if (!stream) return exchange->respond(json_response(last));
  exchange->begin(200, std::string(kNdjson));
  for (const char* step : steps) exchange->write(ndjson_line({{"status", step}}));
  exchange->write(ndjson_line(last));
  exchange->end();
}

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

/// Nothing is downloaded; a model at hand is as good as pulled.
void pull(ApiContext& context, NameBody body, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, body = std::move(body)] {
    const auto entry = context.service.catalog().find(body.model);
    if (entry)
      return respond_with_steps(exchange, body.stream, {"pulling manifest"}, body.warnings);
    exchange->respond(error_response(
        404, fmt::format("model '{}' is not on this machine, and Pleiad downloads nothing: fetch "
                         "it with `ollama pull` or `hf download`, which are read in place, or "
                         "name a file; `pleiad list` shows what is there",
                         printable(body.model, 200))));
  });
}

void push(const NameBody& body, const Exchange& exchange) {
  exchange->respond(error_response(
      400, fmt::format("model '{}' cannot be pushed: Pleiad sends nothing to other machines; "
                       "`pleiad show --modelfile` prints what would make the model elsewhere",
                       printable(body.model, 200))));
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
  add("POST", "/api/pull", [&context](const http::Request& request, Exchange exchange) {
    pull(context, parse_name(request.body), std::move(exchange));
  });
  add("POST", "/api/push", [](const http::Request& request, const Exchange& exchange) {
    push(parse_name(request.body), exchange);
  });
}

}  // namespace pleiad::api::ollama
