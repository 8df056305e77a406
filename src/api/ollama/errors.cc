#include "api/ollama/errors.h"

#include <fmt/format.h>

#include "api/common/request_json.h"
#include "api/common/service_status.h"
#include "base/text_format.h"

namespace pleiad::api::ollama {
namespace {

Json not_found_json(const std::string& model, const std::string& detail) {
  Json json = {{"error", fmt::format("model '{}' not found", printable(model, 200))},
               {"code", "model_not_found"}};
  if (!detail.empty()) json["detail"] = detail;
  return json;
}

}  // namespace

Json error_json(const serving::ServiceError& error, const std::string& model) {
  using Code = serving::ServiceError::Code;
  // Clients look for these words.
  if (error.code == Code::model_not_found) return not_found_json(model, error.message);
  Json json = {{"error", error.message}, {"code", error_code(error.code)}};
  if (error.code == Code::busy) {
    json["error"] = "server busy, please try again.  maximum pending requests exceeded";
    if (!error.message.empty()) json["detail"] = error.message;
  }
  if (!error.field.empty()) json["field"] = error.field;
  if (error.code == Code::context_exceeded) {
    json["prompt_tokens"] = error.prompt_tokens;
    json["context_length"] = error.limit_tokens;
  }
  return json;
}

http::Response json_response(const Json& body, int status) {
  http::Response response;
  response.status = status;
  response.body = to_text(body);
  return response;
}

http::Response error_response(const serving::ServiceError& error, const std::string& model) {
  return json_response(error_json(error, model), http_status(error.code));
}

http::Response error_response(const RequestError& error) {
  Json json = {{"error", error.what()},
               {"code", error.code().empty() ? "invalid_request" : "unsupported"}};
  if (!error.field().empty()) json["field"] = error.field();
  return json_response(json, 400);
}

http::Response error_response(int status, const std::string& message) {
  return json_response({{"error", message}}, status);
}

http::Response not_found(const std::string& model, const std::string& detail) {
  return json_response(not_found_json(model, detail), 404);
}

}  // namespace pleiad::api::ollama
