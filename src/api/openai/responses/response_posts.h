#pragma once

#include <memory>

#include "api/common/context.h"
#include "api/openai/responses/kept_responses.h"
#include "http/exchange.h"
#include "http/request.h"

namespace pleiad::api::openai {

/// POST /v1/responses. This and the following throw RequestError.
void create_response(ApiContext& context, const std::shared_ptr<KeptResponses>& kept,
                     const http::Request& http, std::shared_ptr<http::Exchange> exchange);
/// POST /v1/responses/input_tokens: how many tokens the prompt of such a response would have.
void count_input_tokens(ApiContext& context, const std::shared_ptr<KeptResponses>& kept,
                        const http::Request& http, std::shared_ptr<http::Exchange> exchange);
/// POST /v1/responses/compact: the messages of the user, and the model's summary of all the rest.
void compact_response(ApiContext& context, const std::shared_ptr<KeptResponses>& kept,
                      const http::Request& http, std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
