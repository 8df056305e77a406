#include "download/session.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "download/testing/fault_server.h"

namespace pleiad::download::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Servers that names of the public internet lead to, by surroundings of a test's own.
class SessionCall : public ::testing::Test {
 protected:
  void SetUp() override {
    surroundings_.retry = {.attempts = 3,
                           .first_wait = 0.01,
                           .longest_wait = 0.02,
                           .longest_asked = 1,
                           .connect_seconds = 5,
                           .stall_seconds = 0.3,
                           .slowest = 1000,
                           .answer_seconds = 1};
  }
  /// "http://NAME:PORT", which is that server: on the public internet, and http is allowed.
  std::string named(const std::string& name, const FaultServer& server, bool is_public = true,
                    bool http_allowed = true) {
    const std::string authority = name + ":" + std::to_string(server.port());
    surroundings_.known_names.push_back(authority + ":127.0.0.1");
    if (http_allowed) surroundings_.insecure_hosts.push_back(authority);
    if (is_public) public_ports_.push_back(server.port());
    surroundings_.is_public = [this](const sockaddr& address) {
      const auto port = ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
      return std::ranges::find(public_ports_, port) != public_ports_.end();
    };
    return "http://" + authority;
  }
  Outcome<Reply> call(const Call& call, const Stop& stop = {}) {
    Session session(surroundings_);
    return session.call(call, stop);
  }

  Surroundings surroundings_;
  std::vector<std::uint16_t> public_ports_;
};

TEST_F(SessionCall, AnyStatusIsAReply) {
  FaultServer server([](const Asking& asking, Wire& wire) {
    EXPECT_EQ(asking.method, "GET");
    EXPECT_EQ(asking.header("accept"), "application/json");
    EXPECT_EQ(asking.header("authorization"), "Bearer x");
    wire.send(answer(404, "X-Why: none\r\nx-why: other\r\n", "nothing here"));
  });
  const auto reply = call({.url = server.url("/v2/?n=1"),
                           .headers = {{"Accept", "application/json"}},
                           .authorization = "Bearer x"});
  ASSERT_TRUE(reply) << reply.message();
  EXPECT_EQ(reply.value().status, 404);
  EXPECT_EQ(reply.value().header("x-WHY"), "none");
  EXPECT_EQ(reply.value().header("x-none"), "");
  EXPECT_EQ(reply.value().body, "nothing here");
  EXPECT_EQ(reply.value().url, server.url("/v2/?n=1"));
}

TEST_F(SessionCall, SendsBodiesAndNothingThatNobodyAskedFor) {
  FaultServer server([](const Asking& asking, Wire& wire) {
    if (asking.method != "DELETE") {
      EXPECT_EQ(asking.header("content-length"), std::to_string(asking.body.size()));
    }
    EXPECT_EQ(asking.header("expect"), "");
    EXPECT_EQ(asking.header("cookie"), "");
    wire.send(answer(200, "Set-Cookie: a=b\r\n",
                     asking.method + asking.header("content-type") + asking.body));
  });
  Session session(surroundings_);
  const auto ask = [&](Call call) {
    call.url = server.url("/");
    return session.call(call, {}).value().body;
  };
  EXPECT_EQ(ask({.method = "POST"}), "POST");
  EXPECT_EQ(ask({.method = "PUT", .headers = {{"Content-Type", "text/x"}}, .body = "{}"}),
            "PUTtext/x{}");
  EXPECT_EQ(ask({.method = "PATCH", .body = "abc"}), "PATCHabc");
  EXPECT_EQ(ask({.method = "DELETE"}), "DELETE");
}

TEST_F(SessionCall, OfHeadHasNoBody) {
  FaultServer server([](const Asking&, Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nETag: \"x\"\r\n\r\n");
  });
  const auto reply = call({.method = "HEAD", .url = server.url("/")});
  ASSERT_TRUE(reply) << reply.message();
  EXPECT_EQ(reply.value().header("content-length"), "5000");
  EXPECT_EQ(reply.value().header("etag"), "\"x\"");
}

TEST_F(SessionCall, UploadsAPartOfAFile) {
  const auto path =
      std::filesystem::temp_directory_path() / ("pleiad_upload_" + std::to_string(::getpid()));
  const std::string file = some_file(3'000'000);
  std::ofstream(path, std::ios::binary) << file;
  FaultServer server([](const Asking& asking, Wire& wire) {
    if (asking.path == "/first") {
      wire.send(answer(307, "Location: /second\r\n"));
    } else {
      wire.send(answer(202, "", asking.body));
    }
  });
  std::uint64_t sent = 0;
  Call upload = {.method = "PATCH",
                 .url = server.url("/first"),
                 .headers = {{"Content-Type", "application/octet-stream"}},
                 .upload = FilePart{path, 1'000, 2'000'000},
                 .sent = [&](std::uint64_t so_far) { sent = so_far; }};
  const auto reply = call(upload);
  ASSERT_TRUE(reply) << reply.message();
  EXPECT_EQ(reply.value().status, 202);
  EXPECT_TRUE(reply.value().body == file.substr(1'000, 2'000'000));
  EXPECT_EQ(sent, 2'000'000u);
  EXPECT_EQ(server.requests().back().method, "PATCH");

  upload.upload->size = 4'000'000;
  const auto shorter = call(upload);
  EXPECT_EQ(shorter.trouble(), Trouble::local_file);
  EXPECT_THAT(shorter.message(), HasSubstr("at byte 3000000"));
  std::filesystem::remove(path);
}

TEST_F(SessionCall, TriesAgainWhatMayBeRepeated) {
  FaultServer server([](const Asking& asking, Wire& wire) {
    if (asking.number == 0) return wire.close();
    wire.send(answer(asking.number == 1 ? 503 : 200, "", "x"));
  });
  const auto get = call({.url = server.url("/")});
  EXPECT_EQ(get.trouble(), Trouble::unreachable) << "a host that never answered is not waited for";
  Session session(surroundings_);
  EXPECT_EQ(session.call({.method = "POST", .url = server.url("/")}, {}).value().status, 503);
  EXPECT_EQ(session.call({.url = server.url("/")}, {}).value().status, 200);
}

TEST_F(SessionCall, GivesTheLastAnswerOfAHostThatStaysBusy) {
  FaultServer server([](const Asking&, Wire& wire) { wire.send(answer(429, "", "too many")); });
  const auto reply = call({.url = server.url("/")});
  ASSERT_TRUE(reply) << reply.message();
  EXPECT_EQ(reply.value().status, 429);
  EXPECT_EQ(server.n_requests(), 3);
}

TEST_F(SessionCall, EndsWhenItIsStoppedAndWhenNothingComes) {
  FaultServer server([](const Asking&, Wire& wire) {
    wire.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
    wire.hang();
  });
  surroundings_.retry.attempts = 1;
  const auto stalled = call({.url = server.url("/")});
  EXPECT_EQ(stalled.trouble(), Trouble::unreachable);
  EXPECT_THAT(stalled.message(), HasSubstr("sends nothing any more"));
  EXPECT_EQ(call({.url = server.url("/")}, [] { return true; }).trouble(), Trouble::stopped);
}

TEST_F(SessionCall, BoundsWhatItReads) {
  FaultServer server([](const Asking& asking, Wire& wire) {
    if (asking.path == "/body") {
      wire.send(answer(200, "", std::string(1'001, 'x')));
    } else {
      wire.send(answer(200, "X-Long: " + std::string(70'000, 'x') + "\r\n"));
    }
  });
  const auto long_body = call({.url = server.url("/body"), .max_bytes = 1'000});
  EXPECT_EQ(long_body.trouble(), Trouble::wrong_bytes);
  EXPECT_THAT(long_body.message(), HasSubstr("/body"));
  EXPECT_EQ(call({.url = server.url("/head")}).trouble(), Trouble::refused);
}

TEST_F(SessionCall, RefusesHeadersThatWouldBeTwo) {
  for (const Call& bad : {Call{.url = "http://127.0.0.1:1/", .headers = {{"X", "a\r\nY: b"}}},
                          Call{.url = "http://127.0.0.1:1/", .authorization = "Bearer a\nb"}}) {
    EXPECT_EQ(call(bad).trouble(), Trouble::not_allowed);
  }
}

TEST_F(SessionCall, FollowsRedirectsAsTheyAreMeant) {
  FaultServer server([](const Asking& asking, Wire& wire) {
    if (asking.path == "/end") return wire.send(answer(200, "", asking.method + asking.body));
    wire.send(answer(std::stoi(asking.path.substr(1)), "Location: end\r\n", "see there"));
  });
  const auto ask = [&](const std::string& method, const std::string& path) {
    const bool has_body = method != "GET";
    const auto reply =
        call({.method = method, .url = server.url(path), .body = has_body ? "b" : ""});
    return reply ? reply.value().body + " " + reply.value().url.substr(server.url("").size())
                 : reply.message();
  };
  EXPECT_EQ(ask("GET", "/301"), "GET /end");
  EXPECT_EQ(ask("POST", "/302"), "GET /end");
  EXPECT_EQ(ask("PUT", "/303"), "GET /end");
  EXPECT_EQ(ask("PUT", "/302"), "PUTb /end");
  EXPECT_EQ(ask("POST", "/307"), "POSTb /end");
  EXPECT_EQ(ask("PATCH", "/308"), "PATCHb /end");
  EXPECT_EQ(ask("GET", "/300"), "see there /300") << "there is a choice: that is a reply";
  const auto not_followed = call({.url = server.url("/307"), .follow_redirects = false});
  EXPECT_EQ(not_followed.value().status, 307);
  EXPECT_EQ(not_followed.value().body, "see there");
}

TEST_F(SessionCall, KeepsSecretsFromOtherOrigins) {
  FaultServer other([](const Asking& asking, Wire& wire) {
    EXPECT_EQ(asking.header("authorization"), "");
    wire.send(answer(200));
  });
  FaultServer home([&](const Asking& asking, Wire& wire) {
    EXPECT_NE(asking.header("authorization"), "");
    wire.send(answer(302, "Location: " + other.url("/") + "\r\n"));
  });
  EXPECT_TRUE(call({.url = home.url("/"), .authorization = "Bearer mine"}));
  EXPECT_EQ(other.n_requests(), 1);
}

TEST_F(SessionCall, ReadsNetrcForTheHostThatWasNamedAlone) {
  const auto netrc =
      std::filesystem::temp_directory_path() / ("pleiad_netrc_" + std::to_string(::getpid()));
  std::ofstream(netrc) << "default login me password secret\n";
  surroundings_.netrc = netrc;
  FaultServer other([](const Asking& asking, Wire& wire) {
    EXPECT_EQ(asking.header("authorization"), "");
    wire.send(answer(200));
  });
  FaultServer home([&](const Asking& asking, Wire& wire) {
    if (asking.path == "/mine") return wire.send(answer(200, "", asking.header("authorization")));
    EXPECT_EQ(asking.header("authorization"), "Basic bWU6c2VjcmV0");
    wire.send(answer(302, "Location: " + other.url("/") + "\r\n"));
  });
  EXPECT_TRUE(call({.url = home.url("/")}));
  EXPECT_EQ(other.n_requests(), 1);
  EXPECT_EQ(call({.url = home.url("/mine"), .authorization = "Bearer x"}).value().body, "Bearer x");
  const auto led = call({.url = other.url("/"), .led_by = home.url("/")});
  EXPECT_EQ(led.value().status, 200) << "an answer of another host named it, which is no better";
  const auto same = call({.url = home.url("/mine"), .led_by = home.url("/")});
  EXPECT_EQ(same.value().body, "Basic bWU6c2VjcmV0");
  std::filesystem::remove(netrc);
}

TEST_F(SessionCall, IsByHttpsUnlessTheHostIsLoopbackOrNamed) {
  FaultServer server([](const Asking&, Wire& wire) { wire.send(answer(200)); });
  const std::string allowed = named("models.example", server);
  EXPECT_TRUE(call({.url = allowed + "/"}));
  const std::string other = named("other.example", server, true, false);
  const auto refused = call({.url = other + "/secret?key=abc"});
  EXPECT_EQ(refused.trouble(), Trouble::not_allowed);
  EXPECT_THAT(refused.message(), AllOf(HasSubstr("other.example"), HasSubstr("use https")));
  EXPECT_EQ(refused.message().find("abc"), std::string::npos) << "queries may hold signatures";
  for (const char* url :
       {"ftp://127.0.0.1/", "file:///etc/passwd", "http://me:secret@127.0.0.1/", "127.0.0.1", ""}) {
    EXPECT_EQ(call({.url = url}).trouble(), Trouble::not_allowed) << url;
  }
  surroundings_.insecure_hosts = {"models.example/path"};
  EXPECT_THROW(Session{surroundings_}, Error);
}

TEST_F(SessionCall, ANameThatOnlySaysItIsLoopbackIsNot) {
  FaultServer server([](const Asking&, Wire& wire) { wire.send(answer(200)); });
  const std::string port = std::to_string(server.port());
  surroundings_.known_names = {"evil.localhost:" + port + ":192.0.2.1"};
  const auto refused = call({.url = "http://evil.localhost:" + port + "/"});
  EXPECT_EQ(refused.trouble(), Trouble::not_allowed);
  EXPECT_THAT(refused.message(), HasSubstr("is not this machine"));
}

TEST_F(SessionCall, APublicHostLeadsToPublicAddressesAlone) {
  FaultServer hidden([](const Asking&, Wire& wire) { wire.send(answer(200, "", "secret")); });
  const std::string inside = named("inside.example", hidden, false, false);
  std::string location;
  FaultServer open(
      [&](const Asking&, Wire& wire) { wire.send(answer(302, "Location: " + location + "\r\n")); });
  surroundings_.insecure_hosts = {"inside.example"};
  // Loopback, whose port is one of the public internet here.
  const std::string port = std::to_string(open.port());
  public_ports_.push_back(open.port());
  location = "https://127.0.0.1:" + std::to_string(hidden.port()) + "/";
  auto refused = call({.url = "http://127.0.0.1:" + port + "/"});
  EXPECT_EQ(refused.trouble(), Trouble::not_allowed);
  EXPECT_THAT(refused.message(), HasSubstr("not of it"));
  location = inside + "/";  // insecure by name: somebody wants it
  const auto allowed = call({.url = "http://127.0.0.1:" + port + "/"});
  EXPECT_TRUE(allowed) << allowed.message();
  EXPECT_EQ(allowed.value().body, "secret");
  // A connection that is there already is no way around it: an answer led here, not somebody.
  Session session(surroundings_);
  const std::string direct = "http://127.0.0.1:" + std::to_string(hidden.port()) + "/";
  EXPECT_TRUE(session.call({.url = direct}, {}));
  EXPECT_TRUE(
      session.call({.url = "http://127.0.0.1:" + port + "/", .follow_redirects = false}, {}));
  const auto led = session.call({.url = direct, .led_by = "http://127.0.0.1:" + port + "/"}, {});
  EXPECT_EQ(led.trouble(), Trouble::not_allowed) << "it was met on the public internet";
  EXPECT_EQ(hidden.n_requests(), 2);
}

TEST_F(SessionCall, RedirectsToHttpAreNotFollowed) {
  FaultServer server([](const Asking&, Wire& wire) {
    wire.send(answer(302, "Location: http://other.example/\r\n"));
  });
  const auto refused = call({.url = server.url("/")});
  EXPECT_EQ(refused.trouble(), Trouble::not_allowed);
  EXPECT_THAT(refused.message(), HasSubstr("leads to http, which is not followed"));
}

TEST_F(SessionCall, GoesThroughAProxyUnlessTheHostIsExcepted) {
  FaultServer proxy([](const Asking& asking, Wire& wire) {
    wire.send(answer(200, "", "proxied " + asking.path));
  });
  FaultServer direct([](const Asking&, Wire& wire) { wire.send(answer(200, "", "direct")); });
  surroundings_.http_proxy = proxy.url("");
  surroundings_.no_proxy = "corp.example";
  surroundings_.insecure_hosts = {"models.example"};
  EXPECT_EQ(call({.url = "http://models.example/a"}).value().body,
            "proxied http://models.example/a");
  EXPECT_EQ(call({.url = named("in.corp.example", direct) + "/"}).value().body, "direct");
  EXPECT_EQ(call({.url = direct.url("/")}).value().body, "direct") << "loopback";
}

}  // namespace
}  // namespace pleiad::download::testing
