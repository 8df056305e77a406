#include <utility>

#include "api/common/body_limits.h"
#include "api/common/media_json.h"
#include "api/common/request_owner.h"
#include "api/ollama/answer_request.h"
#include "api/ollama/answer_writer.h"
#include "api/ollama/errors.h"
#include "api/ollama/route_groups.h"

namespace pleiad::api::ollama {
namespace {

using serving::Service;
using serving::ServiceError;

/// The answer to a request that only loads or unloads.
Json loaded_answer(const AnswerForm& form, std::string_view reason) {
  Json answer = empty_answer(form);
  answer["done"] = true;
  answer["done_reason"] = reason;
  if (!form.warnings.empty()) answer["warnings"] = form.warnings;
  return answer;
}

void load(Service& service, const AnswerBody& body, Exchange exchange, AnswerForm form) {
  service.load(body.request.model, body.request.keep_alive,
               [exchange, form](const std::variant<Service::Loaded, ServiceError>& outcome) {
                 if (const auto* error = std::get_if<ServiceError>(&outcome)) {
                   return exchange->respond(error_response(*error, form.model));
                 }
                 Json answer = loaded_answer(form, "load");
                 answer["load_duration"] =
                     nanoseconds(std::get<Service::Loaded>(outcome).load_seconds);
                 exchange->respond(json_response(answer));
               });
}

void unload(Service& service, const AnswerBody& body, Exchange exchange, AnswerForm form) {
  service.unload(body.request.model,
                 [exchange, form](const std::variant<Service::Unloaded, ServiceError>& outcome) {
                   if (const auto* error = std::get_if<ServiceError>(&outcome)) {
                     return exchange->respond(error_response(*error, form.model));
                   }
                   exchange->respond(json_response(loaded_answer(form, "unload")));
                 });
}

void render(Service& service, AnswerBody body, Exchange exchange, AnswerForm form) {
  const auto link = CancelLink::on(*exchange);
  link->hold(service.render(
      std::move(body.request),
      [exchange, link, form](const std::variant<Service::Rendering, ServiceError>& outcome) {
        link->release();
        if (const auto* error = std::get_if<ServiceError>(&outcome)) {
          return exchange->respond(error_response(*error, form.model));
        }
        const auto& rendering = std::get<Service::Rendering>(outcome);
        Json answer = empty_answer(form);
        answer["done"] = true;
        answer["_debug_info"] = {{"rendered_template", rendering.text},
                                 {"prompt_tokens", rendering.tokens}};
        if (Json media = media_json(rendering.media); !media.is_null()) {
          answer["media"] = std::move(media);
        }
        std::vector<std::string> warnings = form.warnings;
        warnings.insert(warnings.end(), rendering.warnings.begin(), rendering.warnings.end());
        if (!warnings.empty()) answer["warnings"] = std::move(warnings);
        exchange->respond(json_response(answer));
      }));
}

void answer(Service& service, AnswerBody body, Exchange exchange, AnswerForm form) {
  const auto link = CancelLink::on(*exchange);
  auto writer = std::make_shared<AnswerWriter>(std::move(exchange), link, std::move(form));
  link->hold(service.answer(std::move(body.request), std::move(writer)));
}

void serve(ApiContext& context, AnswerBody body, bool chat, const http::Request& request,
           Exchange exchange) {
  set_owner(body.request, request, context);
  exchange->warn(body.warnings);
  AnswerForm form{chat,
                  body.stream,
                  body.reports_drops,
                  body.request.think.value_or(false),
                  body.request.model,
                  std::move(body.warnings),
                  context.now};
  Service& service = context.service;
  switch (body.kind) {
    case AnswerBody::Kind::answer:
      return answer(service, std::move(body), std::move(exchange), std::move(form));
    case AnswerBody::Kind::load:
      return load(service, body, std::move(exchange), std::move(form));
    case AnswerBody::Kind::unload:
      return unload(service, body, std::move(exchange), std::move(form));
    case AnswerBody::Kind::render:
      return render(service, std::move(body), std::move(exchange), std::move(form));
  }
}

}  // namespace

void add_answer_routes(Routes& routes, ApiContext& context) {
  routes.push_back({"POST",
                    "/api/generate",
                    http::Scope::use,
                    [&context](const http::Request& request, Exchange exchange) {
                      serve(context, parse_generate(request.body), false, request,
                            std::move(exchange));
                    },
                    {},
                    kAnswerBodyBytes});
  routes.push_back({"POST",
                    "/api/chat",
                    http::Scope::use,
                    [&context](const http::Request& request, Exchange exchange) {
                      serve(context, parse_chat(request.body), true, request, std::move(exchange));
                    },
                    {},
                    kAnswerBodyBytes});
}

}  // namespace pleiad::api::ollama
