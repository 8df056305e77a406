// Pictures in chat completions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/openai/chat_testing.h"
#include "base/base64.h"

namespace pleiad::api::openai {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kUrl = "data:image/png;base64," + encode_base64("\x89PNG\r\n\x1a\n");

class ChatPictures : public Chat {
 protected:
  static Json picture(Json image_url) {
    return {{"type", "image_url"}, {"image_url", std::move(image_url)}};
  }
  static Json of_role(const std::string& role, Json part) {
    Json body = question();
    body["messages"] = Json::array();
    Json& message = body["messages"].emplace_back(Json{{"role", role}});
    message["content"] = Json::array();
    message["content"].push_back({{"type", "text"}, {"text", "What is this?"}});
    message["content"].push_back(std::move(part));
    return body;
  }
  static Json of_user(Json part) { return of_role("user", std::move(part)); }
};

TEST_F(ChatPictures, StandWhereTheirPartsDo) {
  const auto request = asked(of_user(picture({{"url", kUrl}})));
  EXPECT_EQ(request.messages, json_from(R"([{"role": "user", "content": [
      {"type": "text", "text": "What is this?"}, {"type": "image", "media": 0}]}])"));
  ASSERT_THAT(request.media, SizeIs(1));
  EXPECT_EQ(*request.media[0].bytes, "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(request.media[0].field, "messages[0].content[1]");
  EXPECT_FALSE(request.media[0].budget || request.media[0].automatic);
}

TEST_F(ChatPictures, ComeInOtherFormsOfClientsToo) {
  EXPECT_THAT(asked(of_user(picture(kUrl))).media, SizeIs(1));
  EXPECT_THAT(asked(of_user({{"type", "input_image"}, {"image_url", kUrl}})).media, SizeIs(1));
  const auto fetched = asked(of_user(picture({{"url", "https://example.test/a.png"}})));
  EXPECT_EQ(fetched.media.at(0).url, "https://example.test/a.png");
}

TEST_F(ChatPictures, DetailIsABudget) {
  const auto with_detail = [&](const char* detail) {
    return asked(of_user(picture({{"url", kUrl}, {"detail", detail}}))).media.at(0);
  };
  EXPECT_EQ(with_detail("low").budget, 70);
  EXPECT_EQ(with_detail("high").budget, 1120);
  EXPECT_EQ(with_detail("original").budget, 1120);
  EXPECT_EQ(with_detail("auto").budget, std::nullopt);
  EXPECT_FALSE(with_detail("auto").automatic) << "many clients send it where nobody chose";
}

TEST_F(ChatPictures, BudgetsOfPicturesAndRequests) {
  Json part = picture({{"url", kUrl}, {"detail", "low"}});
  part["max_soft_tokens"] = 560;
  Json body = of_user(part);
  body["mm_processor_kwargs"] = {{"max_soft_tokens", 140}};
  const auto request = asked(body);
  EXPECT_EQ(request.media.at(0).budget, 560);
  EXPECT_EQ(request.media_budget, 140);
  part["mm_processor_kwargs"] = {{"max_soft_tokens", "auto"}};
  part.erase("max_soft_tokens");
  const auto automatic = asked(of_user(part)).media.at(0);
  EXPECT_EQ(automatic.budget, std::nullopt);
  EXPECT_TRUE(automatic.automatic);
  body["mm_processor_kwargs"] = {{"max_soft_tokens", 141}};
  api_.service.answers.clear();
  EXPECT_EQ(refused(body)["param"], "mm_processor_kwargs.max_soft_tokens");
}

TEST_F(ChatPictures, AreRefusedByNameWhereTheyAreNone) {
  const auto problem = [&](Json part) { return refused(of_user(std::move(part))); };
  EXPECT_EQ(problem(picture({{"url", "ftp://x"}}))["param"],
            "messages[0].content[1].image_url.url");
  EXPECT_EQ(problem(picture(Json::object()))["param"], "messages[0].content[1].image_url.url");
  EXPECT_EQ(problem({{"type", "image_url"}})["param"], "messages[0].content[1].image_url");
  EXPECT_EQ(problem(picture({{"url", kUrl}, {"detail", "huge"}}))["param"],
            "messages[0].content[1].image_url.detail");
  const Json file = problem({{"type", "input_image"}, {"file_id", "file-1"}});
  EXPECT_EQ(file["param"], "messages[0].content[1].file_id");
  EXPECT_EQ(file["code"], "unsupported_media");
  for (const char* type : {"image", "imageurl"}) {
    const Json other = problem({{"type", type}, {"image_url", {{"url", kUrl}}}});
    EXPECT_EQ(other["param"], "messages[0].content[1].type");
    EXPECT_THAT(other["message"].get<std::string>(), HasSubstr("\"image_url\""));
  }
}

TEST_F(ChatPictures, StandInResultsOfToolsAndNotInAnswersOrSystemMessages) {
  for (const char* role : {"system", "developer", "assistant"}) {
    const Json error = refused(of_role(role, picture({{"url", kUrl}})));
    EXPECT_EQ(error["param"], "messages[0].content[1]");
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("pictures cannot stand here"));
  }
  Json body = of_role("tool", picture({{"url", kUrl}}));
  const auto orphan = asked(body);
  EXPECT_EQ(orphan.messages[0]["tool_responses"], json_from(R"([
      {"name": "unknown", "response": "What is this?", "media": [{"type": "image", "media": 0}]}])"));
  Json call = json_from(R"({"role": "assistant", "tool_calls": [
      {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}]})");
  body["messages"][0]["tool_call_id"] = "c";
  body["messages"].insert(body["messages"].begin(), call);
  EXPECT_EQ(asked(body).messages[1]["content"][1], (Json{{"type", "image"}, {"media", 0}}));
}

TEST_F(ChatPictures, TheAnswerTellsHowTheyWereShown) {
  auto result = finished_result(300, 0, 2);
  result.media = {{.original = {4000, 3000},
                   .shown = {912, 672},
                   .tokens = 266,
                   .budget = 280,
                   .cached = true,
                   .dropped = false}};
  api_.service.end = result;
  const Json media =
      json_from(R"([{"kind": "picture", "width": 4000, "height": 3000, "shown_width": 912,
      "shown_height": 672, "tokens": 266, "budget": 280, "cached": true}])");
  Json body = of_user(picture({{"url", kUrl}}));
  EXPECT_EQ(json_of(api_.post(kChatCompletions, body))["media"], media);
  EXPECT_FALSE(json_of(api_.post(kChatCompletions, question())).contains("warnings"));
  body["stream"] = true;
  EXPECT_THAT(api_.post(kChatCompletions, body)->body(),
              HasSubstr("\"media\":[{\"kind\":\"picture\",\"width\":4000"));
}

TEST_F(ChatPictures, EveryChoiceSeesThemAndTheyAreKeptOnce) {
  Json body = of_user(picture({{"url", kUrl}}));
  body["n"] = 2;
  (void)asked(body);
  ASSERT_THAT(api_.service.answers, SizeIs(2));
  EXPECT_EQ(api_.service.answers[0].media[0].bytes, api_.service.answers[1].media[0].bytes);
  EXPECT_EQ(api_.service.answers[0].media[0].prepared, api_.service.answers[1].media[0].prepared);
}

TEST_F(ChatPictures, AWrongNameIsToldWithTheAnswer) {
  api_.service.end = finished_result(1, 0, 1);
  Json body =
      of_user(picture({{"url", "data:image/gif;base64," + encode_base64("\x89PNG\r\n\x1a\n")}}));
  EXPECT_THAT(json_of(api_.post(kChatCompletions, body))["warnings"],
              ElementsAre("messages[0].content[1]: is called image/gif, and is taken as the PNG "
                          "that it is"));
}

}  // namespace
}  // namespace pleiad::api::openai
