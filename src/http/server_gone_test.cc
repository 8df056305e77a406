// Clients that vanish, do not read, or send what is no request.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "http/test_client.h"

namespace pleiad::http::testing {
namespace {

TEST(ServerGone, NoticesAClientThatClosesMidStream) {
  TestServer server;
  Client client(server.port());
  client.send(get("/stream"));
  const auto exchange = server.exchange(0);
  client.read_until("first");
  EXPECT_FALSE(exchange->gone());
  client.close();
  EXPECT_TRUE(eventually([&] { return exchange->gone(); }));
  EXPECT_TRUE(eventually([&] { return server.n_gone() == 1; }));
  exchange->write("nobody reads this");
  exchange->end();
  int late = 0;
  exchange->on_gone([&] { ++late; });
  EXPECT_EQ(late, 1);
  const auto records = server.records(1);
  EXPECT_TRUE(records.at(0).client_gone);
  EXPECT_EQ(records.at(0).status, 200);
}

TEST(ServerGone, NoticesAClientThatClosesWhileItsRequestIsComputed) {
  TestServer server;
  Client client(server.port());
  client.send(get("/wait"));
  server.exchange(0);
  client.close();
  EXPECT_TRUE(eventually([&] { return server.n_gone() == 1; }));
  EXPECT_EQ(server.records(1).at(0).status, 499);
}

TEST(ServerGone, NoticesItBehindRequestsThatWereSentAhead) {
  TestServer server;
  Client client(server.port());
  client.send(get("/wait") + get("/hello") + get("/hello"));
  server.exchange(0);
  client.close();
  EXPECT_TRUE(eventually([&] { return server.n_gone() == 1; }));
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 0; }));
  EXPECT_EQ(server.records(1).size(), 1U);
}

TEST(ServerGone, AnswersAClientThatSentMoreAheadThanIsRead) {
  TestServer server;
  Client client(server.port());
  std::string requests = get("/wait");
  std::size_t n_ahead = 0;
  for (; requests.size() < 300U << 10; ++n_ahead) requests += get("/hello");
  std::thread sending([&] { client.send(requests); });  // the system may not take it at once
  const auto exchange = server.exchange(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it reads no more
  EXPECT_EQ(server.server().open_connections(), 1U);
  exchange->respond({.body = "done", .headers = {}});
  EXPECT_EQ(client.read_reply().body, "done");
  for (std::size_t i = 0; i < n_ahead; ++i) {
    const Reply reply = client.read_reply();
    ASSERT_EQ(reply.body, "hello");
  }
  sending.join();
  client.close();
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 0; }));
}

TEST(ServerGone, DoesNotTellWhoeverHasAnswered) {
  TestServer server;
  Client client(server.port());
  client.send(get("/wait"));
  server.exchange(0)->respond({.body = "done", .headers = {}});
  EXPECT_EQ(client.read_reply().body, "done");
  client.close();
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 0; }));
  EXPECT_EQ(server.n_gone(), 0);
}

TEST(ServerGone, AnswersAClientThatOnlyEndedItsSending) {
  TestServer server;
  Client client(server.port());
  client.send(get("/hello"));
  client.finish_sending();
  EXPECT_EQ(client.read_reply().body, "hello");
  EXPECT_TRUE(client.ends());
}

TEST(ServerGone, CutsAClientThatNeverReads) {
  ServerOptions options;
  options.limits.unsent_bytes = 100000;
  TestServer server(options);
  Client client(server.port());
  client.send(get("/stream"));
  const auto exchange = server.exchange(0);
  const std::string piece(10000, 'x');
  // What the system buffers comes on top of the limit.
  EXPECT_TRUE(eventually([&] {
    exchange->write(piece);
    return exchange->gone();
  }));
  EXPECT_TRUE(eventually([&] { return server.n_gone() == 1; }));
  EXPECT_TRUE(server.records(1).at(0).client_gone);
}

TEST(ServerGone, CutsAClientThatReadsNothingForTooLong) {
  ServerOptions options;
  options.limits.write_seconds_without_progress = 0.1;
  TestServer server(options);
  Client client(server.port());
  const int small = 4096;
  setsockopt(client.descriptor(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  client.send(get("/wait"));
  const auto exchange = server.exchange(0);
  exchange->respond({.body = std::string(32U << 20, 'x'), .headers = {}});
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 0; }));
  EXPECT_TRUE(server.records(1).at(0).client_gone);
}

TEST(ServerGone, ForgetsABodyThatStopsHalfWay) {
  TestServer server;
  Client client(server.port());
  client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf");
  EXPECT_TRUE(eventually([&] { return server.uploaded() == 4; }));
  EXPECT_EQ(server.sinks_alive(), 1);
  client.close();
  EXPECT_TRUE(eventually([&] { return server.sinks_alive() == 0; }));
  EXPECT_EQ(server.records(1).at(0).status, 499);
}

TEST(ServerGone, SurvivesGarbage) {
  TestServer server;
  for (const std::string& garbage :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), std::string(100, '\0'),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("GET /hello HTTP/1.1\r\nHost: local\0host\r\n\r\n", 42),
        std::string("GET /hello HTTP/1.1\r\nHost : localhost\r\n\r\n"),
        std::string("GET /hello HTTP/1.1\r\n\r\n"),
        std::string("GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("GET /item/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("GET /item/../hello HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
                    "Content-Length: 2\r\n\r\nab"),
        std::string("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n")}) {
    Client client(server.port());
    const Reply reply = client.ask(garbage + "\r\n\r\n");
    EXPECT_EQ(reply.status, 400) << garbage;
    EXPECT_TRUE(client.ends()) << garbage;
  }
  Client client(server.port());
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(ServerGone, AnswersFromManyThreadsWhileClientsComeAndGo) {
  TestServer server;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        Client client(server.port());
        client.send(get(thread % 2 == 0 ? "/stream" : "/wait"));
        if (i % 2 == 0) client.close();
      }
    });
  }
  std::size_t done = 0;
  while (done < 100) {
    const auto exchange = server.exchange(done++);
    exchange->write("more\n");
    exchange->respond({.body = "x", .headers = {}});
    exchange->end();
    if (::testing::Test::HasFailure()) break;
  }
  for (std::thread& thread : threads) thread.join();
  server.forget_exchanges();
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 0; }));
  EXPECT_EQ(server.records(100).size(), 100U);
}

}  // namespace
}  // namespace pleiad::http::testing
