#pragma once

#include <string>

#include "api/common/request_error.h"
#include "base/json.h"
#include "http/exchange.h"
#include "serving/service_error.h"

namespace pleiad::api::ollama {

/// {"error": "...", "code": "...", ...}; `model` is the name that was asked for.
Json error_json(const serving::ServiceError& error, const std::string& model);
http::Response error_response(const serving::ServiceError& error, const std::string& model);

/// A 400 with the code and the field.
http::Response error_response(const RequestError& error);

/// {"error": message} and what explains it.
http::Response error_response(int status, const std::string& message);
http::Response not_found(const std::string& model, const std::string& detail);

http::Response json_response(const Json& body, int status = 200);

}  // namespace pleiad::api::ollama
