#pragma once

#include <string>

#include "api/openai/responses/kept_responses.h"
#include "http/exchange.h"
#include "http/request.h"

namespace pleiad::api::openai {

/// GET /v1/responses/{id}. What another key keeps is not found, as what nobody does.
http::Response get_response(const http::Request& request, KeptResponses& kept);
/// DELETE /v1/responses/{id}: one that is still being made is cancelled.
http::Response delete_response(const http::Request& request, KeptResponses& kept);
/// POST /v1/responses/{id}/cancel: of one in the background, which ends without output. One that
/// has been cancelled already is given once more.
http::Response cancel_response(const http::Request& request, KeptResponses& kept);
/// GET /v1/responses/{id}/input_items: those of its own turn.
http::Response list_input_items(const http::Request& request, KeptResponses& kept);

}  // namespace pleiad::api::openai
