#include "download/testing/fault_server.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/testing/loopback.h"

namespace pleiad::download::testing {
namespace {

bool read_more(int socket, std::string& into) {
  char buffer[16384];
  const ssize_t n = ::read(socket, buffer, sizeof buffer);
  if (n > 0) into.append(buffer, static_cast<std::size_t>(n));
  return n > 0;
}

/// Reads a request; false where the client has gone.
bool read_request(int socket, std::string& received, Asking& asking) {
  std::size_t end = 0;
  while ((end = received.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more(socket, received)) return false;
  }
  asking.head = received.substr(0, end + 2);
  received.erase(0, end + 4);
  const std::size_t space = asking.head.find(' ');
  asking.method = asking.head.substr(0, space);
  asking.path = asking.head.substr(space + 1, asking.head.find(' ', space + 1) - space - 1);
  if (const std::string range = asking.header("range"); range.starts_with("bytes=")) {
    const std::size_t dash = range.find('-');
    asking.first = std::stoull(range.substr(6, dash - 6));
    asking.last = dash + 1 < range.size() ? std::stoull(range.substr(dash + 1)) : UINT64_MAX;
  }
  const std::string length = asking.header("content-length");
  const std::size_t n_body = length.empty() ? 0 : std::stoul(length);
  if (asking.header("expect") == "100-continue") {
    Wire(socket, *std::make_unique<std::atomic<bool>>(false)).send("HTTP/1.1 100 Continue\r\n\r\n");
  }
  while (received.size() < n_body) {
    if (!read_more(socket, received)) return false;
  }
  asking.body = received.substr(0, n_body);
  received.erase(0, n_body);
  return true;
}

}  // namespace

std::string Asking::header(const std::string& name) const {
  const std::string lower = ascii_lower(head);
  const std::size_t at = lower.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find('\r', begin) - begin);
}

void Wire::send(std::string_view bytes) {
  while (!bytes.empty() && !closed_) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) {
      closed_ = true;
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void Wire::wait(double seconds) {
  const double end = monotonic_seconds() + seconds;
  while (!closed_ && !stopping_) {
    const double left = end - monotonic_seconds();
    if (left <= 0) return;
    pollfd gone = {.fd = socket_, .events = POLLRDHUP, .revents = 0};
    if (::poll(&gone, 1, static_cast<int>(std::min(left, 0.02) * 1000) + 1) > 0) closed_ = true;
  }
}

void Wire::hang() {
  wait(60);
  closed_ = true;
}

FaultServer::FaultServer(Handler handler) : handler_(std::move(handler)) {
  const LoopbackListener listener = listen_on_loopback(64);
  listening_ = listener.socket;
  port_ = listener.port;
  thread_ = std::thread([this] { listen(); });
}

FaultServer::~FaultServer() {
  stopping_ = true;
  ::shutdown(listening_, SHUT_RDWR);
  thread_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int client : clients_) ::shutdown(client, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  ::close(listening_);
}

std::string FaultServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<Asking> FaultServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void FaultServer::listen() {
  for (;;) {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const std::lock_guard lock(mutex_);
    clients_.insert(client);
    threads_.emplace_back([this, client] { serve(client); });
  }
}

void FaultServer::serve(int client) {
  std::string received;
  Wire wire(client, stopping_);
  for (Asking asking; !stopping_ && !wire.is_closed() && read_request(client, received, asking);
       asking = {}) {
    {
      const std::lock_guard lock(mutex_);
      asking.number = static_cast<int>(requests_.size());
      requests_.push_back(asking);
    }
    handler_(asking, wire);
  }
  const std::lock_guard lock(mutex_);
  clients_.erase(client);
  ::close(client);
}

std::string answer(int status, const std::string& headers, const std::string& text) {
  return "HTTP/1.1 " + std::to_string(status) + " Something\r\n" + headers +
         "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

FileAnswerParts parts_of_answer(const Asking& asking, std::string_view file,
                                const Serving& serving) {
  const std::string tag = serving.etag.empty() ? "" : "ETag: " + serving.etag + "\r\n";
  const std::string if_range = asking.header("if-range");
  const bool is_range =
      serving.ranges && asking.last && (if_range.empty() || if_range == serving.etag);
  if (is_range && asking.first >= file.size()) {
    return {answer(416, "Content-Range: bytes */" + std::to_string(file.size()) + "\r\n"), {}};
  }
  if (!is_range) {
    return {
        "HTTP/1.1 200 OK\r\n" + tag + "Content-Length: " + std::to_string(file.size()) + "\r\n\r\n",
        file};
  }
  const std::uint64_t last = std::min<std::uint64_t>(*asking.last, file.size() - 1);
  const std::string_view body = file.substr(asking.first, last + 1 - asking.first);
  return {"HTTP/1.1 206 Partial Content\r\n" + tag + "Content-Range: bytes " +
              std::to_string(asking.first) + "-" + std::to_string(last) + "/" +
              std::to_string(file.size()) + "\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n",
          body};
}

void give(const Asking& asking, Wire& wire, std::string_view file, const Serving& serving) {
  const FileAnswerParts parts = parts_of_answer(asking, file, serving);
  wire.send(parts.head);
  if (asking.method != "HEAD") wire.send(parts.body);
}

std::string some_file(std::size_t size, std::uint32_t seed) {
  std::mt19937_64 chance(seed);
  std::string file(size + sizeof(std::uint64_t), '\0');
  for (std::size_t i = 0; i < size; i += sizeof(std::uint64_t)) {
    const std::uint64_t eight = chance();
    std::memcpy(file.data() + i, &eight, sizeof eight);
  }
  file.resize(size);
  return file;
}

}  // namespace pleiad::download::testing
