#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "engine/engine.h"
#include "serving/service_error.h"

namespace pleiad::serving {

/// Ends the work on one request; what its client is told.
class RequestError : public Error {
 public:
  explicit RequestError(ServiceError error) : Error(error.message), error_(std::move(error)) {}
  RequestError(ServiceError::Code code, const std::string& message, std::string field = {})
      : RequestError(ServiceError{code, message, std::move(field)}) {}

  const ServiceError& error() const { return error_; }

 private:
  ServiceError error_;
};

/// A bad_request whose message begins with the field: "top_k: expected ...".
RequestError bad_field(const std::string& message);

/// "model 'x' not found" and so on: an exception as a client is told of it.
ServiceError as_service_error(const std::exception& error);
ServiceError as_service_error(const EngineFailure& failure);

/// Of our own mistakes a client hears nothing but that, or what is worded for it beside a detail.
ServiceError for_client(ServiceError error);

ServiceError busy_error();
ServiceError shutting_down_error();

/// "bad_request", "context_exceeded", ...
std::string_view name(ServiceError::Code code);

}  // namespace pleiad::serving
