#include "serving/request_error.h"

namespace pleiad::serving {
namespace {

ServiceError::Code code_of(EngineFailure::Kind kind) {
  switch (kind) {
    case EngineFailure::Kind::bad_request:
    case EngineFailure::Kind::form:
      return ServiceError::Code::bad_request;
    case EngineFailure::Kind::context_exceeded:
      return ServiceError::Code::context_exceeded;
    case EngineFailure::Kind::no_memory:
      return ServiceError::Code::no_memory;
    case EngineFailure::Kind::out_of_memory:
      return ServiceError::Code::out_of_memory;
    case EngineFailure::Kind::busy:
      return ServiceError::Code::busy;
    case EngineFailure::Kind::deadline:
      return ServiceError::Code::deadline;
    case EngineFailure::Kind::shutting_down:
      return ServiceError::Code::shutting_down;
    case EngineFailure::Kind::model_changed:
      return ServiceError::Code::model_changed;
    case EngineFailure::Kind::internal:
      break;
  }
  return ServiceError::Code::internal;
}

}  // namespace

RequestError bad_field(const std::string& message) {
  const std::size_t colon = message.find(": ");
  // A path of names and indices; a sentence that happens to have a colon names no field.
  const bool names_field = colon != std::string::npos &&
                           message.substr(0, colon).find_first_of(" \"'") == std::string::npos;
  return {ServiceError::Code::bad_request, message,
          names_field ? message.substr(0, colon) : std::string()};
}

ServiceError as_service_error(const std::exception& error) {
  if (const auto* known = dynamic_cast<const RequestError*>(&error)) return known->error();
  if (dynamic_cast<const LoadError*>(&error)) {
    return {ServiceError::Code::load_failed, error.what(), {}};
  }
  return {ServiceError::Code::internal, error.what(), {}};
}

ServiceError as_service_error(const EngineFailure& failure) {
  if (failure.kind == EngineFailure::Kind::busy) return busy_error();
  ServiceError error{code_of(failure.kind), failure.message, {}};
  error.prompt_tokens = failure.prompt_tokens;
  error.limit_tokens = failure.limit_tokens;
  return error;
}

ServiceError for_client(ServiceError error) {
  const bool is_worded = !error.detail.empty();
  if (error.code == ServiceError::Code::internal && !is_worded) error.message = "internal error";
  error.detail.clear();
  return error;
}

ServiceError busy_error() {
  return {ServiceError::Code::busy,
          "server busy, please try again.  maximum pending requests exceeded",
          {}};
}

ServiceError shutting_down_error() {
  return {ServiceError::Code::shutting_down, "the server is shutting down", {}};
}

std::string_view name(ServiceError::Code code) {
  switch (code) {
    case ServiceError::Code::bad_request:
      return "bad_request";
    case ServiceError::Code::context_exceeded:
      return "context_exceeded";
    case ServiceError::Code::unsupported:
      return "unsupported";
    case ServiceError::Code::model_not_found:
      return "model_not_found";
    case ServiceError::Code::load_failed:
      return "load_failed";
    case ServiceError::Code::model_changed:
      return "model_changed";
    case ServiceError::Code::no_memory:
      return "no_memory";
    case ServiceError::Code::out_of_memory:
      return "out_of_memory";
    case ServiceError::Code::busy:
      return "busy";
    case ServiceError::Code::deadline:
      return "deadline";
    case ServiceError::Code::shutting_down:
      return "shutting_down";
    case ServiceError::Code::internal:
      break;
  }
  return "internal";
}

}  // namespace pleiad::serving
