#include "api/anthropic/anthropic_error.h"

#include <string_view>

#include "api/anthropic/thread_field.h"
#include "api/common/request_json.h"
#include "api/common/service_status.h"

namespace pleiad::api::anthropic {
namespace {

constexpr int kOverloaded = 529;
constexpr const char* kRetryAfterSeconds = "1";

std::string_view error_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 408:
    case 504:
      return "timeout_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
    case kOverloaded:
      return "overloaded_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

}  // namespace

int status_of(serving::ServiceError::Code code) {
  if (code == serving::ServiceError::Code::busy) return kOverloaded;
  if (code == serving::ServiceError::Code::deadline) return 504;
  return http_status(code);
}

Json error_body(int status, const std::string& message, const std::string& request_id) {
  Json body = {{"type", "error"}, {"error", {{"type", error_type(status)}, {"message", message}}}};
  if (!request_id.empty()) body["request_id"] = request_id;
  return body;
}

http::Response error_response(int status, const std::string& message,
                              const std::string& request_id) {
  http::Response response;
  response.status = status;
  response.body = to_text(error_body(status, message, request_id));
  return response;
}

http::Response error_response(const serving::ServiceError& error, const std::string& request_id) {
  http::Response response = error_response(status_of(error.code), error.message, request_id);
  if (response.status == 503 || response.status == kOverloaded) {
    response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
  }
  return response;
}

http::Response error_response(const RequestError& error, const std::string& request_id) {
  const std::string_view code = thread_error_code(error);
  http::Response response;
  response.status = code == "thread_not_found" ? 404 : 400;
  Json body = error_body(response.status, error.what(), request_id);
  if (!code.empty()) body["error"]["details"] = {{"error_code", code}};
  response.body = to_text(body);
  return response;
}

}  // namespace pleiad::api::anthropic
