#pragma once

#include <string>

#include "api/openai/responses/response_stores.h"
#include "http/exchange.h"
#include "http/request.h"

namespace pleiad::api::openai {

/// GET /v1/responses/{id}. What another key keeps is not found, as what nobody does.
http::Response get_response(const http::Request& request, ResponseStores& stores);
/// DELETE /v1/responses/{id}
http::Response delete_response(const http::Request& request, ResponseStores& stores);
/// GET /v1/responses/{id}/input_items: those of its own turn.
http::Response list_input_items(const http::Request& request, ResponseStores& stores);

}  // namespace pleiad::api::openai
