// Pictures in blocks of messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/anthropic/anthropic_routes.h"
#include "api/common/testing/api_harness.h"
#include "base/base64.h"
#include "base/testing/json.h"

namespace pleiad::api::anthropic {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kPng = "\x89PNG\r\n\x1a\n";

class ImageBlocks : public testing::Test {
 protected:
  ImageBlocks() {
    add_anthropic_routes(api_.router, api_.context);
    api_.service.end = finished_result(1, 0, 1);
  }

  static Json image(const std::string& media_type = "image/png") {
    return {{"type", "image"},
            {"source",
             {{"type", "base64"}, {"media_type", media_type}, {"data", encode_base64(kPng)}}}};
  }
  static Json of_user(std::vector<Json> blocks) {
    Json body = {{"model", "demo"}, {"max_tokens", 100}, {"messages", Json::array()}};
    body["messages"].push_back({{"role", "user"}, {"content", Json(std::move(blocks))}});
    return body;
  }
  static Json text(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

  const serving::AnswerRequest& asked(const Json& body) {
    const auto answer = api_.post("/v1/messages", body);
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return api_.service.answers.back();
  }
  std::string problem(const Json& body) {
    const auto answer = api_.post("/v1/messages", body);
    EXPECT_EQ(answer->status(), 400) << answer->body();
    return json_of(answer)["error"]["message"];
  }

  ApiHarness api_;
};

TEST_F(ImageBlocks, StandWhereTheyAreBetweenTexts) {
  const auto& request = asked(of_user({text("a"), image(), text("b")}));
  EXPECT_EQ(request.messages[0]["content"], json_from(R"([{"type": "text", "text": "a"},
      {"type": "image", "media": 0}, {"type": "text", "text": "b"}])"));
  ASSERT_THAT(request.media, SizeIs(1));
  EXPECT_EQ(*request.media[0].bytes, kPng);
  EXPECT_EQ(request.media[0].field, "messages[0].content[1]");
  EXPECT_EQ(asked(of_user({image()})).messages[0]["content"],
            json_from(R"([{"type": "image", "media": 0}])"));
}

TEST_F(ImageBlocks, ADocumentBesideOneIsATextOfItsOwn) {
  const Json document = json_from(R"({"type": "document",
      "source": {"type": "text", "media_type": "text/plain", "data": "d"}})");
  const auto& request = asked(of_user({image(), document, text("b"), image()}));
  EXPECT_EQ(request.messages[0]["content"], json_from(R"([{"type": "image", "media": 0},
      {"type": "text", "text": "<document>\nd\n</document>\n\nb"},
      {"type": "image", "media": 1}])"));
}

TEST_F(ImageBlocks, MayBeUrlsAndHaveBudgets) {
  Json block = json_from(
      R"({"type": "image", "source": {"type": "url", "url": "https://example.test/a.png"}})");
  block["max_soft_tokens"] = 1120;
  const auto& request = asked(of_user({block}));
  EXPECT_EQ(request.media.at(0).url, "https://example.test/a.png");
  EXPECT_EQ(request.media.at(0).budget, 1120);
}

TEST_F(ImageBlocks, StandInResultsOfTools) {
  Json body = of_user({text("Look")});
  body["messages"].push_back(json_from(R"({"role": "assistant", "content": [
      {"type": "tool_use", "id": "t", "name": "f", "input": {}}]})"));
  Json result = {{"type", "tool_result"}, {"tool_use_id", "t"}, {"content", Json::array()}};
  result["content"].push_back(image());
  result["is_error"] = true;
  body["messages"].push_back({{"role", "user"}, {"content", Json::array()}});
  body["messages"].back()["content"].push_back(result);
  const auto& request = asked(body);
  EXPECT_EQ(request.messages[2], json_from(R"({"role": "tool", "content": [
      {"type": "text", "text": "Error: "}, {"type": "image", "media": 0}], "tool_call_id": "t"})"));
  EXPECT_EQ(request.media.at(0).field, "messages[2].content[0].content[0]");
}

TEST_F(ImageBlocks, NamesWhatItRefuses) {
  Json file = image();
  file["source"] = {{"type", "file"}, {"file_id", "f"}};
  EXPECT_THAT(problem(of_user({file})),
              HasSubstr("messages[0].content[0].source.type: no files are kept here"));
  Json wrong = image();
  wrong["source"]["data"] = "a-b=";
  EXPECT_THAT(problem(of_user({wrong})),
              HasSubstr("messages[0].content[0].source.data: expected base64"));
  Json system = of_user({text("a")});
  system["system"] = Json::array();
  system["system"].push_back(image());
  EXPECT_THAT(problem(system), HasSubstr("system[0]: pictures cannot stand here"));
}

TEST_F(ImageBlocks, AreCountedAndTold) {
  const auto count = api_.post("/v1/messages/count_tokens", of_user({image(), text("a")}));
  EXPECT_EQ(count->status(), 200) << count->body();
  EXPECT_THAT(api_.service.counts.back().media, SizeIs(1));
  auto result = finished_result(300, 0, 1);
  result.media = {{.original = {10, 20},
                   .shown = {528, 1056},
                   .tokens = 242,
                   .budget = 280,
                   .cached = false,
                   .dropped = true}};
  api_.service.end = result;
  const Json answer = json_of(api_.post("/v1/messages", of_user({image("image/gif"), text("a")})));
  EXPECT_EQ(answer["media"],
            json_from(R"([{"kind": "picture", "width": 10, "height": 20, "shown_width": 528,
      "shown_height": 1056, "tokens": 242, "budget": 280, "cached": false, "dropped": true}])"));
  EXPECT_THAT(answer["warnings"],
              ElementsAre("messages[0].content[0]: is called image/gif, and is taken as the PNG "
                          "that it is"));
}

}  // namespace
}  // namespace pleiad::api::anthropic
