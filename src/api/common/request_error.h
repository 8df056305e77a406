#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error.h"

namespace pleiad::api {

/// A request that cannot be answered as it is: a 400. what() begins with the field.
class RequestError : public Error {
 public:
  /// `field` ("options.top_k") may be empty, `code` is a word for programs.
  RequestError(std::string field, const std::string& problem, std::string code = {})
      : Error(field.empty() ? problem : fmt::format("{}: {}", field, problem)),
        field_(std::move(field)),
        code_(std::move(code)) {}

  const std::string& field() const { return field_; }
  const std::string& code() const { return code_; }

 private:
  std::string field_;
  std::string code_;
};

}  // namespace pleiad::api
