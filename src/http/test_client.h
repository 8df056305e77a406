#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"

namespace pleiad::http::testing {

/// What a client got.
struct Reply {
  int status = 0;  // 0: the connection ended before a whole answer had come
  std::string head;
  std::string body;  // chunks put together
  bool complete = false;

  /// The value of a header; empty where there is none.
  std::string header(std::string_view name) const;
};

/// A blocking client on a raw socket. Every wait ends after some seconds, with a
/// failure of the test.
class Client {
 public:
  /// `source`: the address that it comes from.
  explicit Client(std::uint16_t port, const char* source = nullptr);
  explicit Client(const std::string& unix_path);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends all of it; false where the server has closed.
  bool send(std::string_view bytes);
  /// Reads until `text` has come, and returns all up to it.
  std::string read_until(std::string_view text);
  /// `head_only`: an answer to HEAD.
  Reply read_reply(bool head_only = false);
  Reply ask(std::string_view request) {
    send(request);
    return read_reply();
  }
  /// Waits until the server closes; true if it does.
  bool ends();
  void finish_sending();
  void close();
  int descriptor() const { return descriptor_; }

 private:
  bool receive();

  int descriptor_ = -1;
  std::string received_;
  bool ended_ = false;
};

/// Waits, at most some seconds, until `condition` holds; says whether it does.
bool eventually(const std::function<bool()>& condition);

/// A server with routes that tests need:
///   GET /hello, POST /echo (the body), GET /stream (opens one, see streams()),
///   GET /wait (kept, see waiting()), GET /admin (Scope::admin), GET /open
///   (Scope::open), GET /error, GET /mistake (throws), GET /forget (never answers),
///   POST /upload (a sink that counts), GET /item/{name}
class TestServer {
 public:
  explicit TestServer(ServerOptions options = {});
  ~TestServer();

  Server& server() { return *server_; }
  std::uint16_t port() const { return server_->port(); }

  /// The exchanges of /stream and of /wait, as they came.
  std::shared_ptr<Exchange> exchange(std::size_t index);
  std::size_t n_exchanges();
  void forget_exchanges();
  /// Times that on_gone was called.
  int n_gone();
  std::uint64_t uploaded();
  int sinks_alive();
  std::vector<AccessRecord> records();
  /// Waits for that many.
  std::vector<AccessRecord> records(std::size_t count);

 private:
  struct State;
  void add_routes();
  void add_exchange(std::shared_ptr<Exchange> exchange);

  std::shared_ptr<State> state_;
  Router router_;
  std::unique_ptr<Server> server_;
};

inline std::string get(std::string_view path, std::string_view more = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(more) +
         "\r\n";
}
inline std::string post(std::string_view path, std::string_view body, std::string_view more = "") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(body);
}

}  // namespace pleiad::http::testing
