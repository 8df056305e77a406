#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "client/http_client.h"

namespace pleiad::server_bench {

/// Whom to ask, and for how long.
struct Peer {
  std::string address;                      // "http://127.0.0.1:11434", without a path
  std::string api_key;                      // may be empty
  std::filesystem::path certificates = {};  // whom https trusts; empty: as the system does
  double patience_seconds = 300;            // without a byte, before a server counts as hanging
  std::function<bool()> stop = {};          // asked several times a second, on the asking thread
};

/// The user asked to stop.
struct Stopped {};

/// "localhost:8080/v1/" -> "http://localhost:8080". Throws Error where it is no address.
std::string server_address(const std::string& url);
/// The server runs on this machine, as far as its address tells.
bool is_local(const std::string& address);

/// What an answer that is no 200 says went wrong.
std::string complaint(const client::HttpAnswer& answer);

/// Requests to one server that always end: with an answer, with an Error that names the
/// server and the path, or with Stopped. For one thread.
class Connection {
 public:
  virtual ~Connection() = default;

  /// Whatever is answered.
  virtual client::HttpAnswer ask(const std::string& method, const std::string& path,
                                 const Json& body = nullptr) = 0;
  /// Hands over every line of a 200, with the seconds since the request was sent; what
  /// `on_line` throws ends it. Other answers are returned, with their complaint as body.
  virtual client::HttpAnswer stream(
      const std::string& path, const Json& body,
      const std::function<void(std::string_view, double)>& on_line) = 0;
  /// Seconds of the clock by which answers are timed.
  virtual double now() const = 0;
  /// A connection of its own to the same server.
  virtual std::unique_ptr<Connection> another() const = 0;
  virtual const std::string& address() const = 0;

  /// The object that a 200 carries; other answers are an Error with what they say.
  Json ask_json(const std::string& method, const std::string& path, const Json& body = nullptr);
};

/// By HTTP, and by this machine's clock.
std::unique_ptr<Connection> http_connection(Peer peer);

}  // namespace pleiad::server_bench
