#include "apps/run/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

using ::testing::HasSubstr;

TEST(SetParameter, SetsWhatItNames) {
  ChatState state;
  EXPECT_EQ(set_parameter(state, "temperature", "0.3", 100).value(), "temperature = 0.3");
  EXPECT_EQ(state.generation.sampling.temperature, 0.3);
  EXPECT_TRUE(set_parameter(state, "top_k", "7", 100).ok());
  EXPECT_EQ(state.generation.sampling.top_k, 7);
  EXPECT_TRUE(set_parameter(state, "seed", "42", 100).ok());
  EXPECT_EQ(state.generation.sampling.seed, 42U);
  EXPECT_TRUE(set_parameter(state, "seed", "none", 100).ok());
  EXPECT_FALSE(state.generation.sampling.seed.has_value());
  EXPECT_TRUE(set_parameter(state, "typical_p", "0.5", 100).ok());
  EXPECT_EQ(state.generation.sampling.typical_p, 0.5);
  EXPECT_TRUE(set_parameter(state, "num_predict", "12", 100).ok());
  EXPECT_EQ(state.generation.max_tokens, 12);
  EXPECT_TRUE(set_parameter(state, "stop", "END", 100).ok());
  EXPECT_TRUE(set_parameter(state, "stop", "STOP", 100).ok());
  EXPECT_EQ(state.stop.size(), 2U);
  EXPECT_TRUE(set_parameter(state, "stop", "none", 100).ok());
  EXPECT_TRUE(state.stop.empty());
  EXPECT_EQ(state.chosen, (std::set<std::string>{"num_predict", "seed", "stop", "temperature",
                                                 "top_k", "typical_p"}));
}

TEST(SetParameter, RefusesAndChangesNothing) {
  ChatState state;
  for (const auto& [name, value] : {std::pair{"temperature", "warm"},
                                    {"temperature", "-1"},
                                    {"top_p", "2"},
                                    {"typical_p", "2"},
                                    {"top_k", "1.5"},
                                    {"top_k", "-3"},
                                    {"seed", "x"},
                                    {"num_predict", "-2"},
                                    {"thinking_budget", "0"},
                                    {"thinking_budget", "low"},
                                    {"repetition_guard", "7"},
                                    {"stop", ""},
                                    {"colour", "1"}}) {
    const auto result = set_parameter(state, name, value, 100);
    EXPECT_FALSE(result.ok()) << name << " " << value;
  }
  EXPECT_EQ(state.generation.sampling.temperature, 1.0);
  EXPECT_THAT(set_parameter(state, "colour", "1", 100).message(), HasSubstr("top_k"));
  EXPECT_THAT(set_parameter(state, "top_p", "2", 100).message(), HasSubstr("top_p"));
}

TEST(SetParameter, LimitsThoughtsAndRepetitions) {
  ChatState state;
  EXPECT_TRUE(state.limits.repetition_guard);
  EXPECT_EQ(set_parameter(state, "repetition_guard", "off", 100).value(), "repetition_guard = off");
  EXPECT_FALSE(state.request().limits.repetition_guard);
  EXPECT_TRUE(set_parameter(state, "thinking_budget", "300", 100).ok());
  EXPECT_EQ(state.request().limits.thinking_budget, 300);
  EXPECT_TRUE(set_parameter(state, "thinking_budget", "-1", 100).ok());
  EXPECT_EQ(state.limits.thinking_budget, std::nullopt);
}

TEST(SetThinking, ALevelIsABudget) {
  ChatState state;
  EXPECT_EQ(set_thinking(state, "true").value(), "thinking is on");
  EXPECT_TRUE(state.think);
  EXPECT_EQ(state.limits.thinking_budget, std::nullopt);
  EXPECT_EQ(set_thinking(state, "low").value(), "thinking is on, of at most 1,024 tokens");
  EXPECT_EQ(state.limits.thinking_budget, 1024);
  EXPECT_TRUE(state.chosen.contains("thinking_budget"));
  EXPECT_TRUE(set_thinking(state, "false").ok());
  EXPECT_TRUE(set_thinking(state, "high").ok());
  EXPECT_EQ(set_thinking(state, "true").value(), "thinking is on");
  EXPECT_EQ(state.limits.thinking_budget, std::nullopt) << "a level is chosen with thinking";
  EXPECT_FALSE(state.chosen.contains("thinking_budget"));
  EXPECT_TRUE(set_parameter(state, "thinking_budget", "300", 100).ok());
  EXPECT_TRUE(set_thinking(state, "true").ok());
  EXPECT_EQ(state.limits.thinking_budget, 300) << "a number for itself";
  EXPECT_TRUE(set_thinking(state, "false").ok());
  EXPECT_FALSE(state.think);
  EXPECT_THAT(set_thinking(state, "deep").message(), HasSubstr("high, medium or low"));
}

TEST(SetParameter, WhatIsRefusedWasNotChosen) {
  ChatState state;
  EXPECT_FALSE(set_parameter(state, "top_p", "2", 100).ok());
  EXPECT_TRUE(state.chosen.empty());
}

TEST(KeepChosen, TakesWhatTheUserChoseAndNothingElse) {
  ChatState user;
  ASSERT_TRUE(set_parameter(user, "top_k", "7", 100).ok());
  ASSERT_TRUE(set_parameter(user, "stop", "END", 100).ok());
  user.generation.sampling.temperature = 0.1;  // the old model's
  ChatState fresh;
  fresh.generation.sampling.temperature = 0.9;  // the new model's
  keep_chosen(user, fresh);
  EXPECT_EQ(fresh.generation.sampling.top_k, 7);
  EXPECT_EQ(fresh.generation.sampling.temperature, 0.9);
  EXPECT_EQ(fresh.stop, (std::vector<std::string>{"END"}));
  EXPECT_EQ(fresh.chosen, user.chosen);
}

TEST(KeepChosen, ForgetsNoParameter) {
  for (const Parameter& parameter : parameters()) {
    ChatState user;
    // A value of each that is not what it is without.
    const bool set = set_parameter(user, parameter.name, "0.5", 100).ok() ||
                     set_parameter(user, parameter.name, "7", 100).ok() ||
                     set_parameter(user, parameter.name, "off", 100).ok();
    ASSERT_TRUE(set) << parameter.name;
    ASSERT_NE(parameter_values(user), parameter_values(ChatState())) << parameter.name;
    ChatState fresh;
    keep_chosen(user, fresh);
    EXPECT_EQ(parameter_values(fresh), parameter_values(user)) << parameter.name;
  }
}

TEST(CheckContextLength, IsUpToWhatTheModelSupports) {
  EXPECT_TRUE(check_context_length(4096, 4096).ok());
  EXPECT_TRUE(check_context_length(9999, 0).ok());
  EXPECT_THAT(check_context_length(4097, 4096).message(), HasSubstr("at most 4,096 tokens"));
  EXPECT_FALSE(check_context_length(0, 4096).ok());
  EXPECT_FALSE(check_context_length(-1, 0).ok());
}

TEST(ParameterValues, ListsEveryParameter) {
  const std::string text = parameter_values(ChatState());
  for (const Parameter& parameter : parameters()) {
    EXPECT_THAT(text, HasSubstr(std::string(parameter.name)));
  }
}

}  // namespace
}  // namespace pleiad::apps
