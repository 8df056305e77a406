#include <fmt/format.h>

#include <utility>

#include "api/common/request_error.h"
#include "api/ollama/errors.h"
#include "api/ollama/manage_request.h"
#include "api/ollama/route_groups.h"
#include "api/ollama/steps.h"
#include "api/ollama/transfer_writer.h"
#include "base/text_format.h"

namespace pleiad::api::ollama {
namespace {

/// Leaves the transfer when the client goes away.
class LeavingTicket : public serving::Ticket {
 public:
  explicit LeavingTicket(std::shared_ptr<pull::Participation> part) : part_(std::move(part)) {}
  void cancel() override { part_->leave(); }

 private:
  std::shared_ptr<pull::Participation> part_;
};

pull::ModelReference parse_reference(const std::string& text) {
  auto reference = pull::ModelReference::parse(text);
  if (!reference) throw RequestError("model", reference.message());
  return std::move(reference).value();
}

http::Response not_allowed(const std::string& model, std::string_view done) {
  return error_response(
      403,
      fmt::format("model '{}' is not {}: this server neither fetches models nor sends them, since "
                  "it was started with --no-pull, or with --insecure and without keys",
                  printable(model, 200), done));
}

/// Made here, or in a store of others: there is nothing newer to ask for.
bool is_as_good_as_pulled(const store::ModelEntry& entry) {
  return entry.pulled.empty() && entry.source != store::Source::hugging_face;
}

void pull(ApiContext& context, NameBody body, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, body = std::move(body)] {
    const auto entry = context.service.catalog().find(body.model);
    const bool is_usable = entry && entry.value().problem.empty();
    if (is_usable && (!context.transfers || is_as_good_as_pulled(entry.value()))) {
      return respond_with_steps(exchange, body.stream, {"pulling manifest"}, body.warnings);
    }
    if (!context.transfers) return exchange->respond(not_allowed(body.model, "pulled"));
    const pull::ModelReference reference = parse_reference(body.model);
    if (reference.place == pull::Place::path) {
      throw RequestError("model", "is a path, which is nothing to pull");
    }
    const auto link = CancelLink::on(*exchange);
    auto writer = std::make_shared<TransferWriter>(exchange, link, body.stream, body.warnings);
    link->hold(std::make_shared<LeavingTicket>(
        context.transfers->pull(reference, body.insecure, std::move(writer))));
  });
}

void push(ApiContext& context, NameBody body, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, body = std::move(body)] {
    if (!context.transfers) return exchange->respond(not_allowed(body.model, "pushed"));
    const auto entry = context.service.catalog().find(body.model);
    if (!entry) return exchange->respond(not_found(body.model, entry.message()));
    if (!entry.value().problem.empty()) {
      return exchange->respond(error_response(400, entry.value().problem));
    }
    const pull::ModelReference reference = parse_reference(body.model);
    const auto link = CancelLink::on(*exchange);
    auto writer = std::make_shared<TransferWriter>(exchange, link, body.stream, body.warnings);
    link->hold(std::make_shared<LeavingTicket>(
        context.transfers->push(entry.value(), reference, body.insecure, std::move(writer))));
  });
}

}  // namespace

void add_transfer_routes(Routes& routes, ApiContext& context) {
  routes.push_back({"POST", "/api/pull", http::Scope::admin,
                    [&context](const http::Request& request, Exchange exchange) {
                      pull(context, parse_name(request.body), std::move(exchange));
                    }});
  routes.push_back({"POST", "/api/push", http::Scope::admin,
                    [&context](const http::Request& request, Exchange exchange) {
                      push(context, parse_name(request.body), std::move(exchange));
                    }});
}

}  // namespace pleiad::api::ollama
