#pragma once

#include <string>

namespace pleiad::http {

/// Why the server itself does not serve a request, with the status that says so.
struct Refusal {
  int status = 400;
  std::string message;
};

}  // namespace pleiad::http
