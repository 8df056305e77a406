#include "api/common/service_status.h"

namespace pleiad::api {

int http_status(serving::ServiceError::Code code) {
  using Code = serving::ServiceError::Code;
  switch (code) {
    case Code::bad_request:
    case Code::context_exceeded:
    case Code::unsupported:
    case Code::no_memory:
      return 400;
    case Code::model_not_found:
      return 404;
    case Code::deadline:
      return 408;
    case Code::out_of_memory:
    case Code::busy:
    case Code::shutting_down:
      return 503;
    case Code::load_failed:
    case Code::model_changed:
    case Code::internal:
      break;
  }
  return 500;
}

std::string_view error_code(serving::ServiceError::Code code) {
  using Code = serving::ServiceError::Code;
  switch (code) {
    case Code::bad_request:
      return "invalid_request";
    case Code::context_exceeded:
      return "context_length_exceeded";
    case Code::unsupported:
      return "unsupported";
    case Code::model_not_found:
      return "model_not_found";
    case Code::load_failed:
      return "load_failed";
    case Code::model_changed:
      return "model_changed";
    case Code::no_memory:
    case Code::out_of_memory:
      return "insufficient_memory";
    case Code::busy:
      return "server_busy";
    case Code::deadline:
      return "deadline_exceeded";
    case Code::shutting_down:
      return "shutting_down";
    case Code::internal:
      break;
  }
  return "internal_error";
}

}  // namespace pleiad::api
