#pragma once

#include <string>

#include "base/json.h"
#include "http/exchange.h"
#include "serving/service_error.h"

namespace pleiad::api::anthropic {

/// The status of what a service refused, in Anthropic's words: 529 where it is busy.
int status_of(serving::ServiceError::Code code);

/// {"type": "error", "error": {"type", "message"}, "request_id"}; an empty id is left out.
Json error_body(int status, const std::string& message, const std::string& request_id = {});

http::Response error_response(int status, const std::string& message,
                              const std::string& request_id = {});
http::Response error_response(const serving::ServiceError& error, const std::string& request_id);

}  // namespace pleiad::api::anthropic
