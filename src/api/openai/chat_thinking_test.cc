#include <gtest/gtest.h>

#include "api/openai/chat_testing.h"

namespace pleiad::api::openai {
namespace {

TEST_F(Chat, TellsForcedTokensAndTheStepsThatTheySaved) {
  api_.service.deltas = {content_delta("Hi")};
  auto result = finished_result(1, 0, 9);
  result.stats.forced_tokens = 7;
  result.stats.saved_steps = 6;
  api_.service.end = result;
  EXPECT_EQ(json_of(api_.post(kChatCompletions, question()))["usage"]["completion_tokens_details"],
            json_from(R"({"forced_tokens": 7, "saved_steps": 6})"));
}

TEST_F(Chat, TellsTokensOfDroppedTries) {
  api_.service.deltas = {content_delta("Hi")};
  auto result = finished_result(1, 0, 9);
  result.stats.dropped_tokens = 40;
  api_.service.end = result;
  const Json usage = json_of(api_.post(kChatCompletions, question()))["usage"];
  EXPECT_EQ(usage["completion_tokens_details"], json_from(R"({"dropped_tokens": 40})"));
  EXPECT_EQ(usage["completion_tokens"], 9);
}

TEST_F(Chat, RefusesTwoEffortsOrBudgetsThatDiffer) {
  Json efforts = with("reasoning_effort", "low");
  efforts["reasoning"] = {{"effort", "high"}};
  EXPECT_EQ(refused(efforts)["param"], "reasoning_effort");
  Json budgets = with("reasoning", {{"max_tokens", 500}});
  budgets["thinking_budget"] = 400;
  EXPECT_EQ(refused(budgets)["param"], "reasoning.max_tokens");
}

TEST_F(Chat, TellsThinkingByEffort) {
  EXPECT_EQ(asked(with("reasoning_effort", "none")).think, false);
  EXPECT_EQ(asked(with("reasoning_effort", "minimal")).think, false);
  EXPECT_EQ(asked(with("reasoning", {{"effort", "high"}})).think, true);
  EXPECT_EQ(asked(with("reasoning", {{"effort", "high"}})).thinking_budget->tokens, 24576);
  EXPECT_EQ(asked(with("reasoning_effort", "low")).thinking_budget->tokens, 1024);
  EXPECT_EQ(asked(with("reasoning_effort", "xhigh")).thinking_budget->tokens, -1);
  Json twice = with("reasoning_effort", "low");
  twice["reasoning"] = {{"effort", "low"}};
  EXPECT_EQ(asked(twice).thinking_budget->tokens, 1024);
  Json number = with("reasoning_effort", "low");
  number["thinking_budget"] = 77;
  EXPECT_EQ(asked(number).thinking_budget->tokens, 77);
  const serving::AnswerRequest most = asked(with("reasoning", {{"max_tokens", 500}}));
  EXPECT_EQ(most.think, true);
  EXPECT_EQ(most.thinking_budget->tokens, 500);
  EXPECT_EQ(asked(with("reasoning", {{"enabled", false}, {"max_tokens", 500}})).think, false);
  Json none = with("reasoning", {{"enabled", true}});
  none["thinking_budget"] = 0;
  EXPECT_EQ(asked(none).think, false);
}

TEST_F(Chat, TellsWhatWasEndedForTheModel) {
  api_.service.deltas = {content_delta("a")};
  auto result = finished_result(1, 0, 1);
  result.reason = FinishReason::repetition;
  result.ended_thought = EndedThought{EndedThought::Why::repetition, 1100};
  result.warnings = {"said in words"};
  api_.service.end = result;
  const Json body = json_of(api_.post(kChatCompletions, question()));
  EXPECT_EQ(body["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(body["choices"][0]["thinking_ended_by"], "repetition");
  EXPECT_EQ(body["choices"][0]["ended_by"], "repetition");
  EXPECT_EQ(body["warnings"], json_from(R"(["said in words"])"));
  const auto events = events_of(api_.post(kChatCompletions, with("stream", true)));
  const Json& last = events[events.size() - 2].data["choices"][0];
  EXPECT_EQ(last["finish_reason"], "length");
  EXPECT_EQ(last["ended_by"], "repetition");
}

}  // namespace
}  // namespace pleiad::api::openai
