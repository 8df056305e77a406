#include "serving/answers/reply_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/answer.h"

namespace pleiad::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReplyLimitsTest : public ::testing::Test {
 protected:
  ReplyLimitsTest() { request_.think = true; }

  ThoughtRules rules(std::int64_t total = 100'000) {
    warnings_.clear();
    text::ReplyOptions reply;
    reply.thinking_enabled = request_.think.value_or(false);
    return thought_rules(request_, defaults_, reply, total, warnings_);
  }

  AnswerRequest request_;
  ReplyDefaults defaults_;
  std::vector<std::string> warnings_;
};

TEST_F(ReplyLimitsTest, LevelsAreBudgets) {
  EXPECT_EQ(budget_of_level("low"), 1024);
  EXPECT_EQ(budget_of_level("medium"), 8192);
  EXPECT_EQ(budget_of_level("high"), 24576);
  for (const char* none : {"max", "xhigh", ""}) EXPECT_EQ(budget_of_level(none), std::nullopt);
}

TEST_F(ReplyLimitsTest, ARequestOverrulesTheServer) {
  EXPECT_EQ(rules().budget, std::nullopt);
  EXPECT_TRUE(rules().ends_repetition);
  defaults_.thinking_budget = 500;
  EXPECT_EQ(rules().budget, 500);
  request_.thinking_budget = {200, "thinking_budget", false};
  EXPECT_EQ(rules().budget, 200);
  request_.thinking_budget = {-1, "thinking_budget", false};
  EXPECT_EQ(rules().budget, std::nullopt);
  defaults_.repetition_guard = false;
  EXPECT_FALSE(rules().ends_repetition);
  request_.repetition_guard = true;
  EXPECT_TRUE(rules().ends_repetition);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ReplyLimitsTest, RoomForAnAnswerIsLeftAndTold) {
  request_.thinking_budget = {1024, "thinking.budget_tokens", false};
  EXPECT_EQ(rules(400).budget, 300);
  EXPECT_THAT(
      warnings_,
      ElementsAre("thinking.budget_tokens: 1,024 tokens of thinking were asked for, and the "
                  "reply may have 400: the thought may take 300, so that there is room for "
                  "an answer"));
  request_.thinking_budget = {1024, "reasoning_effort", true};
  EXPECT_EQ(rules(400).budget, 300);
  EXPECT_THAT(warnings_, IsEmpty()) << "a level is as much as there is room for";
  EXPECT_EQ(rules(5).budget, std::nullopt);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("reasoning_effort: the reply may have 5 tokens")));
}

TEST_F(ReplyLimitsTest, WhatHasNoEffectIsTold) {
  request_.think = false;
  request_.thinking_budget = {1024, "thinking_budget", false};
  EXPECT_FALSE(rules().any());
  EXPECT_THAT(warnings_, ElementsAre("thinking_budget has no effect: thinking is off"));
  request_.form = AnswerRequest::Form::text;
  EXPECT_FALSE(rules().any());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a text is continued as it is")));
  for (const ThinkingBudget& quiet :
       {ThinkingBudget{0, "thinking_budget", false}, ThinkingBudget{1024, "think", true}}) {
    request_.thinking_budget = quiet;
    EXPECT_FALSE(rules().any());
    EXPECT_THAT(warnings_, IsEmpty());
  }
}

TEST_F(ReplyLimitsTest, WhoWantsSoManyTokensGetsThem) {
  EXPECT_TRUE(guards_repetition(request_, defaults_));
  request_.ignore_end = true;
  EXPECT_FALSE(guards_repetition(request_, defaults_));
  request_.repetition_guard = true;
  EXPECT_TRUE(guards_repetition(request_, defaults_));
}

TEST_F(ReplyLimitsTest, WhatWasEndedIsTold) {
  AnswerResult result;
  tell_limits(result, warnings_);
  EXPECT_THAT(warnings_, IsEmpty());
  result.ended_thought = EndedThought{EndedThought::Why::budget, 1020};
  tell_limits(result, warnings_);
  EXPECT_THAT(warnings_,
              ElementsAre("thinking was ended after 1,020 tokens: its budget was spent"));
  warnings_.clear();
  result.ended_thought->why = EndedThought::Why::repetition;
  result.reason = FinishReason::repetition;
  result.repetition = sampling::Repetition{1, 1030};
  tell_limits(result, warnings_);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("it repeated itself"),
                                     HasSubstr("its last 1,030 tokens repeat the same 1 token;")));
}

}  // namespace
}  // namespace pleiad::serving
