#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace pleiad {

/// Why an expected failure happened, in words for the user.
struct Failure {
  std::string message;
};

/// A value, or the reason why there is none: for failures that callers expect
/// and handle at once (a request that does not parse, an option that is out of
/// range). Failures that end the whole operation are thrown as Error instead.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}            // NOLINT
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CHECK(ok(), "{}", std::get<1>(state_).message);
    return std::get<0>(state_);
  }
  const T& value() const& { return const_cast<Result*>(this)->value(); }
  T&& value() && { return std::move(value()); }

  /// Only when !ok().
  const std::string& message() const {
    CHECK(!ok());
    return std::get<1>(state_).message;
  }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace pleiad
