#pragma once

#include <string>
#include <string_view>

#include "api/common/request_error.h"
#include "base/json.h"
#include "http/exchange.h"
#include "serving/service_error.h"

namespace pleiad::api::openai {

/// {"error": {"message", "type", "param", "code"}}, as every error of this API.
Json error_body(int status, const std::string& message, std::string_view param = {},
                std::string_view code = {});
Json error_body(const serving::ServiceError& error);

http::Response error_response(int status, const std::string& message, std::string_view param = {},
                              std::string_view code = {});
http::Response error_response(const RequestError& error);
http::Response error_response(const serving::ServiceError& error);

}  // namespace pleiad::api::openai
