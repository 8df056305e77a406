#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/authority.h"
#include "http/credentials.h"
#include "http/exchange.h"
#include "http/request_head.h"
#include "http/router.h"
#include "http/whence.h"

namespace pleiad::http {

/// Who may use this server, and how much he may send.
struct GateRules {
  HostRules hosts;
  std::vector<std::string> origins;
  KeyRing keys;
  bool open_to_others = false;  // without any key: other machines as well
  std::uint64_t body_bytes = 0;
  std::uint64_t light_body_bytes =
      0;  // of a GET, which has nothing to say: nobody's key is needed for some
};

/// What becomes of a request, known from its head alone.
struct Admission {
  const Route* route = nullptr;  // null: `answer` is set
  std::vector<std::string> arguments;
  std::uint64_t max_body_bytes = 0;
  Caller caller;
  Headers headers;                 // for the answer, whichever it is (CORS)
  ErrorFormat on_error;            // never empty
  std::optional<Response> answer;  // a refusal, or what needs no handler
};

/// Checks, in this order: Host, Origin, the route, where the caller is, the key, the length of the
/// body.
Admission admit(const RequestHead& head, const Router& router, const GateRules& rules,
                const Whence& from);

/// {"error": "..."}
Response plain_error(int status, const std::string& message);

}  // namespace pleiad::http
