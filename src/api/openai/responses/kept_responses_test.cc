// Responses in the background that end, are cancelled and deleted, all at once.

#include "api/openai/responses/kept_responses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kStore = 100'000;  // bytes

class KeptInBackground : public testing::Test {
 protected:
  KeptInBackground() {
    add_openai_routes(api_.router, api_.context, {.response_store_bytes = kStore});
    api_.service.hold = true;
  }

  ApiHarness::Answer ask(const std::string& input, const char* fields = "{}") {
    Json body = {{"model", "demo"}, {"input", input}, {"background", true}};
    body.update(json_from(fields));
    return api_.post("/v1/responses", body);
  }
  std::string begun() { return json_of(ask("Hi"))["id"].get<std::string>(); }
  ApiHarness::Answer of(const char* method, const std::string& id, const char* after = "") {
    return api_.call(method, "/v1/responses/" + id + after);
  }
  serving::AnswerObserver& last() { return *api_.service.held.back().observer; }

  ApiHarness api_;
};

TEST_F(KeptInBackground, SayThatTheyFailedWhereTheyAreTooLargeToKeep) {
  const std::string other = begun();
  last().done(finished_result(3, 0, 1));
  const std::string id = begun();
  last().delta(content_delta(std::string(kStore, 'a')));
  last().done(finished_result(3, 0, 1));
  const Json made = json_of(of("GET", id));
  EXPECT_EQ(made["status"], "failed");
  EXPECT_EQ(made["error"]["code"], "server_error");
  EXPECT_THAT(made["error"]["message"].get<std::string>(), HasSubstr("too large to keep"));
  EXPECT_EQ(made["output"], Json::array());
  EXPECT_EQ(made["usage"]["output_tokens"], 1);
  EXPECT_EQ(of("GET", other)->status(), 200) << "nothing is given up for it";
}

TEST_F(KeptInBackground, AreRefusedWhereTheyCouldNotEndInAnyWay) {
  const auto answer = ask(std::string(kStore, 'a'));
  EXPECT_EQ(answer->status(), 400);
  EXPECT_EQ(json_of(answer)["error"]["param"], "background");
  EXPECT_TRUE(api_.service.answers.empty());
}

TEST_F(KeptInBackground, CountTheConversationsThatTheyGoOnWith) {
  const std::string before = begun();
  last().delta(content_delta(std::string(kStore / 4, 'a')));
  last().done(finished_result(3, 0, 1));
  const std::string fields = "{\"previous_response_id\": \"" + before + "\"}";
  int n = 0;
  while (n < 16 && ask("Hi", fields.c_str())->status() == 200) ++n;
  EXPECT_GE(n, 1);
  EXPECT_LT(n, 4) << "each holds a quarter of the store";
}

TEST_F(KeptInBackground, AreGoneOnceDeletedHoweverTheyEndMeanwhile) {
  for (int i = 0; i < 300; ++i) {
    const std::string id = begun();
    std::thread ending([&] { last().done(finished_result(3, 0, 1)); });
    EXPECT_EQ(of("DELETE", id)->status(), 200);
    ending.join();
    EXPECT_EQ(of("GET", id)->status(), 404);
    api_.service.held.clear();
  }
}

TEST_F(KeptInBackground, AreCancelledOrMadeNeverBetween) {
  for (int i = 0; i < 300; ++i) {
    const std::string id = begun();
    std::thread ending([&] { last().done(finished_result(3, 0, 1)); });
    const auto answer = of("POST", id, "/cancel");
    ending.join();
    if (answer->status() == 200) {
      EXPECT_EQ(json_of(of("GET", id))["status"], "cancelled");
    } else {
      EXPECT_THAT(answer->body(), HasSubstr("the response is completed"));
      EXPECT_EQ(json_of(of("GET", id))["status"], "completed");
    }
    api_.service.held.clear();
  }
}

StoredResponse response_named(const std::string& id) {
  StoredResponse response;
  response.id = id;
  return response;
}

TEST(BackgroundResponse, IsKeptByTheTimeThatAnotherHearsOfItsEnd) {
  BackgroundResponse response(1, response_named("a"));
  std::promise<void> asks;
  std::atomic<bool> is_kept = false;
  bool was_kept = false;
  std::thread other;
  EXPECT_TRUE(response.end([&] {
    other = std::thread([&] {
      asks.set_value();
      EXPECT_FALSE(response.end([] { FAIL(); }));
      was_kept = is_kept;
    });
    asks.get_future().wait();
    // Who did not wait would be through by then.
    for (int i = 0; i < 10'000; ++i) std::this_thread::yield();
    is_kept = true;
  }));
  other.join();
  EXPECT_TRUE(was_kept);
}

TEST(KeptResponses, LetGoOfOneThatCannotBeKept) {
  bool fails = false;
  KeptResponses kept({kStore}, [&] {
    if (fails) throw std::runtime_error("no memory");
    return 0.0;
  });
  const auto made = kept.background.begin(1, response_named("a"));
  bool is_cancelled = false;
  made->on_cancel([&] { is_cancelled = true; });
  fails = true;
  EXPECT_THROW(kept.cancel(*made, std::make_shared<StoredResponse>(response_named("a"))),
               std::runtime_error);
  EXPECT_TRUE(is_cancelled);
  EXPECT_FALSE(kept.background.find({.key = 1}, "a"));
}

}  // namespace
}  // namespace pleiad::api::openai
