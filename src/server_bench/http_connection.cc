#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"
#include "server_bench/connection.h"

namespace pleiad::server_bench {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64}
                                   << 20;  // of an answer: none has a reason for more
constexpr double kLongest = 3600;          // seconds of one answer

/// Sends a request whose answer must come in time.
client::HttpAnswer in_time(client::HttpClient& client, const Peer& peer, const std::string& method,
                           const std::string& path, const Json& body,
                           const std::function<void(std::string_view, double)>& on_line) {
  const double began = monotonic_seconds();
  double last = began;
  enum class End { answered, stopped, silent, endless } end = End::answered;
  client::HttpObserver observer;
  observer.max_bytes = kMostBytes;
  observer.wants_more = [&] {
    const double now = monotonic_seconds();
    if (peer.stop && peer.stop()) {
      end = End::stopped;
    } else if (now - last > peer.patience_seconds) {
      end = End::silent;
    } else if (now - began > kLongest) {
      end = End::endless;
    }
    return end == End::answered;
  };
  if (on_line) {
    observer.on_line = [&](std::string_view line) {
      last = monotonic_seconds();
      on_line(line, last - began);
      return true;
    };
  }
  const client::HttpAnswer answer = client.request(method, path, body, observer);
  switch (end) {
    case End::answered:
      return answer;
    case End::stopped:
      throw Stopped{};
    case End::silent:
      throw Error("nothing came for {} (--timeout)", format_seconds(peer.patience_seconds));
    case End::endless:
      break;
  }
  throw Error("the answer did not end within {}", format_seconds(kLongest));
}

class HttpConnection final : public Connection {
 public:
  explicit HttpConnection(Peer peer)
      : peer_(std::move(peer)), client_(peer_.address, peer_.api_key, peer_.certificates) {}

  client::HttpAnswer ask(const std::string& method, const std::string& path,
                         const Json& body) override {
    try {
      return in_time(client_, peer_, method, path, body, {});
    } catch (const Error& error) {
      throw Error("{} {}{}: {}", method, peer_.address, path, error.what());
    }
  }

  client::HttpAnswer stream(const std::string& path, const Json& body,
                            const std::function<void(std::string_view, double)>& on_line) override {
    try {
      client::HttpAnswer answer = in_time(client_, peer_, "POST", path, body, on_line);
      if (answer.status != 200) answer.body = complaint(answer);
      return answer;
    } catch (const Error& error) {
      throw Error("POST {}{}: {}", peer_.address, path, error.what());
    }
  }

  double now() const override { return monotonic_seconds(); }
  std::unique_ptr<Connection> another() const override { return http_connection(peer_); }
  const std::string& address() const override { return peer_.address; }

 private:
  Peer peer_;
  client::HttpClient client_;
};

}  // namespace

std::unique_ptr<Connection> http_connection(Peer peer) {
  return std::make_unique<HttpConnection>(std::move(peer));
}

}  // namespace pleiad::server_bench
