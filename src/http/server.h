#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/router.h"

namespace pleiad::http {

/// Limits on what a client may do to us.
struct Limits {
  std::uint64_t body_bytes = 64U << 20;
  std::uint64_t light_body_bytes = 16U << 10;     // longer ones are read by workers
  std::uint64_t waiting_body_bytes = 512U << 20;  // of all longer ones that come, wait or are read
  std::uint32_t header_bytes = 32U << 10;
  std::uint32_t header_fields = 100;
  std::uint32_t connections = 4096;
  std::uint32_t connections_per_address = 1024;  // 0: no limit; of TCP, and not of trusted proxies
  double header_seconds = 15;                    // for the whole head
  double body_seconds_without_progress = 30;
  double idle_seconds = 120;  // keep-alive
  double write_seconds_without_progress = 60;
  std::uint64_t unsent_bytes = 8U << 20;  // of one answer whose client does not read
};

struct ServerOptions {
  std::string host = "127.0.0.1";  // address, name, "*" or "unix:PATH"
  std::uint16_t port = 11434;      // 0: any free one
  Limits limits;
  int threads = 2;    // for connections
  int n_workers = 2;  // for handlers that have much to read

  std::vector<std::string> use_keys;    // API keys: Authorization: Bearer, x-api-key
  std::vector<std::string> admin_keys;  // may do everything; empty with use_keys set: nobody
                                        // but loopback callers with a use key may administer
  std::vector<std::string> origins;     // allowed besides those of this machine; "*": any
  std::vector<std::string> hosts;       // names of this server, allowed in Host besides loopback
  std::vector<std::string> trusted_proxies;  // addresses, networks or "unix", see http/whence.h
  bool open_to_others = false;  // where there is no key: to requests of other machines, and such
                                // as were forwarded
};

/// One finished request, also one that was refused, for logs and metrics. Of what was
/// no request method and path are empty.
struct AccessRecord {
  std::string id, peer, method, path;
  std::string route;  // the pattern; "" for none
  int status = 0;     // 499: the client had gone before there was one
  std::uint64_t bytes_in = 0, bytes_out = 0;
  double seconds = 0;
  bool client_gone = false;           // before it had all of its answer
  std::vector<std::string> warnings;  // about the request, which its answer carries as well
  std::string error;  // what a handler failed with; for the log, clients do not see it
};

/// An HTTP/1.1 server (Boost.Beast), asynchronous: connections need no threads
/// of their own. Checks Host, Origin, keys and limits before a handler runs.
class Server {
 public:
  /// Binds at once: throws Error that names the address and why (in use, no
  /// permission). `router` must outlive the server. `on_finished` (may be empty) is
  /// called on the server's threads, on several at a time.
  Server(const Router& router, ServerOptions options,
         std::function<void(const AccessRecord&)> on_finished);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  /// "http://127.0.0.1:11434", "unix:/run/pleiad.sock"
  std::string address() const;
  std::uint16_t port() const;

  /// Accepts no more; waits until answers in progress are done or `grace_seconds`
  /// have passed, then closes everything. May be called from any thread but the
  /// server's; a second call from another thread, with 0, cuts the first short.
  void stop(double grace_seconds);

  std::size_t open_connections() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pleiad::http
