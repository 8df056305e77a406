#include "client/http_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/testing/test_folder.h"

namespace pleiad::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

/// Answers one request on a Unix socket with status 200 and a body in these pieces, of which each
/// is a chunk: the client's library hands them on one by one, whatever packets they come in.
class OneAnswer {
 public:
  explicit OneAnswer(const Lines& pieces) {
    std::string answer =
        "HTTP/1.1 200 OK\r\nServer: one\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string& piece : pieces) {
      answer += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
    }
    answer += "0\r\n\r\n";
    sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
    socket_path().copy(address.sun_path, sizeof address.sun_path - 1);
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto* bound = reinterpret_cast<const sockaddr*>(&address);
    if (::bind(listening_, bound, sizeof address) != 0 || ::listen(listening_, 1) != 0) {
      ADD_FAILURE() << socket_path() << ": " << errno_text(errno);
    }
    thread_ = std::thread([this, answer] { serve(answer); });
  }
  ~OneAnswer() {
    ::shutdown(listening_, SHUT_RDWR);  // where nobody came
    thread_.join();
    ::close(listening_);
  }

  std::string address() const { return "unix:" + socket_path(); }

 private:
  std::string socket_path() const { return (folder_ / "socket").string(); }

  void serve(const std::string& answer) const {
    const int client = ::accept(listening_, nullptr, nullptr);
    if (client < 0) return;
    std::string request;
    char buffer[1000];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t n = ::read(client, buffer, sizeof buffer);
      if (n <= 0) break;
      request.append(buffer, static_cast<std::size_t>(n));
    }
    for (std::string_view rest = answer; !rest.empty();) {
      const ssize_t n = ::send(client, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (n <= 0) break;  // the client may end it
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    ::close(client);
  }

  TestFolder folder_;
  int listening_ = -1;
  std::thread thread_;
};

Lines in_pieces(std::string_view text, std::size_t size) {
  Lines pieces;
  for (std::size_t at = 0; at < text.size(); at += size) {
    pieces.emplace_back(text.substr(at, size));
  }
  return pieces;
}

/// The lines of an answer in these pieces, up to `most` of them.
Lines lines_of(const Lines& pieces, std::size_t most = 1000) {
  const OneAnswer server(pieces);
  HttpClient client(server.address(), "");
  Lines lines;
  HttpObserver observer;
  observer.on_line = [&](std::string_view line) {
    lines.emplace_back(line);
    return lines.size() < most;
  };
  EXPECT_EQ(client.request("GET", "/", nullptr, observer).status, 200);
  return lines;
}

TEST(HttpClient, DeliversLinesHoweverTheyAreCut) {
  constexpr std::string_view kText = "one\n\nsecond\r\n3\n\n\nthe fourth, without an end";
  for (std::size_t size = 1; size <= kText.size(); ++size) {
    EXPECT_THAT(lines_of(in_pieces(kText, size)),
                ElementsAre("one", "second\r", "3", "the fourth, without an end"))
        << "pieces of " << size;
  }
}

TEST(HttpClient, FindsTheEndOfALineThatAPieceBeginsWith) {
  EXPECT_THAT(lines_of({"one", "\ntwo", "\n", "\n", "three\n"}),
              ElementsAre("one", "two", "three"));
}

TEST(HttpClient, EndsWhereTheCallerHasEnough) {
  EXPECT_THAT(lines_of({"one\ntwo\n", "three\nfour"}, 2), ElementsAre("one", "two"));
}

TEST(HttpClient, HandsOnWhatTheCallerThrows) {
  const OneAnswer server({"one\n", "two\n"});
  HttpClient client(server.address(), "");
  HttpObserver observer;
  observer.on_line = [](std::string_view line) -> bool {
    throw std::runtime_error(std::string(line));
  };
  try {
    client.request("GET", "/", nullptr, observer);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "one");
  }
}

TEST(HttpClient, RefusesMoreBytesThanTheCallerTakes) {
  for (const std::size_t limit : {9U, 10U}) {
    const OneAnswer server({"12345", "67890"});
    HttpClient client(server.address(), "");
    HttpObserver observer;
    observer.max_bytes = limit;
    if (limit == 10) {
      EXPECT_EQ(client.request("GET", "/", nullptr, observer).body, "1234567890");
      continue;
    }
    try {
      client.request("GET", "/", nullptr, observer);
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the answer is longer than 9"));
    }
  }
}

TEST(HttpClient, NamesTheServer) {
  const OneAnswer server({"a body"});
  HttpClient client(server.address(), "");
  const HttpAnswer answer = client.request("GET", "/");
  EXPECT_EQ(answer.server, "one");
  EXPECT_EQ(answer.body, "a body");
}

}  // namespace
}  // namespace pleiad::client
