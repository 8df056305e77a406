// What has much to read is read by workers, and connections do not wait for it.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "http/body_budget.h"
#include "http/test_client.h"

namespace pleiad::http::testing {
namespace {

/// POST /slow holds its thread until let_go(); GET /heavy does so too.
class SlowServer {
 public:
  explicit SlowServer(Limits limits = {.light_body_bytes = 1000}) {
    const Handler slow = [this](const Request& request, const std::shared_ptr<Exchange>& exchange) {
      {
        std::unique_lock lock(mutex_);
        begun_.push_back(request.body.substr(0, 1));
        changed_.wait(lock, [&] { return released_; });
      }
      if (request.body.starts_with('e')) throw Error("prompt: expected a string");
      if (request.body.starts_with('m')) throw std::runtime_error("a secret");
      exchange->respond({.body = std::to_string(request.body.size()), .headers = {}});
    };
    router_.add({.method = "POST", .pattern = "/slow", .handler = slow});
    router_.add({.method = "GET", .pattern = "/heavy", .handler = slow, .heavy = true});
    router_.add({.method = "POST", .pattern = "/quick", .handler = hello});
    const Handler keep = [this](const Request&, const std::shared_ptr<Exchange>& exchange) {
      const std::lock_guard lock(mutex_);
      kept_.push_back(exchange);
    };
    router_.add({.method = "POST", .pattern = "/kept", .handler = keep});
    router_.add({.method = "GET", .pattern = "/hello", .handler = hello});
    ServerOptions options;
    options.port = 0;
    options.limits = limits;
    server_ = std::make_unique<Server>(router_, options, [this](const AccessRecord& record) {
      const std::lock_guard lock(mutex_);
      records_.push_back(record);
    });
    server_->start();
  }
  ~SlowServer() { let_go(); }

  std::uint16_t port() const { return server_->port(); }
  Server& server() { return *server_; }
  void let_go() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  /// The first letters of the bodies whose handlers have begun.
  std::vector<std::string> begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  bool has_begun(std::size_t count) {
    return eventually([&] { return begun().size() >= count; });
  }
  /// The answers that POST /kept owes, which are nobody else's any more.
  std::vector<std::shared_ptr<Exchange>> take_kept() {
    const std::lock_guard lock(mutex_);
    return std::exchange(kept_, {});
  }
  std::vector<AccessRecord> records() {
    const std::lock_guard lock(mutex_);
    return records_;
  }

 private:
  static void hello(const Request& /*request*/, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond({.body = "hello", .headers = {}});
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Exchange>> kept_;
  bool released_ = false;
  std::vector<std::string> begun_;
  std::vector<AccessRecord> records_;
  Router router_;
  std::unique_ptr<Server> server_;
};

std::string body(char letter, std::size_t bytes = 2000) { return std::string(bytes, letter); }

TEST(ServerWorkers, OthersAreAnsweredWhileLongBodiesAreRead) {
  SlowServer server;
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(std::make_unique<Client>(server.port()));
    slow.back()->send(post("/slow", body('a')));
  }
  ASSERT_TRUE(server.has_begun(2));
  Client other(server.port());
  EXPECT_EQ(other.ask(get("/hello")).body, "hello");
  EXPECT_EQ(other.ask(post("/quick", body('a', 1000))).body, "hello");
  server.let_go();
  for (const auto& client : slow) EXPECT_EQ(client->read_reply().body, "2000");
}

TEST(ServerWorkers, HeavyRoutesAreTheirsHoweverShortTheBody) {
  SlowServer server;
  Client first(server.port());
  Client second(server.port());
  first.send(get("/heavy"));
  second.send(get("/heavy"));
  ASSERT_TRUE(server.has_begun(2));
  Client other(server.port());
  EXPECT_EQ(other.ask(get("/hello")).body, "hello");
  server.let_go();
  EXPECT_EQ(first.read_reply().body, "0");
  EXPECT_EQ(second.read_reply().body, "0");
}

TEST(ServerWorkers, WhatAClientThatLeftSentIsNotRead) {
  SlowServer server;
  Client first(server.port());
  Client second(server.port());
  first.send(post("/slow", body('a')));
  second.send(post("/slow", body('b')));
  ASSERT_TRUE(server.has_begun(2));
  Client leaver(server.port());
  leaver.send(post("/slow", body('c')));
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 3; }));
  Client last(server.port());
  EXPECT_EQ(last.ask(get("/hello")).body, "hello");
  leaver.close();
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 3; }));
  last.send(post("/slow", body('d')));
  server.let_go();
  EXPECT_EQ(last.read_reply().body, "2000");
  EXPECT_EQ(server.begun().back(), "d");
  EXPECT_EQ(server.begun().size(), 3U);
}

TEST(ServerWorkers, FailuresOfHandlersAreAnswered) {
  SlowServer server;
  server.let_go();
  Client client(server.port());
  Reply reply = client.ask(post("/slow", body('e')));
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.body.find("prompt: expected a string"), std::string::npos);
  reply = client.ask(post("/slow", body('m')));
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body.find("secret"), std::string::npos);
  EXPECT_EQ(client.ask(post("/slow", body('a'))).body, "2000");
  ASSERT_TRUE(eventually([&] { return server.records().size() == 3; }));
  EXPECT_EQ(server.records()[0].error, "");
  EXPECT_EQ(server.records()[1].error, "a secret");
  EXPECT_EQ(server.records()[2].error, "");
}

TEST(ServerWorkers, LongBodiesBeyondTheMemoryForAllAreRefused) {
  SlowServer server({.light_body_bytes = 1000, .waiting_body_bytes = 10'000});
  Client first(server.port());
  Client second(server.port());
  first.send(post("/slow", body('a', 4000)));
  second.send(post("/slow", body('b', 4000)));
  ASSERT_TRUE(server.has_begun(2));
  {
    Client third(server.port());
    const Reply reply = third.ask(post("/slow", body('c', 4000)));
    EXPECT_EQ(reply.status, 503);
    EXPECT_NE(reply.body.find("10.0 KB"), std::string::npos) << reply.body;
    Client light(server.port());
    EXPECT_EQ(light.ask(post("/quick", body('d', 1000))).status, 200);
  }
  {
    Client leaver(server.port());  // what it has sent is given back
    leaver.send(post("/slow", body('e', 4000)).substr(0, 1900));
    EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 3; }));
  }
  EXPECT_TRUE(eventually([&] { return server.server().open_connections() == 2; }));
  server.let_go();
  EXPECT_EQ(first.read_reply().status, 200);
  EXPECT_EQ(second.read_reply().status, 200);
  for (const char letter : {'f', 'g'}) {  // the memory comes back a moment after the answer
    EXPECT_TRUE(eventually([&] {
      Client again(server.port());
      return again.ask(post("/slow", body(letter, 9000))).status == 200;
    }));
  }
}

TEST(ServerWorkers, ALongBodyCountsUntilItsAnswer) {
  SlowServer server({.light_body_bytes = 1000, .waiting_body_bytes = 10'000});
  server.let_go();
  Client waiting(server.port());
  waiting.send(post("/kept", body('a', 8000)));
  std::vector<std::shared_ptr<Exchange>> kept;
  ASSERT_TRUE(eventually([&] { return !(kept = server.take_kept()).empty(); }));
  Client other(server.port());
  EXPECT_EQ(other.ask(post("/slow", body('b', 8000))).status, 503) << "its handler has returned";
  kept[0]->respond({.body = "done", .headers = {}});
  kept.clear();
  EXPECT_EQ(waiting.read_reply().body, "done");
  EXPECT_TRUE(eventually([&] {
    Client again(server.port());
    return again.ask(post("/slow", body('c', 8000))).status == 200;
  }));
}

TEST(ServerWorkers, StoppingDropsWhatHasNotBegun) {
  SlowServer server;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(post("/slow", body('a')));
  }
  ASSERT_TRUE(server.has_begun(2));
  Client other(server.port());
  EXPECT_EQ(other.ask(get("/hello")).body, "hello");
  std::thread stopping([&] { server.server().stop(0); });
  for (const auto& client : clients) EXPECT_TRUE(client->ends());
  server.let_go();
  stopping.join();
  EXPECT_EQ(server.begun().size(), 2U);
}

TEST(BodyBudget, GivesBackWhatDies) {
  BodyBudget budget(10);
  BodyBudget::Share first;
  EXPECT_TRUE(budget.grow(first, 4));
  EXPECT_TRUE(budget.grow(first, 6));
  {
    BodyBudget::Share second;
    EXPECT_FALSE(budget.grow(second, 5));
    EXPECT_TRUE(budget.grow(second, 4));
    EXPECT_FALSE(budget.grow(first, 7));
  }
  EXPECT_TRUE(budget.grow(first, 10));
  BodyBudget::Share moved = std::move(first);
  first = {};
  EXPECT_FALSE(budget.grow(first, 1));
  moved = {};
  EXPECT_TRUE(budget.grow(first, 10));
}

}  // namespace
}  // namespace pleiad::http::testing
