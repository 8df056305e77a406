#pragma once

#include <string>

#include "api/common/request_error.h"
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
/// 400; of a conversation that is not held here 404, with the code that clients look for.
http::Response error_response(const RequestError& error, const std::string& request_id);

}  // namespace pleiad::api::anthropic
