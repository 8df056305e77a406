#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pleiad::http {

/// What a caller may do. `open`: anybody who reaches the port (health, the page).
enum class Scope : std::uint8_t { open, use, admin };

/// Who asks, as far as the server tells its callers apart.
struct Caller {
  std::uint64_t key = 0;  // of one of the server's keys, while it runs; 0: came with none
  bool sees_all = false;  // what others wrote too: has an admin key, or there are no others
};

/// Takes a body that is too large to be kept in memory, piece by piece as it comes.
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// Throws Error where the piece cannot be kept (a full disk).
  virtual void write(std::span<const char> piece) = 0;
};

/// A request whose body has come in whole.
struct Request {
  std::string id;      // also in the answer, as X-Request-Id
  std::string method;  // upper case
  std::string path;    // decoded, without the query
  std::map<std::string, std::string> query;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;                                          // empty where there is a sink
  std::unique_ptr<BodySink> sink;                            // where the route asked for one
  std::vector<std::string> arguments;  // what the pattern's {..} stood for, in order
  std::string peer;                    // "127.0.0.1:40312", "unix"; or the address that a trusted
                                       // proxy gives
  Caller caller;                       // known once the gate has let it in
  double received = 0;                 // monotonic seconds, when its head was complete

  /// The first header of that name (lower case).
  std::optional<std::string_view> header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return std::nullopt;
  }
};

}  // namespace pleiad::http
