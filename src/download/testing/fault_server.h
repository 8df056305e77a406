#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pleiad::download::testing {

/// What a client asked for.
struct Asking {
  std::string method, path, head, body;
  int number = 0;  // of the server's requests, from 0
  std::uint64_t first = 0;
  std::optional<std::uint64_t> last;  // of a range; empty: none was asked for

  std::string header(const std::string& name) const;
};

/// The connection that an answer goes to.
class Wire {
 public:
  Wire(int socket, const std::atomic<bool>& stopping) : socket_(socket), stopping_(stopping) {}

  void send(std::string_view bytes);
  /// Says no more until the client or the server has had enough.
  void hang();
  /// Closes it after this answer.
  void close() { closed_ = true; }
  bool is_closed() const { return closed_; }
  void wait(double seconds);

 private:
  const int socket_;
  const std::atomic<bool>& stopping_;
  bool closed_ = false;
};

/// A server on 127.0.0.1 with a thread for each connection, whose answers, right or wrong, are what
/// a test makes of them.
class FaultServer {
 public:
  using Handler = std::function<void(const Asking&, Wire&)>;

  explicit FaultServer(Handler handler);
  ~FaultServer();
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// "http://127.0.0.1:PORT" and the path.
  std::string url(const std::string& path) const;
  std::vector<Asking> requests() const;
  int n_requests() const { return static_cast<int>(requests().size()); }

 private:
  void listen();
  void serve(int client);

  const Handler handler_;
  mutable std::mutex mutex_;
  std::vector<Asking> requests_;
  std::set<int> clients_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stopping_{false};
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

/// An answer without a body but `text`.
std::string answer(int status, const std::string& headers = "", const std::string& text = "");

/// How a file is given.
struct Serving {
  std::string etag = "\"one\"";
  bool ranges = true;
};

/// The head of a right answer, and what bytes follow.
struct FileAnswerParts {
  std::string head;
  std::string_view body;
};
FileAnswerParts parts_of_answer(const Asking& asking, std::string_view file,
                                const Serving& serving);

/// A right answer.
void give(const Asking& asking, Wire& wire, std::string_view file, const Serving& serving = {});

/// `size` bytes that look random, and are the same each time.
std::string some_file(std::size_t size, std::uint32_t seed = 1);

}  // namespace pleiad::download::testing
