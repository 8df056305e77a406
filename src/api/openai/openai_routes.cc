#include "api/openai/openai_routes.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/answer_group.h"
#include "api/common/body_limits.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/request_owner.h"
#include "api/common/time_text.h"
#include "api/openai/chat_answer.h"
#include "api/openai/chat_request.h"
#include "api/openai/completion_answer.h"
#include "api/openai/embeddings.h"
#include "api/openai/model_routes.h"
#include "api/openai/openai_error.h"
#include "api/openai/responses/response_posts.h"
#include "api/openai/responses/response_routes.h"
#include "api/openai/transcriptions/transcribe.h"

namespace pleiad::api::openai {
namespace {

using ExchangePtr = std::shared_ptr<http::Exchange>;

/// Prompts of several answers are kept once for each.
constexpr std::size_t kMaxCopiedBytes = 64U << 20;

AnswerHead make_head(ApiContext& context, std::string_view id_prefix, const std::string& model) {
  return {context.ids.make(id_prefix), unix_seconds(context.now()), model,
          fmt::format("fp_pleiad_{}", context.service.version())};
}

void check_copies(const http::Request& request, std::size_t n_answers) {
  if (n_answers > 1 && request.body.size() * n_answers > kMaxCopiedBytes) {
    throw RequestError("n", "too many answers for a prompt of this size");
  }
}

void chat_completions(ApiContext& context, const http::Request& http, ExchangePtr exchange) {
  const ChatRequest request = [&] {
    ChatRequest read = read_chat_request(parse_request(http.body), context.spare_fields);
    set_owner(read.answer, http, context);
    return read;
  }();
  check_copies(http, static_cast<std::size_t>(request.n_choices));
  http::Exchange& out = *exchange;
  out.warn(request.warnings);
  auto follower = chat_follower(request, make_head(context, "chatcmpl-", request.answer.model),
                                std::move(exchange));
  follow_answers(context.service, one_for_each_choice(request.answer, request.n_choices), out,
                 std::move(follower));
}

void completions(ApiContext& context, const http::Request& http, ExchangePtr exchange) {
  CompletionRequest request =
      read_completion_request(parse_request(http.body), context.spare_fields);
  set_owner(request.answer, http, context);
  check_copies(http, static_cast<std::size_t>(request.n_choices));
  http::Exchange& out = *exchange;
  out.warn(request.warnings);
  auto follower = completion_follower(request, make_head(context, "cmpl-", request.answer.model),
                                      std::move(exchange));
  follow_answers(context.service, request.answers(), out, std::move(follower));
}

using KeptPtr = std::shared_ptr<KeptResponses>;

/// Of what is kept alone.
http::Handler kept_handler(KeptPtr kept,
                           http::Response (*handle)(const http::Request&, KeptResponses&)) {
  return
      [kept = std::move(kept), handle](const http::Request& request, const ExchangePtr& exchange) {
        exchange->respond(handle(request, *kept));
      };
}

/// Of what is asked of a model.
http::Handler response_handler(ApiContext& context, KeptPtr kept,
                               void (*handle)(ApiContext&, const KeptPtr&, const http::Request&,
                                              ExchangePtr)) {
  return [&context, kept = std::move(kept), handle](const http::Request& request,
                                                    ExchangePtr exchange) {
    handle(context, kept, request, std::move(exchange));
  };
}

http::Handler worded(http::Handler handler) {
  return [handler = std::move(handler)](http::Request request, ExchangePtr exchange) {
    try {
      handler(std::move(request), exchange);
    } catch (const RequestError& error) {
      exchange->respond(error_response(error));
    }
  };
}

std::uint64_t max_body_bytes(const http::Route& route) {
  if (route.method != "POST" || route.pattern == "/v1/responses/{id}/cancel") return 0;
  return route.pattern == "/v1/embeddings" ? kTextBodyBytes : kAnswerBodyBytes;
}

http::Response refusal(int status, const std::string& message) {
  return error_response(status, message);
}

}  // namespace

void add_openai_routes(http::Router& router, ApiContext& context, const OpenAiOptions& options) {
  auto kept = std::make_shared<KeptResponses>(
      StoreLimits{options.response_store_bytes, options.response_seconds});
  const auto add = [&](std::string method, std::string pattern, http::Handler handler,
                       bool heavy = false) {
    http::Route route;
    route.method = std::move(method);
    route.pattern = std::move(pattern);
    route.handler = worded(std::move(handler));
    route.on_error = refusal;
    route.heavy = heavy;
    route.max_body_bytes = max_body_bytes(route);
    router.add(std::move(route));
  };
  add("POST", "/v1/chat/completions", [&context](const http::Request& request, ExchangePtr out) {
    chat_completions(context, request, std::move(out));
  });
  add("POST", "/v1/completions", [&context](const http::Request& request, ExchangePtr out) {
    completions(context, request, std::move(out));
  });
  add("POST", "/v1/embeddings", [&context](const http::Request& request, ExchangePtr out) {
    EmbeddingsRequest read =
        read_embeddings_request(parse_request(request.body), context.spare_fields);
    out->warn(read.warnings);
    answer_embeddings(context.service, std::move(read), std::move(out));
  });
  for (const bool translates : {false, true}) {
    add("POST", translates ? "/v1/audio/translations" : "/v1/audio/transcriptions",
        [&context, translates](const http::Request& request, ExchangePtr out) {
          TranscriptionRequest read =
              read_transcription_request(request.body, request.header("content-type").value_or(""),
                                         translates, context.spare_fields);
          set_owner(read.answer, request, context);
          transcribe(context.service, std::move(read), std::move(out));
        });
  }
  // They read the stored conversation, which may be long.
  constexpr bool kHeavy = true;
  add("POST", "/v1/responses", response_handler(context, kept, create_response), kHeavy);
  add("POST", "/v1/responses/input_tokens", response_handler(context, kept, count_input_tokens),
      kHeavy);
  add("POST", "/v1/responses/compact", response_handler(context, kept, compact_response), kHeavy);
  add("GET", "/v1/responses/{id}", kept_handler(kept, get_response), kHeavy);
  add("DELETE", "/v1/responses/{id}", kept_handler(kept, delete_response));
  add("POST", "/v1/responses/{id}/cancel", kept_handler(kept, cancel_response), kHeavy);
  add("GET", "/v1/responses/{id}/input_items", kept_handler(kept, list_input_items), kHeavy);
  add("GET", "/v1/models", [&context](http::Request request, ExchangePtr out) {
    list_models(context, std::move(request), std::move(out));
  });
  add("GET", "/v1/models/{id...}", [&context](http::Request request, ExchangePtr out) {
    show_model(context, std::move(request), std::move(out));
  });
}

}  // namespace pleiad::api::openai
