#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>

#include "http/test_client.h"

namespace pleiad::http::testing {
namespace {

TEST(ServerLimits, RefusesBodiesThatAreTooLong) {
  ServerOptions options;
  options.limits.body_bytes = 1000;
  TestServer server(options);
  Client client(server.port());
  EXPECT_EQ(client.ask(post("/echo", std::string(1000, 'x'))).status, 200);
  const Reply reply = client.ask(post("/echo", std::string(1001, 'x')));
  EXPECT_EQ(reply.status, 413);
  EXPECT_NE(reply.body.find("1001"), std::string::npos) << reply.body;
  EXPECT_EQ(reply.header("Connection"), "close");
  Client second(server.port());
  const std::string chunk = "200\r\n" + std::string(512, 'x') + "\r\n";
  EXPECT_EQ(
      second
          .ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
               chunk + chunk)
          .status,
      413);
}

TEST(ServerLimits, TellsAClientThatSendsAllOfARefusedBodyFirst) {
  ServerOptions options;
  options.limits.body_bytes = 1000;
  TestServer server(options);
  Client client(server.port());
  client.send(post("/echo", std::string(8U << 20, 'x')));
  EXPECT_EQ(client.read_reply().status, 413);
}

TEST(ServerLimits, RefusesHeadsThatAreTooLong) {
  TestServer server;
  Client long_value(server.port());
  EXPECT_EQ(long_value.ask(get("/hello", "X: " + std::string(40000, 'x') + "\r\n")).status, 431);
  Client many(server.port());
  std::string headers;
  for (int i = 0; i < 10000; ++i) headers += "X" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(many.ask(get("/hello", headers)).status, 431);
  Client target(server.port());
  EXPECT_EQ(target.ask(get("/" + std::string(9000, 'x'))).status, 414);
  Client endless(server.port());
  EXPECT_EQ(endless.ask("GET /" + std::string(40000, 'x')).status, 414);
}

TEST(ServerLimits, RefusesConnectionsBeyondTheLimit) {
  ServerOptions options;
  options.limits.connections = 2;
  TestServer server(options);
  Client first(server.port());
  Client second(server.port());
  first.send(get("/stream"));
  second.send(get("/stream"));
  ASSERT_TRUE(eventually([&] { return server.n_exchanges() == 2; }));
  {
    Client third(server.port());
    const Reply reply = third.read_reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_TRUE(third.ends());
  }
  first.close();
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 1; }));
  Client fourth(server.port());
  EXPECT_EQ(fourth.ask(get("/hello")).status, 200);
}

TEST(ServerLimits, WhoSaysNothingMakesWayForOthers) {
  ServerOptions options;
  options.limits.connections = 4;
  TestServer server(options);
  Client stream(server.port());
  stream.send(get("/stream"));
  stream.read_until("first\n\r\n");
  Client silent(server.port());
  ASSERT_TRUE(eventually([&] { return server.server().open_connections() == 2; }));
  Client half(server.port());
  half.send("GET /hello HTTP/1.1\r\nHost: loc");
  ASSERT_TRUE(eventually([&] { return server.server().open_connections() == 3; }));
  Client idle(server.port());
  EXPECT_EQ(idle.ask(get("/hello")).status, 200);
  Client one(server.port());
  EXPECT_EQ(one.ask(get("/hello")).status, 200);
  EXPECT_TRUE(silent.ends());
  Client two(server.port());
  EXPECT_EQ(two.ask(get("/hello")).status, 200);
  EXPECT_TRUE(half.ends());
  // These were heard of last, and what runs goes on.
  EXPECT_EQ(idle.ask(get("/hello")).status, 200);
  EXPECT_EQ(one.ask(get("/hello")).status, 200);
  server.exchange(0)->end();
  EXPECT_EQ(stream.read_until("0\r\n\r\n"), "0\r\n\r\n");
}

TEST(ServerLimits, AFloodOfSilentConnectionsKeepsNobodyOut) {
  ServerOptions options;
  options.limits.connections = 50;
  TestServer server(options);
  std::vector<std::unique_ptr<Client>> flood;
  for (int i = 0; i < 300; ++i) {
    flood.push_back(std::make_unique<Client>(server.port()));
    if (i % 2 == 0) flood.back()->send("GET / HTTP/1.1\r\n");
    if (i % 50 == 49) {
      Client client(server.port());
      EXPECT_EQ(client.ask(get("/hello")).status, 200);
    }
  }
  EXPECT_LE(server.server().open_connections(), 50U + 64U);
  flood.clear();
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 0; }));
}

TEST(ServerLimits, WhoWasRefusedAndStaysMakesWayForOthers) {
  ServerOptions options;
  options.limits.connections = 4;
  TestServer server(options);
  std::vector<std::unique_ptr<Client>> refused;
  for (int i = 0; i < 40; ++i) {
    refused.push_back(std::make_unique<Client>(server.port()));
    refused.back()->send(i % 2 == 0 ? "X\r\n\r\n"
                                    : "POST /nowhere HTTP/1.1\r\nHost: localhost\r\n"
                                      "Content-Length: 9\r\n\r\n");
    refused.back()->read_until("\r\n\r\n");
  }
  Client client(server.port());
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
}

TEST(ServerLimits, WhoHasTooManyClosesNoneOfOthers) {
  ServerOptions options;
  options.limits.connections = 3;
  options.limits.connections_per_address = 2;
  TestServer server(options);
  Client first(server.port());
  Client second(server.port());
  first.send(get("/stream"));
  second.send(get("/stream"));
  ASSERT_TRUE(eventually([&] { return server.n_exchanges() == 2; }));
  Client neighbour(server.port(), "127.0.0.2");
  EXPECT_EQ(neighbour.ask(get("/hello")).status, 200);
  for (int i = 0; i < 5; ++i) {
    Client third(server.port());
    EXPECT_EQ(third.read_reply().status, 429);
  }
  EXPECT_EQ(neighbour.ask(get("/hello")).status, 200) << "it stays";
}

TEST(ServerLimits, OneAddressHasItsShareOfTheConnections) {
  ServerOptions options;
  options.limits.connections_per_address = 2;
  TestServer server(options);
  Client first(server.port());
  Client second(server.port());
  first.send(get("/stream"));
  second.send(get("/stream"));
  ASSERT_TRUE(eventually([&] { return server.n_exchanges() == 2; }));
  {
    Client third(server.port());
    const Reply reply = third.read_reply();
    EXPECT_EQ(reply.status, 429);
    EXPECT_NE(reply.body.find("2 connections from this address"), std::string::npos) << reply.body;
    EXPECT_TRUE(third.ends());
  }
  Client neighbour(server.port(), "127.0.0.2");
  EXPECT_EQ(neighbour.ask(get("/hello")).status, 200);
  // Of its own connections one that waits makes way; those of others stay.
  first.close();
  ASSERT_TRUE(eventually([&] { return server.server().open_connections() == 2; }));
  Client idle(server.port());
  EXPECT_EQ(idle.ask(get("/hello")).status, 200);
  // Its client has the answer a moment before it waits again.
  EXPECT_TRUE(eventually([&] {
    Client next(server.port());
    return next.ask(get("/hello")).status == 200;
  }));
  EXPECT_TRUE(idle.ends());
  EXPECT_EQ(neighbour.ask(get("/hello")).status, 200);
}

TEST(ServerLimits, ATrustedProxyHasAllConnections) {
  ServerOptions options;
  options.limits.connections_per_address = 1;
  options.trusted_proxies = {"127.0.0.0/8"};
  options.open_to_others = true;
  TestServer server(options);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(get("/stream"));
  }
  EXPECT_TRUE(eventually([&] { return server.n_exchanges() == 5; }));
}

TEST(ServerLimits, EndsHeadsThatComeTooSlowly) {
  ServerOptions options;
  options.limits.header_seconds = 0.2;
  TestServer server(options);
  Client silent(server.port());
  EXPECT_TRUE(silent.ends());
  Client slow(server.port());
  // Byte by byte: each is progress, the head as a whole is late nevertheless.
  const std::string endless(4000, 'x');
  std::thread sender([&] {
    slow.send("GET /");
    for (const char c : endless) {
      if (!slow.send(std::string(1, c))) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_EQ(slow.read_reply().status, 408);
  shutdown(slow.descriptor(), SHUT_RDWR);
  sender.join();
  EXPECT_EQ(server.records(1).at(0).status, 408);
}

TEST(ServerLimits, ReadsAHeadThatComesByteByByte) {
  TestServer server;
  Client client(server.port());
  for (const char c : post("/echo", "abc")) client.send(std::string(1, c));
  EXPECT_EQ(client.read_reply().body, "abc");
}

TEST(ServerLimits, EndsBodiesThatMakeNoProgress) {
  ServerOptions options;
  options.limits.body_seconds_without_progress = 0.2;
  TestServer server(options);
  Client silent(server.port());
  EXPECT_EQ(
      silent.ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf").status,
      408);
  Client slow(server.port());
  slow.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
  std::thread sender([&] {
    while (slow.send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  EXPECT_EQ(slow.read_reply().status, 408);
  EXPECT_TRUE(eventually([&] { return server.sinks_alive() == 0; }));
  shutdown(slow.descriptor(), SHUT_RDWR);
  sender.join();
}

TEST(ServerLimits, EndsLongBodiesThatHoldMemoryForOthersAndComeByteByByte) {
  ServerOptions options;
  options.limits.light_body_bytes = 1000;
  options.limits.body_seconds_without_progress = 0.5;
  TestServer server(options);
  Client slow(server.port());
  slow.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
  std::thread sender([&] {
    while (slow.send(std::string(200, 'x'))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  EXPECT_EQ(slow.read_reply().status, 408);
  shutdown(slow.descriptor(), SHUT_RDWR);
  sender.join();
}

TEST(ServerLimits, ClosesIdleConnections) {
  ServerOptions options;
  options.limits.idle_seconds = 0.1;
  TestServer server(options);
  Client client(server.port());
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  EXPECT_TRUE(client.ends());
  // A stream is not idle, however long it says nothing.
  Client stream(server.port());
  stream.send(get("/stream"));
  const auto exchange = server.exchange(0);
  stream.read_until("first\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  exchange->end();
  EXPECT_EQ(stream.read_until("0\r\n\r\n"), "0\r\n\r\n");
}

TEST(ServerLimits, KeepsAThousandStreamsOpen) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  // Both ends of each stream are ours: a thousand, or as many as the system lets us have.
  ASSERT_GE(limit.rlim_cur, 400U);
  const std::size_t n_streams = std::min<std::size_t>(1000, (limit.rlim_cur - 100) / 2);
  TestServer server;
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < n_streams; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(get("/stream"));
  }
  ASSERT_TRUE(eventually([&] { return server.n_exchanges() == n_streams; }));
  EXPECT_EQ(server.server().open_connections(), n_streams);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < n_streams; ++i) server.exchange(i)->write("token\n");
    for (const auto& client : clients) EXPECT_NE(client->read_until("token\n\r\n"), "");
  }
  for (std::size_t i = 0; i < n_streams; ++i) server.exchange(i)->end();
  for (const auto& client : clients) EXPECT_EQ(client->read_until("0\r\n\r\n"), "0\r\n\r\n");
  EXPECT_EQ(server.n_gone(), 0);
}

}  // namespace
}  // namespace pleiad::http::testing
