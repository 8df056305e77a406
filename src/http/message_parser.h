#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/refusal.h"

namespace pleiad::http {

/// A request's head as it came, well-formed but not yet judged.
struct RawHead {
  std::string method;
  std::string target;
  int version = 11;                                          // 10 or 11
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
};

/// Reads one request from bytes, wherever they come from.
class MessageParser {
 public:
  MessageParser(std::uint32_t header_bytes, std::uint32_t header_fields);
  ~MessageParser();

  /// Reads what it can of `bytes` and says how many it used; the others have to
  /// be handed in again, with more after them. Stops after the head, and after the
  /// message. Parts of the body are views into `bytes`.
  std::size_t put(std::string_view bytes, std::vector<std::string_view>& body);

  bool has_head() const;
  bool is_done() const;
  /// Why what came is no request that we read; nothing more is read then.
  const std::optional<Refusal>& refusal() const;
  RawHead& head();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pleiad::http
