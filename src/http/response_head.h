#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/exchange.h"

namespace pleiad::http {

/// How a client learns where an answer ends.
struct BodyFraming {
  std::optional<std::uint64_t> length;  // empty: chunked, or until the connection closes
  bool chunked = false;
  bool close = false;  // the connection closes after it
};

/// The first line and the headers of an answer, with the empty line after them.
/// Line breaks in values become spaces.
std::string response_head(int status, std::string_view content_type, const Headers& headers,
                          const Headers& more, const std::string& request_id,
                          const BodyFraming& framing);

/// "Not Found"
std::string_view reason_of(int status);
/// Whether an answer of that status has a body at all.
bool has_body(int status);

}  // namespace pleiad::http
