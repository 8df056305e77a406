#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/testing/test_folder.h"
#include "http/test_client.h"

namespace pleiad::http::testing {
namespace {

namespace fs = std::filesystem;

TEST(ServerStop, LetsAnOpenStreamFinish) {
  TestServer server;
  Client idle(server.port());
  EXPECT_EQ(idle.ask(get("/hello")).status, 200);
  Client client(server.port());
  client.send(get("/stream"));
  const auto exchange = server.exchange(0);
  std::atomic<bool> stopped = false;
  std::thread stopper([&] {
    server.server().stop(60);
    stopped = true;
  });
  EXPECT_TRUE(idle.ends());
  EXPECT_FALSE(stopped);
  exchange->write("last\n");
  exchange->end();
  EXPECT_EQ(client.read_reply().body, "first\nlast\n");
  EXPECT_TRUE(client.ends());
  stopper.join();
  EXPECT_EQ(server.n_gone(), 0);
}

TEST(ServerStop, CutsWhatIsNotDoneInTime) {
  TestServer server;
  Client client(server.port());
  client.send(get("/stream"));
  const auto exchange = server.exchange(0);
  server.server().stop(0.05);
  EXPECT_TRUE(exchange->gone());
  EXPECT_EQ(server.n_gone(), 1);
  EXPECT_FALSE(client.read_reply().complete);
  exchange->write("late");
  exchange->end();
}

TEST(ServerStop, IsCutShortByASecondOne) {
  TestServer server;
  Client client(server.port());
  client.send(get("/wait"));
  const auto exchange = server.exchange(0);
  const double before = monotonic_seconds();
  std::thread stopper([&] { server.server().stop(3600); });
  server.server().stop(0);
  stopper.join();
  EXPECT_LT(monotonic_seconds() - before, 600);
  EXPECT_TRUE(exchange->gone());
}

TEST(ServerStop, RefusesNewConnections) {
  auto server = std::make_unique<TestServer>();
  ServerOptions options;
  options.port = server->port();
  server->server().stop(0);
  Router router;
  Server second(router, options, nullptr);  // the port is free again
  EXPECT_EQ(second.port(), options.port);
  server.reset();
}

TEST(ServerStop, LeavesExchangesThatOutliveTheServerHarmless) {
  std::shared_ptr<Exchange> exchange;
  {
    TestServer server;
    Client client(server.port());
    client.send(get("/stream"));
    exchange = server.exchange(0);
  }
  EXPECT_TRUE(exchange->gone());
  exchange->write("x");
  exchange->end();
  bool told = false;
  exchange->on_gone([&] { told = true; });
  EXPECT_TRUE(told);
}

class UnixSocket : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (folder_ / "s.sock").string();
    options_.host = "unix:" + path_;
  }

  TestFolder folder_;
  std::string path_;
  ServerOptions options_;
};

TEST_F(UnixSocket, ServesItsOwnerAndGoesAwayWithTheServer) {
  {
    TestServer server(options_);
    EXPECT_EQ(server.server().address(), "unix:" + path_);
    EXPECT_EQ(server.port(), 0);
    EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0600));
    Client client(path_);
    EXPECT_EQ(client.ask(get("/hello")).body, "hello");
    EXPECT_EQ(server.records(1).at(0).peer, "unix");
    EXPECT_EQ(client.ask("GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
    client.send(get("/wait"));
    server.exchange(0);
    client.close();
    EXPECT_TRUE(eventually([&] { return server.n_gone() == 1; }));
  }
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(UnixSocket, ReplacesAFileThatNobodyServes) {
  {
    TestServer dead(options_);
    fs::rename(path_, path_ + ".kept");
  }
  fs::rename(path_ + ".kept", path_);  // as after a crash
  TestServer server(options_);
  Client client(path_);
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST_F(UnixSocket, LeavesWhatIsInUseOrNoSocket) {
  Router router;
  {
    TestServer server(options_);
    EXPECT_THROW(Server(router, options_, nullptr), Error);
    Client client(path_);
    EXPECT_EQ(client.ask(get("/hello")).body, "hello");
  }
  std::ofstream(path_) << "precious";
  EXPECT_THROW(Server(router, options_, nullptr), Error);
  EXPECT_TRUE(fs::exists(path_));
  options_.host = "unix:" + std::string(200, 'x');
  EXPECT_THROW(Server(router, options_, nullptr), Error);
  options_.host = "unix:" + (folder_ / "none" / "s").string();
  EXPECT_THROW(Server(router, options_, nullptr), Error);
}

TEST(ServerAddress, ListensOnBothLoopbacksForLocalhost) {
  ServerOptions options;
  options.host = "localhost";
  TestServer server(options);
  Client client(server.port());
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(ServerAddress, TakesEveryHostNameWhereOthersNeedAKey) {
  ServerOptions options;
  options.host = "*";
  options.use_keys = {"k"};
  TestServer server(options);
  Client client(server.port());
  const std::string stranger = "Host: lan.example\r\nx-api-key: k\r\n";
  EXPECT_EQ(client.ask("GET /hello HTTP/1.1\r\n" + stranger + "\r\n").status, 200);
  // But no page of such a name.
  EXPECT_EQ(client.ask("GET /hello HTTP/1.1\r\n" + stranger + "Origin: http://lan.example\r\n\r\n")
                .status,
            403);
}

TEST(ServerAddress, TakesNoStrangersNameWhereOthersNeedNone) {
  ServerOptions options;
  options.host = "*";
  options.open_to_others = true;
  options.hosts = {"llm.example"};
  TestServer server(options);
  Client client(server.port());
  // What a browser sends after the name was made to point here: no Origin, the page is that name's.
  const auto status = [&](const std::string& host) {
    return client.ask("GET /hello HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status;
  };
  EXPECT_EQ(status("rebound.example:11434"), 403);
  EXPECT_EQ(status("192.168.0.7:11434"), 200);
  EXPECT_EQ(status("203.0.113.9"), 200);
  EXPECT_EQ(status("gpubox:11434"), 200);
  EXPECT_EQ(status("llm.example"), 200);
}

TEST(ServerAddress, LetsNobodyInWithoutAKeyWhoCameThroughAProxy) {
  TestServer server;
  Client client(server.port());
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  const Reply reply = client.ask(get("/hello", "X-Forwarded-For: 203.0.113.9\r\n"));
  EXPECT_EQ(reply.status, 403);
  EXPECT_NE(reply.body.find("through a proxy"), std::string::npos) << reply.body;
  EXPECT_EQ(client.ask(get("/open", "Via: 1.1 proxy\r\n")).status, 200);
  EXPECT_EQ(server.records(3).at(1).peer.find("127.0.0.1:"), 0U);
}

TEST(ServerAddress, TakesItsCallersFromATrustedProxy) {
  ServerOptions options;
  options.use_keys = {"k"};
  options.trusted_proxies = {"127.0.0.1"};
  TestServer server(options);
  Client proxy(server.port());
  const std::string key = "x-api-key: k\r\n";
  EXPECT_EQ(proxy.ask(get("/hello", key + "X-Forwarded-For: 127.0.0.1, 203.0.113.9\r\n")).status,
            200);
  // Nobody is local behind it, whatever the headers say, also where there are none.
  EXPECT_EQ(proxy.ask(get("/admin", key + "X-Forwarded-For: 127.0.0.1\r\n")).status, 403);
  EXPECT_EQ(proxy.ask(get("/admin", key)).status, 403);
  Client local(server.port(), "127.0.0.2");
  EXPECT_EQ(local.ask(get("/admin", key)).status, 200);
  EXPECT_EQ(local.ask(get("/admin", key + "X-Forwarded-For: 127.0.0.1\r\n")).status, 403);
  const auto records = server.records(5);
  EXPECT_EQ(records.at(0).peer, "203.0.113.9");
  EXPECT_EQ(records.at(1).peer, "127.0.0.1");
  // The other connection's may come before the proxy's last one.
  EXPECT_TRUE(std::ranges::any_of(
      records, [](const auto& record) { return record.peer.starts_with("127.0.0.2:"); }));
}

}  // namespace
}  // namespace pleiad::http::testing
