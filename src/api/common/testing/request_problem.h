#pragma once

#include <string>

#include "api/common/request_error.h"

namespace pleiad::api {

/// For tests: what a RequestError that `read` throws says, or "no problem".
template <typename Read>
std::string problem_of(Read&& read) {
  try {
    read();
  } catch (const RequestError& error) {
    return error.what();
  }
  return "no problem";
}

}  // namespace pleiad::api
