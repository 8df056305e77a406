#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "base/error.h"
#include "serving/service_error.h"

namespace pleiad::python {

/// What a service refused, on its way to Python.
class ServiceFailure : public Error {
 public:
  explicit ServiceFailure(serving::ServiceError error)
      : Error(error.message), error_(std::move(error)) {}

  const serving::ServiceError& error() const { return error_; }

 private:
  serving::ServiceError error_;
};

/// What was asked of something that was closed, or that another process has.
class ClosedError : public Error {
 public:
  using Error::Error;
};

/// Errors of the library become those of pleiad.errors from now on.
void translate_errors();

}  // namespace pleiad::python
