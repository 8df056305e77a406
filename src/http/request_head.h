#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "http/message_parser.h"
#include "http/request.h"

namespace pleiad::http {

/// A head that has been judged: what it asks for, and how its body comes.
struct RequestHead {
  Request request;   // all but body, sink, arguments, peer and times
  std::string host;  // as it came, of the target or the header; may be empty
  bool keep_alive = true;
  bool may_be_chunked = true;  // the answer: a client of HTTP/1.1
  bool expects_continue = false;
  bool chunked = false;
  std::optional<std::uint64_t> content_length;

  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
};

/// Refuses what two readers could understand in two ways (a repeated
/// Content-Length, or one beside Transfer-Encoding; no Host, or two). `id` is the
/// request's unless it brings a fit one of its own.
std::variant<RequestHead, Refusal> judge_head(RawHead raw, std::string id);

}  // namespace pleiad::http
