#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pleiad::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Response {
  int status = 200;
  std::string content_type = "application/json; charset=utf-8";
  std::string body;
  Headers headers;  // further ones
};

/// The answer's side of a request. Either respond() once, or begin(), any number
/// of write() and end(). Every member may be called from any thread, none blocks,
/// and all do nothing once the client has gone away. An exchange that dies
/// unanswered answers 500.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// The whole answer.
  virtual void respond(Response response) = 0;

  /// An answer that comes in parts (chunked; each write() goes out at once).
  virtual void begin(int status, std::string content_type, Headers headers = {}) = 0;
  virtual void write(std::string piece) = 0;
  virtual void end() = 0;

  /// What the client should know of its request, whatever the answer says: before the answer
  /// begins, it goes into the header X-Pleiad-Warnings, and with the request into the log.
  virtual void warn(const std::vector<std::string>& warnings) = 0;

  /// The client has gone away, or reads so slowly that it was cut off.
  virtual bool gone() const = 0;
  /// Called once when that happens, at once if it has; on any thread.
  virtual void on_gone(std::function<void()> callback) = 0;
};

}  // namespace pleiad::http
