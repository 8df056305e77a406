#include "api/common/thinking_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/local_fields.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "base/testing/json.h"

namespace pleiad::api {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ThinkingFieldsTest : public ::testing::Test {
 protected:
  /// As the routes of OpenAI and Anthropic read them.
  const serving::AnswerRequest& read(const std::string& text) {
    json_ = json_from(text);
    request_ = {};
    RequestNotes notes;
    FieldReader body(json_);
    read_extensions(body, request_, notes.warnings());
    read_local_fields(body, request_, notes);
    notes.unknown(body);
    warnings_ = notes.take();
    return request_;
  }
  std::int64_t budget(const std::string& text) {
    const auto& budget = read(text).thinking_budget;
    return budget ? budget->tokens : -2;
  }

  Json json_;
  serving::AnswerRequest request_;
  std::vector<std::string> warnings_;
};

TEST_F(ThinkingFieldsTest, ABudgetInTheWordsOfSeveralServers) {
  for (const char* body :
       {R"({"thinking_budget": 300})", R"({"options": {"thinking_budget": 300}})",
        R"({"thinking_budget_tokens": 300})", R"({"thinking_token_budget": 300})",
        R"({"chat_template_kwargs": {"thinking_budget": 300}})",
        R"({"thinking_budget": 300, "options": {"thinking_budget": 500}})",
        R"({"thinking_budget": 300, "think": "high"})"}) {
    EXPECT_EQ(budget(body), 300) << body;
    EXPECT_FALSE(request_.thinking_budget->is_level);
    EXPECT_THAT(warnings_, IsEmpty()) << body;
  }
  EXPECT_EQ(read(R"({"options": {"thinking_budget": 300}})").thinking_budget->field,
            "options.thinking_budget");
  EXPECT_EQ(budget(R"({"thinking_budget": -1})"), -1);
  EXPECT_EQ(budget("{}"), -2);
}

TEST_F(ThinkingFieldsTest, TwoNumbersThatDifferAreRefused) {
  for (const char* body :
       {R"({"thinking_budget": 30, "thinking_budget_tokens": 10})",
        R"({"thinking_token_budget": 30, "thinking_budget_tokens": 10})",
        R"({"thinking_budget": 30, "chat_template_kwargs": {"thinking_budget": 10}})"}) {
    try {
      (void)read(body);
      ADD_FAILURE() << body;
    } catch (const RequestError& error) {
      EXPECT_THAT(error.what(),
                  ::testing::ContainsRegex("budget.*: differs from thinking.*budget"));
    }
  }
  EXPECT_EQ(budget(R"({"thinking_budget": 10, "thinking_budget_tokens": 10})"), 10);
  EXPECT_EQ(budget(R"({"options": {"thinking_budget": 30}, "thinking_budget_tokens": 10})"), 10);
  EXPECT_EQ(request_.thinking_budget->field, "thinking_budget_tokens");
}

TEST_F(ThinkingFieldsTest, NoneOfItTurnsThinkingOff) {
  EXPECT_EQ(read(R"({"thinking_budget": 0})").think, false);
  EXPECT_EQ(read(R"({"thinking_budget": 0, "think": true})").think, false);
  EXPECT_EQ(read(R"({"think": "none"})").think, false);
}

TEST_F(ThinkingFieldsTest, LevelsAreBudgets) {
  EXPECT_EQ(budget(R"({"think": "low"})"), 1024);
  EXPECT_EQ(request_.think, true);
  EXPECT_TRUE(request_.thinking_budget->is_level);
  EXPECT_EQ(budget(R"({"think": "medium"})"), 8192);
  EXPECT_EQ(budget(R"({"think": "high"})"), 24576);
  EXPECT_EQ(budget(R"({"think": "max"})"), -1);
  EXPECT_EQ(budget(R"({"think": true})"), -2);
  set_thinking_level(request_, "reasoning_effort", "minimal");
  EXPECT_EQ(request_.think, false);
}

TEST_F(ThinkingFieldsTest, WhatIsNoBudgetIsRefused) {
  for (const char* body : {R"({"thinking_budget": "low"})", R"({"thinking_budget": -2})",
                           R"({"thinking_budget_tokens": 1.5})", R"({"repetition_guard": 3})",
                           R"({"repetition_detection": true})"}) {
    EXPECT_THROW(read(body), RequestError) << body;
  }
}

TEST_F(ThinkingFieldsTest, TheGuardIsTurnedOnAndOff) {
  EXPECT_EQ(read("{}").repetition_guard, std::nullopt);
  EXPECT_EQ(read(R"({"repetition_guard": false})").repetition_guard, false);
  EXPECT_EQ(read(R"({"options": {"repetition_guard": true}})").repetition_guard, true);
  EXPECT_EQ(read(R"({"repetition_detection": {"max_pattern_size": 0}})").repetition_guard, false);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(read(R"({"repetition_detection": {"max_pattern_size": 20, "min_count": 4}})")
                .repetition_guard,
            true);
  EXPECT_THAT(warnings_, ::testing::ElementsAre(HasSubstr("repetition_detection: what counts")));
}

TEST_F(ThinkingFieldsTest, AnswersTellWhatWasEnded) {
  serving::AnswerResult result;
  Json choice = Json::object();
  add_limit_ends(choice, result);
  EXPECT_EQ(choice, Json::object());
  result.ended_thought = EndedThought{EndedThought::Why::budget, 100};
  result.reason = FinishReason::repetition;
  add_limit_ends(choice, result);
  EXPECT_EQ(choice, (Json{{"thinking_ended_by", "budget"}, {"ended_by", "repetition"}}));
}

}  // namespace
}  // namespace pleiad::api
