#pragma once

#include <filesystem>
#include <functional>
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

/// Requests to one server that always end: with an answer, with an Error that names the
/// server and the path, or with Stopped. For one thread.
class Connection {
 public:
  explicit Connection(Peer peer)
      : peer_(std::move(peer)), client_(peer_.address, peer_.api_key, peer_.certificates) {}

  /// Whatever is answered.
  client::HttpAnswer ask(const std::string& method, const std::string& path,
                         const Json& body = nullptr);
  /// The object that a 200 carries; other answers are an Error with what they say.
  Json ask_json(const std::string& method, const std::string& path, const Json& body = nullptr);
  /// Hands over every line of a 200, with the seconds since the request was sent; what
  /// `on_line` throws ends it. Other answers are returned.
  client::HttpAnswer stream(const std::string& path, const Json& body,
                            const std::function<void(std::string_view, double)>& on_line);

  const Peer& peer() const { return peer_; }

 private:
  Peer peer_;
  client::HttpClient client_;
};

}  // namespace pleiad::server_bench
