// References to items of kept responses, as clients send them in the place of the items.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

using ::testing::HasSubstr;

class ItemReferences : public testing::Test {
 protected:
  ItemReferences() {
    add_openai_routes(api_.router, api_.context);
    api_.service.end = finished_result(1, 0, 1);
  }

  ApiHarness::Answer ask(Json input) {
    return api_.post("/v1/responses", {{"model", "demo"}, {"input", std::move(input)}});
  }
  static Json reference(const Json& id) { return {{"type", "item_reference"}, {"id", id}}; }

  ApiHarness api_;
};

TEST_F(ItemReferences, StandForWhatWasKept) {
  api_.service.deltas = {thinking_delta("hm"), call_delta("call_1", "f", {{"a", 1}})};
  const Json first =
      json_of(ask(json_from(R"([{"role": "user", "content": "Hi", "id": "msg_u"}])")));
  // As the AI SDK sends them: of its own items the ids, its users' messages whole.
  const Json input = {reference("msg_u"),
                      reference(first["output"][0]["id"]),
                      {{"id", first["output"][1]["id"]}},
                      {{"type", "function_call_output"}, {"call_id", "call_1"}, {"output", "2"}}};
  const auto answer = ask(input);
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_EQ(api_.service.answers.back().messages, json_from(R"([
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
      "function": {"name": "f", "arguments": "{\"a\":1}"}}], "reasoning": "hm"},
    {"role": "tool", "tool_call_id": "call_1", "content": "2"}])"));
}

TEST_F(ItemReferences, ToItemsOfOthersAreUnknown) {
  api_.service.deltas = {content_delta("secret")};
  api_.caller = {.key = 1};
  const Json id = json_of(ask("Hi"))["output"][0]["id"];
  api_.caller = {.key = 2};
  const auto answer = ask(Json::array({reference(id)}));
  EXPECT_EQ(answer->status(), 400);
  EXPECT_EQ(json_of(answer)["error"]["param"], "input[0].id");
  EXPECT_EQ(json_of(answer)["error"]["code"], "item_not_found");
  api_.caller = {.key = 1};
  EXPECT_EQ(ask(Json::array({reference(id)}))->status(), 200);
}

TEST_F(ItemReferences, ToItemsThatWereNotKeptAreUnknown) {
  api_.service.deltas = {content_delta("a")};
  const Json body = {{"model", "demo"}, {"input", "Hi"}, {"store", false}};
  const Json unkept = json_of(api_.post("/v1/responses", body));
  EXPECT_EQ(ask(Json::array({reference(unkept["output"][0]["id"])}))->status(), 400);
  const Json kept = json_of(ask("Hi"));
  const std::string target = "/v1/responses/" + kept["id"].get<std::string>();
  EXPECT_EQ(api_.call("DELETE", target)->status(), 200);
  EXPECT_EQ(ask(Json::array({reference(kept["output"][0]["id"])}))->status(), 400);
}

TEST_F(ItemReferences, AreToTheLatestItemOfTheirId) {
  const auto message = [](const char* id, const char* text) {
    return Json{{"role", "user"}, {"content", text}, {"id", id}};
  };
  ASSERT_EQ(ask({message("msg_a", "old"), message("msg_b", "b")})->status(), 200);
  ASSERT_EQ(ask({message("msg_a", "new"), message("msg_c", "c")})->status(), 200);
  const auto texts_of = [&](const std::vector<const char*>& ids) {
    Json input = Json::array();
    for (const char* id : ids) input.push_back(reference(id));
    EXPECT_EQ(ask(input)->status(), 200);
    std::vector<std::string> texts;
    for (const Json& asked : api_.service.answers.back().messages) {
      texts.push_back(asked["content"].get<std::string>());
    }
    return texts;
  };
  EXPECT_EQ(texts_of({"msg_c", "msg_b", "msg_a"}), (std::vector<std::string>{"c", "b", "new"}));
  EXPECT_EQ(texts_of({"msg_b", "msg_a", "msg_c"}), (std::vector<std::string>{"b", "new", "c"}));
}

TEST_F(ItemReferences, DoNotMultiplyALongItem) {
  api_.service.deltas = {content_delta(std::string(1'000'000, 'a'))};
  const Json id = json_of(ask("Hi"))["output"][0]["id"];
  Json input = Json::array();
  for (int i = 0; i < 5; ++i) input.push_back(reference(id));
  EXPECT_EQ(ask(input)->status(), 200);
  for (int i = 0; i < 5; ++i) input.push_back(reference(id));
  EXPECT_THAT(ask(input)->body(), HasSubstr("referred to"));
}

}  // namespace
}  // namespace pleiad::api::openai
