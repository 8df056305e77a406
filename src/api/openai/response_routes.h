#pragma once

#include <string>

#include "api/openai/response_store.h"
#include "http/exchange.h"
#include "http/request.h"

namespace pleiad::api::openai {

/// GET /v1/responses/{id}
http::Response get_response(const http::Request& request, ResponseStore& store);
/// DELETE /v1/responses/{id}
http::Response delete_response(const http::Request& request, ResponseStore& store);
/// GET /v1/responses/{id}/input_items: those of its own turn.
http::Response list_input_items(const http::Request& request, ResponseStore& store);

}  // namespace pleiad::api::openai
