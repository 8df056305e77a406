#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "api/common/body_limits.h"
#include "api/common/cancel_link.h"
#include "api/ollama/embed_request.h"
#include "api/ollama/errors.h"
#include "api/ollama/route_groups.h"
#include "base/error.h"

namespace pleiad::api::ollama {
namespace {

using serving::EmbedResult;
using serving::Service;
using serving::ServiceError;

/// The double whose shortest text is the float's: "0.1", not "0.10000000149011612".
double shortest(float value) {
  char text[32];
  const auto written = std::to_chars(std::begin(text), std::end(text), value);
  double result = 0;
  std::from_chars(text, written.ptr, result);
  return result;
}

Json vector_json(std::span<const float> values) {
  Json list = Json::array();
  for (const float value : values) {
    if (!std::isfinite(value)) throw InternalError("an embedding is not finite");
    list.push_back(shortest(value));
  }
  return list;
}

Json embed_json(const EmbedBody& body, const EmbedResult& result) {
  Json embeddings = Json::array();
  for (const auto& values : result.embeddings) embeddings.push_back(vector_json(values));
  Json json = {{"model", body.request.model},
               {"embeddings", std::move(embeddings)},
               {"total_duration", nanoseconds(result.total_seconds)},
               {"load_duration", nanoseconds(result.load_seconds)},
               {"prompt_eval_count", result.prompt_tokens}};
  if (body.request.truncate) json["truncated_inputs"] = result.truncated_inputs;
  if (!body.warnings.empty()) json["warnings"] = body.warnings;
  return json;
}

/// The old endpoint's: one vector.
Json embedding_json(const EmbedBody& body, const EmbedResult& result) {
  Json json = {{"embedding", Json::array()}};
  if (!result.embeddings.empty()) json["embedding"] = vector_json(result.embeddings[0]);
  if (!body.warnings.empty()) json["warnings"] = body.warnings;
  return json;
}

using Wording = Json (*)(const EmbedBody& body, const EmbedResult& result);

/// Long lists of numbers become text on the worker, not on the caller's thread.
void respond(ApiContext& context, const Exchange& exchange, EmbedBody body, EmbedResult result,
             Wording wording) {
  on_worker(context, exchange,
            [exchange, wording, body = std::move(body), result = std::move(result)] {
              exchange->respond(json_response(wording(body, result)));
            });
}

void load_embedder(ApiContext& context, EmbedBody body, Exchange exchange, Wording wording) {
  const std::string model = body.request.model;
  const auto keep_alive = body.request.keep_alive;
  context.service.load(model, keep_alive,
                       [&context, exchange, wording, body = std::move(body)](
                           const std::variant<Service::Loaded, ServiceError>& outcome) {
                         if (const auto* error = std::get_if<ServiceError>(&outcome)) {
                           return exchange->respond(error_response(*error, body.request.model));
                         }
                         EmbedResult nothing;
                         nothing.load_seconds = std::get<Service::Loaded>(outcome).load_seconds;
                         nothing.total_seconds = nothing.load_seconds;
                         respond(context, exchange, body, std::move(nothing), wording);
                       });
}

void serve_embeddings(ApiContext& context, EmbedBody body, std::string id, Exchange exchange,
                      Wording wording) {
  exchange->warn(body.warnings);
  if (body.request.inputs.empty()) {
    return load_embedder(context, std::move(body), std::move(exchange), wording);
  }
  serving::EmbedRequest request = body.request;
  body.request.inputs.clear();
  request.id = std::move(id);
  const auto link = CancelLink::on(*exchange);
  link->hold(context.service.embed(
      std::move(request), [&context, exchange, wording, link, body = std::move(body)](
                              std::variant<EmbedResult, ServiceError> outcome) {
        link->release();
        if (const auto* error = std::get_if<ServiceError>(&outcome)) {
          return exchange->respond(error_response(*error, body.request.model));
        }
        respond(context, exchange, body, std::get<EmbedResult>(std::move(outcome)), wording);
      }));
}

}  // namespace

void add_embed_routes(Routes& routes, ApiContext& context) {
  routes.push_back({"POST",
                    "/api/embed",
                    http::Scope::use,
                    [&context](http::Request request, Exchange exchange) {
                      serve_embeddings(context, parse_embed(request.body), std::move(request.id),
                                       std::move(exchange), embed_json);
                    },
                    {},
                    kTextBodyBytes});
  routes.push_back({"POST",
                    "/api/embeddings",
                    http::Scope::use,
                    [&context](http::Request request, Exchange exchange) {
                      serve_embeddings(context, parse_embeddings(request.body),
                                       std::move(request.id), std::move(exchange), embedding_json);
                    },
                    {},
                    kTextBodyBytes});
}

}  // namespace pleiad::api::ollama
