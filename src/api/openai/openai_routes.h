#pragma once

#include <cstddef>
#include <memory>

#include "api/common/context.h"
#include "http/router.h"

namespace pleiad::api::openai {

struct OpenAiOptions {
  std::size_t response_store_bytes = 64U
                                     << 20;  // of each key, for responses that it can go back to
  double response_seconds = 24 * 60 * 60.0;  // that they are kept at most
};

/// OpenAI's API: /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/responses
/// and /v1/models, which also answers Anthropic's clients in their form. `context`
/// must outlive the routes.
void add_openai_routes(http::Router& router, ApiContext& context,
                       const OpenAiOptions& options = {});

}  // namespace pleiad::api::openai
