#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"

namespace pleiad::client {

struct HttpAnswer {
  int status = 0;
  std::string server;  // the Server header
  std::string body;    // empty where the lines were delivered
};

/// How a caller follows a request; all may be empty.
struct HttpObserver {
  /// Each line of an answer with status 200, as it comes; false ends the request.
  std::function<bool(std::string_view line)> on_line = {};
  /// Asked several times a second, also while nothing comes; false ends the request.
  std::function<bool()> wants_more = {};
  /// An answer with more bytes is an Error; 0: no limit but that of a line and of a body.
  std::size_t max_bytes = 0;
};

/// Talks to a server of ours, or one that speaks as Ollama or OpenAI do. Not for several
/// threads at a time.
class HttpClient {
 public:
  /// "http://127.0.0.1:11434", an https one, or "unix:/run/pleiad.sock"; the key may be
  /// empty. `certificates` has the authorities that https trusts; empty: those of the system.
  HttpClient(const std::string& address, const std::string& api_key,
             const std::filesystem::path& certificates = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Sends `body` unless it is null. Throws Error where there is no answer: the text
  /// names the address and why. `connect_seconds` is how long a server may take to
  /// accept; an answer may take as long as it likes.
  HttpAnswer request(const std::string& method, const std::string& path, const Json& body = nullptr,
                     const HttpObserver& observer = {}, double connect_seconds = 5);

  const std::string& address() const { return address_; }

 private:
  struct Handles;
  std::string address_;
  std::string api_key_;
  std::filesystem::path certificates_;
  std::unique_ptr<Handles> handles_;
};

/// What an answer that is no 200 says went wrong: its "error", or its status.
std::string error_text(const HttpAnswer& answer);

}  // namespace pleiad::client
