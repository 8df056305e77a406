// Several choices of one request.
#include <gmock/gmock.h>

#include <vector>

#include "api/openai/chat_testing.h"

namespace pleiad::api::openai {
namespace {

using testing::HasSubstr;

TEST_F(Chat, GivesSeveralChoicesWithSeedsOfTheirOwn) {
  api_.service.deltas = {content_delta("a")};
  api_.service.end = finished_result(10, 0, 3);
  Json body = with("n", 3);
  body["seed"] = 7;
  const Json answer = json_of(api_.post(kChatCompletions, body));
  ASSERT_EQ(answer["choices"].size(), 3U);
  EXPECT_EQ(answer["choices"][2]["index"], 2);
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 10);
  EXPECT_EQ(answer["usage"]["completion_tokens"], 9);
  ASSERT_EQ(api_.service.answers.size(), 3U);
  EXPECT_EQ(api_.service.answers[0].sampling.seed, 7U);
  EXPECT_EQ(api_.service.answers[2].sampling.seed, 9U);
}

TEST_F(Chat, StreamsChoicesAsTheyCome) {
  api_.service.hold = true;
  Json body = with("n", 2);
  body["stream"] = true;
  const auto answer = api_.begin("POST", kChatCompletions, to_text(body));
  ASSERT_EQ(api_.service.held.size(), 2U);
  EXPECT_EQ(answer->status(), 0);  // nothing yet: an error may still have its own status
  auto& first = *api_.service.held[0].observer;
  auto& second = *api_.service.held[1].observer;
  second.delta(content_delta("b"));
  first.delta(content_delta("a"));
  second.done(finished_result(1, 0, 1));
  EXPECT_FALSE(answer->complete());
  first.done(finished_result(1, 0, 1));
  EXPECT_TRUE(answer->complete());
  const auto events = events_of(answer);
  std::vector<int> indexes;
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    indexes.push_back(events[i].data["choices"][0]["index"].get<int>());
  }
  EXPECT_EQ(indexes, (std::vector<int>{1, 1, 0, 0, 1, 0}));
}

TEST_F(Chat, CancelsAllChoicesWhenTheClientGoesAway) {
  api_.service.hold = true;
  const auto answer = api_.begin("POST", kChatCompletions, to_text(with("n", 2)));
  answer->go_away();
  EXPECT_TRUE(api_.service.held[0].ticket->cancelled);
  EXPECT_TRUE(api_.service.held[1].ticket->cancelled);
}

TEST_F(Chat, CancelsTheOtherChoicesWhenOneFails) {
  api_.service.hold = true;
  const auto answer = api_.begin("POST", kChatCompletions, to_text(with("n", 2)));
  const auto error = service_error(serving::ServiceError::Code::internal, "lost");
  api_.service.held[0].observer->failed(error);
  EXPECT_TRUE(api_.service.held[1].ticket->cancelled);
  api_.service.held[1].observer->done(finished_result(1, 0, 1));  // comes late
  EXPECT_EQ(answer->status(), 500);
}

/// All that the events of a stream tell, in their order.
Json warnings_of(const std::vector<StreamEvent>& events) {
  Json told = Json::array();
  for (const StreamEvent& event : events) {
    if (!event.data.is_object() || !event.data.contains("warnings")) continue;
    for (const Json& one : event.data["warnings"]) told.push_back(one);
  }
  return told;
}

TEST_F(Chat, SaysOnceWhatHoldsForAllChoices) {
  auto result = finished_result(1, 0, 1);
  result.warnings = {"of the request", "of the reply"};
  api_.service.end = result;
  Json body = with("n", 2);
  const Json expected = json_from(R"(["of the request", "of the reply"])");
  EXPECT_EQ(json_of(api_.post(kChatCompletions, body))["warnings"], expected);
  body["stream"] = true;
  EXPECT_EQ(warnings_of(events_of(api_.post(kChatCompletions, body))), expected);
}

TEST_F(Chat, NamesTheChoiceThatAWarningIsAbout) {
  api_.service.hold = true;
  auto first = finished_result(1, 0, 1);
  first.warnings = {"of the request", "of the first", "of two"};
  auto second = finished_result(1, 0, 1);
  second.warnings = {"of the request", "of two"};
  auto third = finished_result(1, 0, 1);
  third.warnings = {"of the request"};
  auto broken = content_delta("call:f{");
  broken.event.kind = text::ReplyEvent::Kind::broken_tool_call;
  broken.event.problem = "no closing brace";
  for (const bool stream : {false, true}) {
    api_.service.held.clear();
    Json body = with("n", 3);
    body["stream"] = stream;
    body["options"] = {{"num_gpu", 1}};
    const auto answer = api_.begin("POST", kChatCompletions, to_text(body));
    ASSERT_EQ(api_.service.held.size(), 3U);
    api_.service.held[2].observer->delta(broken);
    api_.service.held[1].observer->done(second);
    api_.service.held[0].observer->done(first);
    api_.service.held[2].observer->done(third);
    ASSERT_TRUE(answer->complete());
    const Json told = stream ? warnings_of(events_of(answer)) : json_of(answer)["warnings"];
    ASSERT_EQ(told.size(), 6U);
    EXPECT_THAT(told[0].get<std::string>(), HasSubstr("num_gpu"));
    EXPECT_EQ(told[1], "of the request");
    EXPECT_EQ(told[2], "choices[0]: of the first");
    EXPECT_EQ(told[3], "choices[0]: of two");
    EXPECT_EQ(told[4], "choices[1]: of two");
    EXPECT_EQ(told[5],
              "choices[2]: a tool call could not be used (no closing brace); it is shown as "
              "content");
  }
}

}  // namespace
}  // namespace pleiad::api::openai
