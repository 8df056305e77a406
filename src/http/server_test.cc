#include "http/server.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "http/test_client.h"

namespace pleiad::http::testing {
namespace {

TEST(Server, AnswersSeveralRequestsOnOneConnection) {
  TestServer server;
  Client client(server.port());
  for (int i = 0; i < 3; ++i) {
    const Reply reply = client.ask(get("/hello"));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "hello");
    EXPECT_EQ(reply.header("Connection"), "keep-alive");
    EXPECT_EQ(reply.header("Server"), "pleiad");
    EXPECT_EQ(reply.header("Date").size(), 29U);
  }
  EXPECT_EQ(server.server().open_connections(), 1U);
}

TEST(Server, AnswersRequestsOfOnePacketInTheirOrder) {
  TestServer server;
  Client client(server.port());
  client.send(get("/wait") + post("/echo", "second") + "\r\n" + get("/item/third"));
  server.exchange(0)->respond({.body = "first", .headers = {}});
  EXPECT_EQ(client.read_reply().body, "first");
  EXPECT_EQ(client.read_reply().body, "second");
  EXPECT_EQ(client.read_reply().body, "third");
}

TEST(Server, AnswersHeadWithTheLengthAndWithoutTheBody) {
  TestServer server;
  Client client(server.port());
  client.send("HEAD /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Reply reply = client.read_reply(true);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Length"), "5");
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");  // nothing of the first is left
}

TEST(Server, AnswersHeadOfAStreamWithoutItsPieces) {
  TestServer server;
  Client client(server.port());
  client.send("HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  server.exchange(0)->end();
  EXPECT_EQ(client.read_reply(true).status, 200);
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(Server, SaysWhatIsNotThereAndWhatIsNotAllowed) {
  TestServer server;
  Client client(server.port());
  EXPECT_EQ(client.ask(get("/nothing")).status, 404);
  const Reply reply = client.ask("DELETE /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.header("Allow"), "OPTIONS, POST");
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
}

TEST(Server, ReadsBodiesInChunks) {
  TestServer server;
  Client client(server.port());
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(client.ask(head + "3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\nTrailer: x\r\n\r\n").body,
            "abcdefgh");
  EXPECT_EQ(client.ask(head + "0\r\n\r\n").body, "");
  EXPECT_EQ(client.ask(head + "zz\r\n").status, 400);
}

TEST(Server, InvitesABodyOnlyWhereItWillBeRead) {
  TestServer server;
  const std::string expect = "Expect: 100-continue\r\n";
  Client client(server.port());
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n" + expect + "\r\n");
  EXPECT_EQ(client.read_reply().status, 100);
  EXPECT_EQ(client.ask("ab").body, "ab");
  client.send("POST /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n" + expect + "\r\n");
  EXPECT_EQ(client.read_reply().status, 404);
}

TEST(Server, StreamsPiecesAsTheyAreWritten) {
  TestServer server;
  Client client(server.port());
  client.send(get("/stream"));
  const auto exchange = server.exchange(0);
  EXPECT_NE(client.read_until("first\n\r\n").find("Transfer-Encoding: chunked"), std::string::npos);
  exchange->write("second\n");
  EXPECT_EQ(client.read_until("second\n\r\n"), "7\r\nsecond\n\r\n");
  exchange->write("");  // would be the end
  exchange->write(std::string(100000, 'x'));
  exchange->end();
  EXPECT_EQ(client.read_until("0\r\n\r\n").size(), 100000U + 7 + 2 + 5);
  EXPECT_EQ(client.ask(get("/hello")).body, "hello");
}

TEST(Server, TellsWarningsInTheHeadAndTheRecord) {
  TestServer server;
  Client client(server.port());
  client.send(get("/wait"));
  const auto exchange = server.exchange(0);
  exchange->warn({"unknown field: a\r\nX-Evil: 1", std::string(3000, '\xe9')});
  exchange->begin(200, "text/plain");
  exchange->warn({"too late"});
  exchange->end();
  const std::string head = client.read_until("0\r\n\r\n");
  EXPECT_NE(head.find("X-Pleiad-Warnings: unknown field: a??X-Evil: 1; ????"), std::string::npos);
  EXPECT_EQ(head.find("X-Evil: 1\r\n"), std::string::npos) << "no header of its own";
  EXPECT_LT(head.size(), 2000U) << "what is too long is cut";
  EXPECT_EQ(client.ask(get("/hello")).header("X-Pleiad-Warnings"), "") << "of one request";
  const auto records = server.records(2);
  ASSERT_EQ(records[0].warnings.size(), 2U);
  EXPECT_TRUE(records[1].warnings.empty());
}

TEST(Server, StreamsUntilTheEndForHttp10) {
  TestServer server;
  Client client(server.port());
  client.send("GET /stream HTTP/1.0\r\n\r\n");
  server.exchange(0)->end();
  const Reply reply = client.read_reply();
  EXPECT_EQ(reply.body, "first\n");
  EXPECT_EQ(reply.header("Connection"), "close");
}

TEST(Server, KeepsHttp10OpenOnlyWhereAsked) {
  TestServer server;
  Client client(server.port());
  EXPECT_EQ(client.ask("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").body, "hello");
  EXPECT_EQ(client.ask("GET /hello HTTP/1.0\r\n\r\n").body, "hello");
  EXPECT_TRUE(client.ends());
}

TEST(Server, TurnsErrorsOfHandlersIntoAnswers) {
  TestServer server;
  Client client(server.port());
  Reply reply = client.ask(get("/error"));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body, R"({"error":"top_k: expected a number"})");
  reply = client.ask(get("/mistake"));
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body, R"({"error":"internal error"})");
  EXPECT_EQ(server.records(2).at(1).error, "a secret");
  EXPECT_EQ(client.ask(get("/forget")).status, 500);
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
}

TEST(Server, CutsAStreamThatIsAbandoned) {
  TestServer server;
  Client client(server.port());
  client.send(get("/stream"));
  server.exchange(0);
  client.read_until("first");
  server.forget_exchanges();
  EXPECT_FALSE(client.read_reply().complete);
  EXPECT_TRUE(client.ends());
}

TEST(Server, KeepsTheRequestsOwnId) {
  TestServer server;
  Client client(server.port());
  EXPECT_EQ(client.ask(get("/hello", "X-Request-Id: mine-1\r\n")).header("X-Request-Id"), "mine-1");
  const std::string made = client.ask(get("/hello")).header("X-Request-Id");
  EXPECT_EQ(made.size(), 12U);
  const std::string other =
      client.ask(get("/hello", "X-Request-Id: a b\r\n")).header("X-Request-Id");
  EXPECT_EQ(other.size(), 12U);
  EXPECT_NE(made, other);
}

TEST(Server, RecordsEveryRequestOnce) {
  TestServer server;
  Client client(server.port());
  client.ask(post("/echo", "abc"));
  client.ask(get("/nothing"));
  client.ask("garbage\r\n\r\n");
  const auto records = server.records(3);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].method, "POST");
  EXPECT_EQ(records[0].path, "/echo");
  EXPECT_EQ(records[0].route, "/echo");
  EXPECT_EQ(records[0].status, 200);
  EXPECT_EQ(records[0].bytes_in, post("/echo", "abc").size());
  EXPECT_GT(records[0].bytes_out, 100U);
  EXPECT_TRUE(records[0].peer.starts_with("127.0.0.1:")) << records[0].peer;
  EXPECT_FALSE(records[0].client_gone);
  EXPECT_EQ(records[1].status, 404);
  EXPECT_EQ(records[1].route, "");
  EXPECT_EQ(records[2].status, 400);
}

TEST(Server, RefusesForeignHostsAndPages) {
  TestServer server;
  Client client(server.port());
  Reply reply = client.ask("GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(reply.status, 403);
  EXPECT_NE(reply.body.find("--allowed-hosts evil.example"), std::string::npos) << reply.body;
  reply = client.ask(post("/echo", "x", "Origin: https://evil.example\r\n"));
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), "");
  Client second(server.port());
  reply = second.ask(post("/echo", "x", "Origin: http://localhost:3000\r\n"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_EQ(reply.header("Vary"), "Origin");
}

TEST(Server, AsksForKeysAndTellsScopesApart) {
  ServerOptions options;
  options.use_keys = {"user"};
  options.admin_keys = {"boss"};
  TestServer server(options);
  Client client(server.port());
  Reply reply = client.ask(get("/hello"));
  EXPECT_EQ(reply.status, 401);
  EXPECT_TRUE(reply.header("WWW-Authenticate").starts_with("Bearer"));
  EXPECT_EQ(client.ask(get("/open")).status, 200);
  EXPECT_EQ(client.ask(get("/hello", "Authorization: Bearer user\r\n")).status, 200);
  EXPECT_EQ(client.ask(get("/hello", "x-api-key: user\r\n")).status, 200);
  EXPECT_EQ(client.ask(get("/hello", "x-api-key: wrong\r\n")).status, 401);
  EXPECT_EQ(client.ask(get("/admin", "x-api-key: user\r\n")).status, 403);
  EXPECT_EQ(client.ask(get("/admin", "x-api-key: boss\r\n")).status, 200);
}

TEST(Server, TellsHandlersWhoAsksRequestByRequest) {
  TestServer without_keys;
  EXPECT_EQ(Client(without_keys.port()).ask(get("/who")).body, "0 all");
  ServerOptions options;
  options.use_keys = {"alice", "bob"};
  options.admin_keys = {"boss"};
  TestServer server(options);
  Client client(server.port());
  const std::string alice = client.ask(get("/who", "x-api-key: alice\r\n")).body;
  const std::string bob = client.ask(get("/who", "Authorization: Bearer bob\r\n")).body;
  const std::string boss = client.ask(get("/who", "x-api-key: boss\r\n")).body;
  EXPECT_NE(alice, bob);
  EXPECT_EQ(alice.find("all"), std::string::npos);
  EXPECT_EQ(bob.find("all"), std::string::npos);
  EXPECT_TRUE(boss.ends_with(" all")) << boss;
  EXPECT_EQ(client.ask(get("/who", "x-api-key: alice\r\n")).body, alice);
  // What came before on the connection lends it nothing.
  EXPECT_EQ(client.ask(get("/who/open")).body, "0");
}

TEST(Server, TakesHugeBodiesPieceByPiece) {
  TestServer server;
  Client client(server.port());
  const std::string piece(1U << 20, 'x');
  client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100663296\r\n\r\n");
  for (int i = 0; i < 96; ++i) ASSERT_TRUE(client.send(piece));
  EXPECT_EQ(client.read_reply().status, 201);
  EXPECT_EQ(server.uploaded(), 96U << 20);
  EXPECT_TRUE(eventually([&] { return server.sinks_alive() == 0; }));
}

TEST(Server, ReportsASinkThatCannotWrite) {
  TestServer server;
  Client client(server.port());
  const Reply reply = client.ask(post("/upload", "!"));
  EXPECT_EQ(reply.status, 507);
  EXPECT_NE(reply.body.find("the disk is full"), std::string::npos);
  Client second(server.port());
  EXPECT_EQ(second.ask("POST /upload HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 411);
}

TEST(Server, SaysThatAnAddressIsInUse) {
  TestServer server;
  Router router;
  ServerOptions options;
  options.port = server.port();
  try {
    const Server second(router, options, nullptr);
    FAIL() << "both listen on port " << options.port;
  } catch (const Error& error) {
    const std::string expected = "127.0.0.1:" + std::to_string(options.port) + " is in use";
    EXPECT_TRUE(std::string(error.what()).starts_with(expected)) << error.what();
  }
  options.host = "192.0.2.1";
  EXPECT_THROW(Server(router, options, nullptr), Error);
  options.host = "no such name";
  EXPECT_THROW(Server(router, options, nullptr), Error);
}

}  // namespace
}  // namespace pleiad::http::testing
