#pragma once

#include <cstdint>
#include <string>

namespace pleiad::serving {

/// Why a request was not answered, for whoever words it for a client.
struct ServiceError {
  enum class Code : std::uint8_t {
    bad_request,       // 400
    context_exceeded,  // 400, context_length_exceeded
    unsupported,       // 400, the model cannot do this
    model_not_found,   // 404
    load_failed,       // 500; the file is damaged, or there is not enough memory
    model_changed,     // 500; the file was written to while it was in use, and is loaded anew
    no_memory,         // 400: would never fit, with numbers
    out_of_memory,     // 503: there is none at the moment
    busy,              // 503: the queue is full
    deadline,          // 408 (504 where that is usual)
    shutting_down,     // 503
    internal,          // 500
  };
  Code code = Code::internal;
  std::string message;  // for the client
  std::string field;    // of the request, where one is to blame ("options.top_k"); may be empty
  std::int64_t prompt_tokens = 0;  // context_exceeded
  std::int64_t limit_tokens = 0;
  std::string log_field = {};  // for the log, where `field` quotes the request; else that is empty
  std::string detail = {};     // for the log, where a client hears less than is known; may be empty
};

}  // namespace pleiad::serving
