// Pictures in the input of responses, and in conversations that are kept.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/base64.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string data_url(const std::string& bytes) {
  return "data:image/png;base64," + encode_base64(bytes);
}

class ResponsePictures : public testing::Test {
 protected:
  ResponsePictures() {
    add_openai_routes(api_.router, api_.context);
    api_.service.end = finished_result(1, 0, 1);
    api_.service.deltas = {content_delta("A cat.")};
  }

  Json created(const Json& body) {
    const auto answer = api_.post("/v1/responses", body);
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return json_of(answer);
  }
  Json refused(const Json& body) {
    const auto answer = api_.post("/v1/responses", body);
    EXPECT_EQ(answer->status(), 400) << answer->body();
    return json_of(answer)["error"];
  }
  static Json with_input(Json input) { return {{"model", "demo"}, {"input", std::move(input)}}; }
  static Json of_user(Json picture) {
    Json item = {{"role", "user"}, {"content", Json::array()}};
    item["content"].push_back({{"type", "input_text"}, {"text", "What is this?"}});
    item["content"].push_back(std::move(picture));
    Json input = Json::array();
    input.push_back(std::move(item));
    return with_input(std::move(input));
  }
  static Json picture(const std::string& bytes) {
    return {{"type", "input_image"}, {"image_url", data_url(bytes)}, {"detail", "low"}};
  }
  const serving::AnswerRequest& asked() { return api_.service.answers.back(); }

  ApiHarness api_;
};

TEST_F(ResponsePictures, StandWhereTheirPartsDo) {
  (void)created(of_user(picture("one")));
  EXPECT_EQ(asked().messages, json_from(R"([{"role": "user", "content": [
      {"type": "text", "text": "What is this?"}, {"type": "image", "media": 0}]}])"));
  ASSERT_THAT(asked().media, SizeIs(1));
  EXPECT_EQ(*asked().media[0].bytes, "one");
  EXPECT_EQ(asked().media[0].budget, 70);
  EXPECT_EQ(asked().media[0].field, "input[0].content[1]");
}

TEST_F(ResponsePictures, StayWithTheConversation) {
  const Json first = created(of_user(picture("one")));
  Json second = of_user(picture("two"));
  second["previous_response_id"] = first["id"];
  (void)created(second);
  ASSERT_THAT(asked().media, SizeIs(2));
  EXPECT_EQ(*asked().media[0].bytes, "one");
  EXPECT_EQ(asked().media[0].field, "previous_response_id.content[1]");
  EXPECT_EQ(asked().media[0].budget, 70);
  EXPECT_EQ(*asked().media[1].bytes, "two");
  EXPECT_EQ(asked().messages[2]["content"][1]["media"], 1);
}

TEST_F(ResponsePictures, AreGivenBackAsTheyCame) {
  const Json first = created(of_user(picture("one")));
  const auto items =
      api_.call("GET", "/v1/responses/" + first["id"].get<std::string>() + "/input_items");
  EXPECT_EQ(json_of(items)["data"][0]["content"][1], picture("one"));
  Json again = with_input(Json::array());
  again["input"].push_back({{"type", "item_reference"}, {"id", json_of(items)["data"][0]["id"]}});
  (void)created(again);
  ASSERT_THAT(asked().media, SizeIs(1));
  EXPECT_EQ(asked().media[0].field, "input[0].content[1]");
}

TEST_F(ResponsePictures, AreNoPartOfTheTextThatIsReadAgain) {
  // Three of these would be more than a conversation's text may have.
  const std::string large(3U << 20, 'x');
  Json id;
  for (int turn = 0; turn < 3; ++turn) {
    Json body = of_user(picture(large));
    if (!id.is_null()) body["previous_response_id"] = id;
    id = created(body)["id"];
  }
  EXPECT_THAT(asked().media, SizeIs(3));
}

TEST_F(ResponsePictures, StandInResultsOfTools) {
  Json body = with_input(json_from(R"([
      {"role": "user", "content": "Look"},
      {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
      {"type": "function_call_output", "call_id": "c", "output": [
        {"type": "input_text", "text": "seen"}]}])"));
  body["input"][2]["output"].push_back(picture("one"));
  (void)created(body);
  EXPECT_EQ(asked().messages[2], json_from(R"({"role": "tool", "tool_call_id": "c", "content": [
      {"type": "text", "text": "seen"}, {"type": "image", "media": 0}]})"));
  EXPECT_EQ(asked().media.at(0).field, "input[2].output[1]");
}

TEST_F(ResponsePictures, NamesWhatItRefuses) {
  EXPECT_EQ(refused(of_user({{"type", "input_image"}, {"file_id", "file-1"}}))["param"],
            "input[0].content[1].file_id");
  EXPECT_EQ(refused(of_user({{"type", "input_image"}, {"image_url", "x"}}))["param"],
            "input[0].content[1].image_url");
  EXPECT_EQ(refused(of_user({{"type", "input_image"}}))["param"], "input[0].content[1].image_url");
  Json system = of_user(picture("one"));
  system["input"][0]["role"] = "system";
  EXPECT_THAT(refused(system)["message"].get<std::string>(),
              HasSubstr("input[0].content[1]: pictures cannot stand here"));
}

TEST_F(ResponsePictures, AreCounted) {
  const auto answer = api_.post("/v1/responses/input_tokens", of_user(picture("one")));
  EXPECT_EQ(answer->status(), 200) << answer->body();
  EXPECT_THAT(api_.service.counts.back().media, SizeIs(1));
}

}  // namespace
}  // namespace pleiad::api::openai
