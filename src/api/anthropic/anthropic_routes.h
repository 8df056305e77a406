#pragma once

#include "api/common/context.h"
#include "http/router.h"

namespace pleiad::api::anthropic {

/// Anthropic's API: /v1/messages and /v1/messages/count_tokens; /v1/models stands with
/// OpenAI's. `context` must outlive the routes.
void add_anthropic_routes(http::Router& router, ApiContext& context);

}  // namespace pleiad::api::anthropic
