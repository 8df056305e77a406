#include "api/openai/openai_error.h"

#include "api/common/request_json.h"
#include "api/common/service_status.h"

namespace pleiad::api::openai {
namespace {

constexpr const char* kRetryAfterSeconds = "1";

std::string_view error_type(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 429:
      return "rate_limit_error";
    default:
      return status >= 500 ? "server_error" : "invalid_request_error";
  }
}

/// A word for programs where the server itself refuses a request.
std::string_view code_of_status(int status) {
  switch (status) {
    case 401:
      return "invalid_api_key";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 413:
      return "request_too_large";
    default:
      return {};
  }
}

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

/// The field that is to blame, where the service does not name one.
std::string_view blamed_field(const serving::ServiceError& error) {
  if (!error.field.empty()) return error.field;
  return error.code == serving::ServiceError::Code::model_not_found ? "model" : "";
}

}  // namespace

Json error_body(int status, const std::string& message, std::string_view param,
                std::string_view code) {
  if (code.empty()) code = code_of_status(status);
  return {{"error",
           {{"message", message},
            {"type", error_type(status)},
            {"param", text_or_null(param)},
            {"code", text_or_null(code)}}}};
}

Json error_body(const serving::ServiceError& error) {
  return error_body(http_status(error.code), error.message, blamed_field(error),
                    error_code(error.code));
}

http::Response error_response(int status, const std::string& message, std::string_view param,
                              std::string_view code) {
  http::Response response;
  response.status = status;
  response.body = to_text(error_body(status, message, param, code));
  return response;
}

http::Response error_response(const RequestError& error) {
  return error_response(400, error.what(), error.field(), error.code());
}

http::Response error_response(const serving::ServiceError& error) {
  http::Response response = error_response(http_status(error.code), error.message,
                                           blamed_field(error), error_code(error.code));
  if (response.status == 503) response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
  return response;
}

}  // namespace pleiad::api::openai
