#pragma once

#include <memory>

#include "api/common/context.h"
#include "http/exchange.h"
#include "http/request.h"

namespace pleiad::api::openai {

/// GET /v1/models and /v1/models/{id...}, which both APIs have: Anthropic's form for
/// clients that send `anthropic-version`. They read the disk, on the context's worker.
void list_models(ApiContext& context, http::Request request,
                 std::shared_ptr<http::Exchange> exchange);
void show_model(ApiContext& context, http::Request request,
                std::shared_ptr<http::Exchange> exchange);

}  // namespace pleiad::api::openai
