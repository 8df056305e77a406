#include "http/test_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "http/ascii.h"

namespace pleiad::http::testing {
namespace {

constexpr int kPatienceMilliseconds = 20000;

std::string decode_chunks(std::string_view text, bool& complete) {
  std::string body;
  for (;;) {
    const std::size_t end = text.find("\r\n");
    if (end == std::string_view::npos) return body;
    const std::size_t size = std::stoul(std::string(text.substr(0, end)), nullptr, 16);
    text.remove_prefix(end + 2);
    if (text.size() < size + 2) return body;
    if (size == 0) {
      complete = true;
      return body;
    }
    body += text.substr(0, size);
    text.remove_prefix(size + 2);
  }
}

}  // namespace

std::string Reply::header(std::string_view name) const {
  const std::string wanted = "\r\n" + lowered(name) + ": ";
  const std::size_t begin = lowered(head).find(wanted);
  if (begin == std::string::npos) return "";
  const std::size_t value = begin + wanted.size();
  return head.substr(value, head.find("\r\n", value) - value);
}

Client::Client(std::uint16_t port, const char* source)
    : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  if (source != nullptr) {
    EXPECT_EQ(inet_pton(AF_INET, source, &address.sin_addr), 1);
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0)
      << errno_text(errno);
}

Client::Client(const std::string& unix_path)
    : descriptor_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, unix_path.data(), unix_path.size());
  EXPECT_EQ(connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0)
      << errno_text(errno);
}

Client::~Client() { close(); }

void Client::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void Client::finish_sending() { shutdown(descriptor_, SHUT_WR); }

bool Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd wait = {.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (poll(&wait, 1, kPatienceMilliseconds) != 1) {
      ADD_FAILURE() << "the server does not read";
      return false;
    }
    const ssize_t count =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Client::receive() {
  if (ended_) return false;
  pollfd wait = {.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (poll(&wait, 1, kPatienceMilliseconds) != 1) {
    ADD_FAILURE() << "the server sends nothing; so far: " << received_.substr(0, 500);
    return false;
  }
  std::array<char, 65536> buffer = {};
  const ssize_t count = recv(descriptor_, buffer.data(), buffer.size(), 0);
  ended_ = count <= 0;
  if (count > 0) received_.append(buffer.data(), static_cast<std::size_t>(count));
  return !ended_;
}

std::string Client::read_until(std::string_view text) {
  std::size_t found = 0;
  while ((found = received_.find(text)) == std::string::npos) {
    if (!receive()) return "";
  }
  const std::string result = received_.substr(0, found + text.size());
  received_.erase(0, result.size());
  return result;
}

Reply Client::read_reply(bool head_only) {
  Reply reply;
  reply.head = read_until("\r\n\r\n");
  if (reply.head.empty()) return reply;
  reply.status = std::stoi(reply.head.substr(9, 3));
  const std::string length = reply.header("content-length");
  if (head_only || reply.status == 204 || reply.status < 200) {
    reply.complete = true;
  } else if (!length.empty()) {
    while (received_.size() < std::stoul(length) && receive()) {
    }
    reply.complete = received_.size() >= std::stoul(length);
    reply.body = received_.substr(0, std::stoul(length));
    received_.erase(0, reply.body.size());
  } else if (reply.header("transfer-encoding") == "chunked") {
    do {
      reply.body = decode_chunks(received_, reply.complete);
    } while (!reply.complete && receive());
    received_.clear();
  } else {
    while (receive()) {
    }
    reply.complete = true;
    reply.body.swap(received_);
  }
  return reply;
}

bool Client::ends() {
  while (receive()) {
  }
  return ended_;
}

bool eventually(const std::function<bool()>& condition) {
  const double end = monotonic_seconds() + kPatienceMilliseconds / 1000.0;
  while (monotonic_seconds() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return condition();
}

struct TestServer::State {
  std::mutex mutex;
  std::vector<std::shared_ptr<Exchange>> exchanges;
  std::vector<AccessRecord> records;
  std::atomic<int> n_gone = 0;
  std::atomic<std::uint64_t> uploaded = 0;
  std::atomic<int> sinks = 0;
};

namespace {

class CountingSink : public BodySink {
 public:
  CountingSink(std::atomic<std::uint64_t>& bytes, std::atomic<int>& alive)
      : bytes_(bytes), alive_(alive) {
    ++alive_;
  }
  ~CountingSink() override { --alive_; }
  void write(std::span<const char> piece) override {
    if (piece.front() == '!') throw Error("the disk is full");
    bytes_ += piece.size();
  }

 private:
  std::atomic<std::uint64_t>& bytes_;
  std::atomic<int>& alive_;
};

}  // namespace

TestServer::TestServer(ServerOptions options) : state_(std::make_shared<State>()) {
  add_routes();
  if (!options.host.starts_with("unix:")) options.port = 0;
  server_ =
      std::make_unique<Server>(router_, options, [state = state_](const AccessRecord& record) {
        const std::lock_guard lock(state->mutex);
        state->records.push_back(record);
      });
  server_->start();
}

TestServer::~TestServer() {
  forget_exchanges();
  server_.reset();
}

void TestServer::add_exchange(std::shared_ptr<Exchange> exchange) {
  exchange->on_gone([state = state_] { ++state->n_gone; });
  const std::lock_guard lock(state_->mutex);
  state_->exchanges.push_back(std::move(exchange));
}

void TestServer::add_routes() {
  const auto simple = [&](std::string method, std::string pattern, Scope scope, Handler handler) {
    router_.add({.method = std::move(method),
                 .pattern = std::move(pattern),
                 .scope = scope,
                 .handler = std::move(handler)});
  };
  using Shared = std::shared_ptr<Exchange>;
  const Handler hello = [](const Request&, const Shared& exchange) {
    exchange->respond({.body = "hello", .headers = {}});
  };
  simple("GET", "/hello", Scope::use, hello);
  simple("GET", "/admin", Scope::admin, hello);
  simple("GET", "/open", Scope::open, hello);
  const auto who = [](const Request& request, const Shared& exchange) {
    const Caller& caller = request.caller;
    exchange->respond(
        {.body = std::to_string(caller.key) + (caller.sees_all ? " all" : ""), .headers = {}});
  };
  simple("GET", "/who", Scope::use, who);
  simple("GET", "/who/open", Scope::open, who);
  simple("POST", "/echo", Scope::use, [](const Request& request, const Shared& exchange) {
    exchange->respond({.body = request.body, .headers = {}});
  });
  simple("GET", "/stream", Scope::use, [this](const Request&, const Shared& exchange) {
    exchange->begin(200, "text/plain");
    exchange->write("first\n");
    add_exchange(exchange);
  });
  simple("GET", "/wait", Scope::use,
         [this](const Request&, const Shared& exchange) { add_exchange(exchange); });
  simple("GET", "/error", Scope::use,
         [](const Request&, const Shared&) { throw Error("top_k: expected a number"); });
  simple("GET", "/mistake", Scope::use,
         [](const Request&, const Shared&) { throw std::runtime_error("a secret"); });
  simple("GET", "/forget", Scope::use, [](const Request&, const Shared&) {});
  simple("GET", "/item/{name}", Scope::use, [](const Request& request, const Shared& exchange) {
    exchange->respond({.body = request.arguments.at(0), .headers = {}});
  });
  router_.add({.method = "POST",
               .pattern = "/upload",
               .handler =
                   [](const Request& request, const Shared& exchange) {
                     exchange->respond(
                         {.status = 201, .body = request.body.empty() ? "" : "?", .headers = {}});
                   },
               .max_body_bytes = 256U << 20,
               .open_sink = [this](const Request&) -> std::unique_ptr<BodySink> {
                 return std::make_unique<CountingSink>(state_->uploaded, state_->sinks);
               }});
}

std::size_t TestServer::n_exchanges() {
  const std::lock_guard lock(state_->mutex);
  return state_->exchanges.size();
}

std::shared_ptr<Exchange> TestServer::exchange(std::size_t index) {
  EXPECT_TRUE(eventually([&] { return n_exchanges() > index; }));
  const std::lock_guard lock(state_->mutex);
  return state_->exchanges.at(index);
}

void TestServer::forget_exchanges() {
  std::vector<std::shared_ptr<Exchange>> exchanges;
  const std::lock_guard lock(state_->mutex);
  exchanges.swap(state_->exchanges);
}

int TestServer::n_gone() { return state_->n_gone; }
std::uint64_t TestServer::uploaded() { return state_->uploaded; }
int TestServer::sinks_alive() { return state_->sinks; }

std::vector<AccessRecord> TestServer::records() {
  const std::lock_guard lock(state_->mutex);
  return state_->records;
}

std::vector<AccessRecord> TestServer::records(std::size_t count) {
  EXPECT_TRUE(eventually([&] { return records().size() >= count; }));
  return records();
}

}  // namespace pleiad::http::testing
