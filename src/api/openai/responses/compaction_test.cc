// What a client asks about a conversation beside its next answer: how long it is, and a shorter
// one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCompact = "/v1/responses/compact";
constexpr const char* kInputTokens = "/v1/responses/input_tokens";

class Compaction : public testing::Test {
 protected:
  Compaction() {
    add_openai_routes(api_.router, api_.context);
    api_.service.deltas = {content_delta("They fixed "), content_delta("a.cc.")};
    api_.service.end = finished_result(90, 10, 7);
  }

  const serving::AnswerRequest& asked() { return api_.service.answers.back(); }

  const Json conversation_ = json_from(R"([
    {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Rules."}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix a.cc"}]},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "1"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done"}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Thanks"}]}])");
  ApiHarness api_;
};

TEST_F(Compaction, GivesTheUsersMessagesAndASummary) {
  const auto answer =
      api_.post(kCompact, {{"model", "demo"}, {"input", conversation_}, {"instructions", "Code."}});
  ASSERT_EQ(answer->status(), 200) << answer->body();
  const Json body = json_of(answer);
  EXPECT_EQ(body["object"], "response.compaction");
  EXPECT_EQ(body["created_at"], 1'700'000'000);
  EXPECT_EQ(body["usage"]["input_tokens"], 90);
  EXPECT_EQ(body["usage"]["output_tokens"], 7);
  ASSERT_EQ(body["output"].size(), 3U);
  EXPECT_EQ(body["output"][0]["role"], "user");
  EXPECT_EQ(body["output"][0]["content"][0]["text"], "Fix a.cc");
  EXPECT_EQ(body["output"][1]["content"][0]["text"], "Thanks");
  EXPECT_EQ(body["output"][2]["type"], "compaction");
  EXPECT_THAT(body["output"][2]["encrypted_content"].get<std::string>(),
              HasSubstr("They fixed a.cc."));
  // The model saw all of it, and was asked for a summary.
  ASSERT_EQ(asked().messages.size(), 8U);
  EXPECT_EQ(asked().messages[0]["content"], "Code.");
  EXPECT_EQ(asked().messages[7]["role"], "user");
  EXPECT_THAT(asked().messages[7]["content"].get<std::string>(), HasSubstr("summary"));
  EXPECT_TRUE(asked().truncate)
      << "a conversation that is too long is just what is to be shortened";
  EXPECT_TRUE(asked().max_tokens.has_value());
}

TEST_F(Compaction, IsGoneOnFrom) {
  Json input =
      json_of(api_.post(kCompact, {{"model", "demo"}, {"input", conversation_}}))["output"];
  input.push_back({{"role", "user"}, {"content", "And b.cc?"}});
  const auto answer = api_.post("/v1/responses", {{"model", "demo"}, {"input", input}});
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_FALSE(json_of(answer).contains("warnings"));
  ASSERT_EQ(asked().messages.size(), 4U);
  EXPECT_EQ(asked().messages[1]["content"], "Thanks");
  EXPECT_EQ(asked().messages[2]["role"], "user");
  EXPECT_THAT(asked().messages[2]["content"].get<std::string>(), HasSubstr("They fixed a.cc."));
  EXPECT_EQ(asked().messages[3]["content"], "And b.cc?");
}

TEST_F(Compaction, IsOfStoredTurnsToo) {
  const Json first = json_of(api_.post("/v1/responses", {{"model", "demo"}, {"input", "Hi"}}));
  const Json body =
      json_of(api_.post(kCompact, {{"model", "demo"}, {"previous_response_id", first["id"]}}));
  ASSERT_EQ(body["output"].size(), 2U);
  EXPECT_EQ(body["output"][0]["content"][0]["text"], "Hi");
  EXPECT_EQ(api_.post(kCompact, {{"model", "demo"}})->status(), 400);
}

TEST_F(Compaction, SaysThatItWasCutOffOrFailed) {
  std::get<serving::AnswerResult>(api_.service.end).reason = FinishReason::length;
  const Json request = {{"model", "demo"}, {"input", "Hi"}};
  EXPECT_THAT(api_.post(kCompact, request)->body(), HasSubstr("cut off"));
  api_.service.deltas.clear();
  const auto empty = api_.post(kCompact, request);
  EXPECT_EQ(empty->status(), 422);
  EXPECT_THAT(empty->body(), HasSubstr("no summary"));
  api_.service.end = service_error(serving::ServiceError::Code::model_not_found, "none");
  EXPECT_EQ(api_.post(kCompact, request)->status(), 404);
}

TEST_F(Compaction, ComesAsOneBodyToWhoWaits) {
  for (const char* key : {"stream", "background"}) {
    const Json body = {{"model", "demo"}, {"input", "Hi"}, {key, true}};
    EXPECT_EQ(json_of(api_.post(kCompact, body))["error"]["param"], key);
  }
}

TEST_F(Compaction, CountsTokensWithoutAnAnswer) {
  api_.service.token_count = serving::Service::TokenCount{.tokens = 17};
  const auto answer = api_.post(kInputTokens, json_from(R"({"model": "demo", "input": "Hi",
      "instructions": "Code.", "tools": [{"type": "function", "name": "f", "parameters": {}},
                                         {"type": "web_search"}]})"));
  ASSERT_EQ(answer->status(), 200) << answer->body();
  const Json body = json_of(answer);
  EXPECT_EQ(body["object"], "response.input_tokens");
  EXPECT_EQ(body["input_tokens"], 17);
  EXPECT_EQ(body["warnings"].size(), 1U);
  ASSERT_EQ(api_.service.counts.size(), 1U);
  EXPECT_EQ(api_.service.counts[0].messages.size(), 2U);
  EXPECT_EQ(api_.service.counts[0].tools.size(), 1U);
  EXPECT_TRUE(api_.service.answers.empty());
  EXPECT_EQ(json_of(api_.post(kInputTokens, {{"model", "demo"}}))["error"]["param"], "input");
}

TEST_F(Compaction, CountingEndsWhenTheClientGoesAway) {
  api_.service.hold = true;
  const auto answer = api_.begin("POST", kInputTokens, R"({"model": "demo", "input": "Hi"})");
  answer->go_away();
  EXPECT_TRUE(api_.service.held_prompts[0].ticket->cancelled);
}

}  // namespace
}  // namespace pleiad::api::openai
