// Conversations that end in the assistant's text, and those whose calls or results were lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/openai/chat_testing.h"

namespace pleiad::api::openai {
namespace {

using testing::HasSubstr;

Json begun(const char* last = R"({"role": "assistant", "content": "1, 2,"})") {
  return {{"model", "demo"},
          {"messages",
           json_from(R"([{"role": "user", "content": "Count"}, )" + std::string(last) + "]")}};
}

TEST_F(Chat, GoesOnWithALastMessageOfTheAssistant) {
  const auto answer = api_.post(kChatCompletions, begun());
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_TRUE(api_.service.answers.back().continue_last);
  EXPECT_EQ(api_.service.answers.back().messages[1]["content"], "1, 2,");
  const Json told = json_of(answer)["warnings"];
  ASSERT_EQ(told.size(), 1U);  // OpenAI's own would not
  EXPECT_THAT(told[0].get<std::string>(), HasSubstr("the answer goes on with it"));
  EXPECT_EQ(answer->warnings(), told);
}

TEST_F(Chat, IsToldWhetherToGoOn) {
  const struct {
    const char* fields;
    bool continues;
  } cases[] = {
      {R"({"continue_final_message": true, "add_generation_prompt": false})", true},
      {R"({"continue_final_message": true})", true},
      {R"({"add_generation_prompt": false})", true},
      {R"({"continue_final_message": false})", false},
      {R"({"add_generation_prompt": true})", false},
      {R"({"continue_final_message": false, "add_generation_prompt": true})", false},
  };
  for (const auto& one : cases) {
    Json body = begun();
    body.update(json_from(one.fields));
    const auto answer = api_.post(kChatCompletions, body);
    ASSERT_EQ(answer->status(), 200) << answer->body();
    EXPECT_EQ(api_.service.answers.back().continue_last, one.continues) << one.fields;
    EXPECT_FALSE(json_of(answer).contains("warnings")) << one.fields;
  }
  Json both = begun();
  both["continue_final_message"] = both["add_generation_prompt"] = true;
  EXPECT_EQ(api_.post(kChatCompletions, both)->status(), 400);
  const Json told =
      json_of(api_.post(kChatCompletions, with("add_generation_prompt", false)))["warnings"];
  EXPECT_THAT(told[0].get<std::string>(), HasSubstr("add_generation_prompt has no effect"));
}

TEST_F(Chat, AThoughtAloneIsAMessageToGoOnWith) {
  const Json message =
      asked(begun(R"({"role": "assistant", "reasoning_content": "I count"})")).messages[1];
  EXPECT_EQ(message["reasoning"], "I count");
}

TEST_F(Chat, ResultsWithoutTheirCallAreAnswered) {
  const auto answer = api_.post(kChatCompletions,
                                begun(R"({"role": "tool", "tool_call_id": "c", "content": "21"})"));
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_EQ(api_.service.answers.back().messages[1], json_from(R"({"role": "assistant",
                          "tool_responses": [{"name": "c", "response": "21"}]})"));
  EXPECT_THAT(json_of(answer)["warnings"][0].get<std::string>(), HasSubstr("messages[1]"));
}

TEST_F(Chat, CallsAndResultsMayHaveNoIds) {
  const Json messages = asked(begun(R"({"role": "assistant", "tool_calls": [
                        {"type": "function", "function": {"name": "f", "arguments": "{}"}}]},
                     {"role": "tool", "content": "21"})"))
                            .messages;
  EXPECT_EQ(messages[1]["tool_calls"][0]["id"], messages[2]["tool_call_id"]);
}

}  // namespace
}  // namespace pleiad::api::openai
