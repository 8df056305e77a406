#pragma once

#include <string_view>

#include "serving/service_error.h"

namespace pleiad::api {

/// The HTTP status of what a service refused.
int http_status(serving::ServiceError::Code code);

/// A word for programs: "context_length_exceeded", "model_not_found", "server_busy", ...
std::string_view error_code(serving::ServiceError::Code code);

}  // namespace pleiad::api
