// Responses that are made in the background, and what may be done to them meanwhile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "api/openai/responses/background_responses.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

using ::testing::HasSubstr;

class Background : public testing::Test {
 protected:
  Background() {
    add_openai_routes(api_.router, api_.context);
    api_.service.hold = true;
  }

  ApiHarness::Answer ask(const char* fields = "{}") {
    Json body = json_from(R"({"model": "demo", "input": "Hi", "background": true})");
    body.update(json_from(fields));
    return api_.post("/v1/responses", body);
  }
  std::string begun() {
    const auto answer = ask();
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return json_of(answer)["id"].get<std::string>();
  }
  ApiHarness::Answer get(const std::string& id) { return api_.call("GET", "/v1/responses/" + id); }
  std::string status(const std::string& id) {
    const auto answer = get(id);
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return json_of(answer)["status"].get<std::string>();
  }
  ApiHarness::Answer cancel(const std::string& id) {
    return api_.call("POST", "/v1/responses/" + id + "/cancel");
  }

  ApiHarness api_;
};

TEST_F(Background, IsAnsweredAtOnceAndMadeAfterwards) {
  const auto answer = ask();
  const Json queued = json_of(answer);
  EXPECT_EQ(queued["status"], "queued");
  EXPECT_EQ(queued["background"], true);
  EXPECT_EQ(queued["output"], Json::array());
  const std::string id = queued["id"].get<std::string>();
  EXPECT_EQ(status(id), "queued");
  answer->go_away();
  ASSERT_EQ(api_.service.held.size(), 1U);
  EXPECT_FALSE(api_.service.held[0].ticket->cancelled) << "nobody need wait for it";
  api_.service.held[0].observer->delta(content_delta("Hello"));
  EXPECT_EQ(status(id), "in_progress");
  api_.service.held[0].observer->done(finished_result(3, 0, 1));
  const Json made = json_of(get(id));
  EXPECT_EQ(made["status"], "completed");
  EXPECT_EQ(made["output"][0]["content"][0]["text"], "Hello");
  EXPECT_EQ(made["usage"]["output_tokens"], 1);
  EXPECT_EQ(ask(("{\"previous_response_id\": \"" + id + "\"}").c_str())->status(), 200);
}

TEST_F(Background, TellsWhatFailed) {
  const std::string id = begun();
  api_.service.held[0].observer->failed(
      service_error(serving::ServiceError::Code::model_not_found, "no model demo"));
  const Json made = json_of(get(id));
  EXPECT_EQ(made["status"], "failed");
  EXPECT_EQ(made["error"]["message"], "no model demo");
}

TEST_F(Background, BlamesThePromptForWhatIsWrongWithItAlone) {
  using Code = serving::ServiceError::Code;
  // The words are those of the SDK's type ResponseError.
  const std::pair<Code, const char*> words[] = {
      {Code::bad_request, "invalid_prompt"}, {Code::context_exceeded, "invalid_prompt"},
      {Code::unsupported, "invalid_prompt"}, {Code::deadline, "server_error"},
      {Code::no_memory, "server_error"},     {Code::out_of_memory, "server_error"},
      {Code::busy, "server_error"},          {Code::model_not_found, "server_error"},
      {Code::internal, "server_error"}};
  for (const auto& [code, word] : words) {
    const std::string id = begun();
    api_.service.held.back().observer->failed(service_error(code, "no"));
    EXPECT_EQ(json_of(get(id))["error"]["code"], word);
  }
}

TEST_F(Background, IsCancelled) {
  const std::string id = begun();
  api_.service.held[0].observer->delta(content_delta("Hel"));
  const auto answer = cancel(id);
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(json_of(answer)["status"], "cancelled");
  EXPECT_TRUE(api_.service.held[0].ticket->cancelled);
  auto result = finished_result(3, 0, 1);
  result.reason = FinishReason::cancelled;
  api_.service.held[0].observer->done(result);
  EXPECT_EQ(status(id), "cancelled");
  EXPECT_EQ(json_of(cancel(id))["status"], "cancelled") << "once more is the same";
}

TEST_F(Background, IsNotCancelledOnceItIsMade) {
  const std::string id = begun();
  api_.service.held[0].observer->done(finished_result(3, 0, 1));
  EXPECT_EQ(cancel(id)->status(), 400);
  EXPECT_EQ(status(id), "completed");
  EXPECT_EQ(cancel("resp_none")->status(), 404);
  api_.service.hold = false;
  const Json usual =
      json_of(api_.post("/v1/responses", json_from(R"({"model": "demo", "input": "Hi"})")));
  EXPECT_THAT(cancel(usual["id"].get<std::string>())->body(), HasSubstr("background"));
}

TEST_F(Background, IsCancelledWhereItIsDeleted) {
  const std::string id = begun();
  EXPECT_EQ(api_.call("DELETE", "/v1/responses/" + id)->status(), 200);
  EXPECT_TRUE(api_.service.held[0].ticket->cancelled);
  EXPECT_EQ(get(id)->status(), 404);
  api_.service.held[0].observer->done(finished_result(3, 0, 1));
  EXPECT_EQ(get(id)->status(), 404);
}

TEST_F(Background, BelongsToTheKeyThatAsked) {
  api_.caller = {.key = 1};
  const std::string id = begun();
  api_.caller = {.key = 2};
  const std::string unknown = get("resp_none")->body();
  const auto answer = get(id);
  EXPECT_EQ(answer->status(), 404);
  EXPECT_EQ(answer->body().size(), unknown.size() + id.size() - std::string("resp_none").size());
  EXPECT_EQ(cancel(id)->status(), 404);
  EXPECT_EQ(api_.call("DELETE", "/v1/responses/" + id)->status(), 404);
  EXPECT_EQ(api_.call("GET", "/v1/responses/" + id + "/input_items")->status(), 404);
  EXPECT_FALSE(api_.service.held[0].ticket->cancelled);
  api_.caller = {.key = 3, .sees_all = true};
  EXPECT_EQ(status(id), "queued");
  EXPECT_EQ(json_of(cancel(id))["status"], "cancelled");
  api_.caller = {.key = 1};
  EXPECT_EQ(status(id), "cancelled") << "it stays its owner's";
}

TEST_F(Background, StreamsOnForWhoGoesAway) {
  const auto answer = api_.begin("POST", "/v1/responses", R"({"model": "demo", "input": "Hi",
                                                             "background": true, "stream": true})");
  api_.service.held[0].observer->delta(content_delta("Hel"));
  const std::string id = events_of(answer)[0].data["response"]["id"].get<std::string>();
  answer->go_away();
  EXPECT_FALSE(api_.service.held[0].ticket->cancelled);
  api_.service.held[0].observer->delta(content_delta("lo"));
  api_.service.held[0].observer->done(finished_result(3, 0, 2));
  EXPECT_EQ(json_of(get(id))["output"][0]["content"][0]["text"], "Hello");
}

TEST_F(Background, StreamsAtOnceThatItWaits) {
  const auto answer = api_.begin("POST", "/v1/responses", R"({"model": "demo", "input": "Hi",
                                                             "background": true, "stream": true})");
  auto events = events_of(answer);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].name, "response.created");
  EXPECT_EQ(events[1].name, "response.queued");
  EXPECT_EQ(events[1].data["sequence_number"], 1);
  const Json queued = events[0].data["response"];
  EXPECT_EQ(queued["status"], "queued");
  EXPECT_EQ(status(queued["id"].get<std::string>()), "queued");
  api_.service.held[0].observer->delta(content_delta("a"));
  api_.service.held[0].observer->done(finished_result(3, 0, 1));
  events = events_of(answer);
  EXPECT_EQ(events[2].name, "response.in_progress");
  EXPECT_EQ(events[2].data["response"]["status"], "in_progress");
  EXPECT_EQ(events.back().name, "response.completed");
  EXPECT_EQ(
      std::count_if(events.begin(), events.end(),
                    [](const StreamEvent& event) { return event.name == "response.created"; }),
      1);
}

TEST_F(Background, FailsInItsStream) {
  const auto answer = api_.begin("POST", "/v1/responses", R"({"model": "demo", "input": "Hi",
                                                             "background": true, "stream": true})");
  api_.service.held[0].observer->failed(
      service_error(serving::ServiceError::Code::model_not_found, "no model demo"));
  EXPECT_EQ(answer->status(), 200);
  const auto events = events_of(answer);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[2].name, "response.failed");
  EXPECT_EQ(events[2].data["response"]["error"]["message"], "no model demo");
  EXPECT_TRUE(answer->complete());
}

TEST_F(Background, NeedsAStore) {
  EXPECT_EQ(json_of(ask(R"({"store": false})"))["error"]["param"], "background");
}

TEST_F(Background, IsNotGoneOnFromBeforeItIsMade) {
  const std::string id = begun();
  const auto answer = ask(("{\"previous_response_id\": \"" + id + "\"}").c_str());
  EXPECT_THAT(answer->body(), HasSubstr("still being made"));
}

TEST_F(Background, IsNotStreamedAgain) {
  const std::string id = begun();
  EXPECT_EQ(get(id + "?stream=true")->status(), 400);
  EXPECT_EQ(get(id + "?starting_after=3")->status(), 400);
  EXPECT_EQ(get(id + "?stream=false")->status(), 200);
}

TEST_F(Background, IsLimitedForEachKeyApart) {
  api_.caller = {.key = 1};
  for (std::size_t i = 0; i < BackgroundResponses::kMostOfKey; ++i) (void)begun();
  const auto answer = ask();
  EXPECT_EQ(answer->status(), 429);
  EXPECT_EQ(json_of(answer)["error"]["type"], "rate_limit_error");
  api_.caller = {.key = 2};
  (void)begun();
  api_.caller = {.key = 1};
  api_.service.held[0].observer->done(finished_result(3, 0, 1));
  (void)begun();
}

TEST_F(Background, GivesItsPlaceBackWhereItCannotBeMade) {
  for (std::size_t i = 0; i < BackgroundResponses::kMostOfKey; ++i) (void)begun();
  EXPECT_EQ(ask()->status(), 429);
  api_.service.held.clear();  // whoever made them is gone, without a word
  (void)begun();
}

TEST_F(Background, KeepsTheShareOfItsBodyUntilItIsMade) {
  std::weak_ptr<FakeExchange> exchange;
  {
    const auto answer = ask();
    exchange = answer;
  }
  EXPECT_FALSE(exchange.expired());
  api_.service.held[0].observer->done(finished_result(3, 0, 1));
  api_.service.held.clear();
  EXPECT_TRUE(exchange.expired());
}

TEST(BackgroundResponses, AreLimitedInSizeTogether) {
  StoredResponse draft;
  draft.id = "a";
  draft.input_items = std::string(1000, ' ');
  const std::size_t n_bytes = BackgroundResponse(1, draft).n_bytes();
  EXPECT_GE(n_bytes, 2000U) << "as text and as values";
  BackgroundResponses responses(n_bytes - 1);
  const auto large = responses.begin(1, draft);
  ASSERT_TRUE(large) << "alone it may be larger";
  draft.id = "b";
  draft.input_items.clear();
  draft.input_items.shrink_to_fit();
  EXPECT_FALSE(responses.begin(1, draft));
  EXPECT_TRUE(responses.begin(2, draft));
  responses.remove(*large);
  EXPECT_TRUE(responses.begin(1, draft));
}

TEST(BackgroundResponses, HoldTheTurnsBeforeThemToo) {
  auto before = std::make_shared<StoredResponse>();
  before->input_items = std::string(1000, ' ');
  StoredResponse draft;
  draft.id = "a";
  const std::size_t alone = BackgroundResponse(1, draft).n_bytes();
  draft.previous = before;
  EXPECT_EQ(BackgroundResponse(1, draft).n_bytes(), alone + 1000);
}

TEST(BackgroundResponses, AreCancelledAlsoBeforeTheWorkIsKnown) {
  BackgroundResponse response(1, {});
  const auto nothing = [] {};
  bool cancelled = false;
  EXPECT_TRUE(response.end(nothing));
  EXPECT_FALSE(response.end(nothing));
  response.cancel();
  response.on_cancel([&] { cancelled = true; });
  EXPECT_TRUE(cancelled);
}

}  // namespace
}  // namespace pleiad::api::openai
