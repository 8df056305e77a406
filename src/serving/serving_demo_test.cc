#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/testing/json.h"
#include "constrain/replies/many_ways_test_data.h"
#include "serving/testing/demo_service_test.h"

namespace pleiad::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Kind = text::ReplyEvent::Kind;

constexpr std::int32_t kToolCallOpen = 48;

class ServingDemoTest : public DemoServiceTest {
 protected:
  static AnswerRequest request(const std::string& text) {
    AnswerRequest request = chat_request("demo", text);
    request.max_tokens = 200;
    return request;
  }
};

TEST_F(ServingDemoTest, AnswersAChatAndFindsItsPromptAgain) {
  const auto first = ask(request("Count from 1 to 5"));
  EXPECT_EQ(first->result().reason, FinishReason::stop_token);
  EXPECT_THAT(first->text(), HasSubstr("1, 2, 3"));
  EXPECT_EQ(first->result().stats.cached_tokens, 0);
  const auto again = ask(request("Count from 1 to 5"));
  again->result();
  EXPECT_EQ(again->text(), first->text());
  const auto infos = service_->loaded();
  ASSERT_THAT(infos, SizeIs(1));
  EXPECT_GT(infos[0].memory_bytes, 0U);
  EXPECT_GT(infos[0].context_length, 0);
}

TEST_F(ServingDemoTest, AnswersTogetherAreThoseAlone) {
  const std::vector<std::string> questions = {"Count from 1 to 5", "Count from 3 to 9", "Hello",
                                              "What is 2 + 2?", "Count from 1 to 5"};
  std::vector<std::string> alone;
  for (const std::string& question : questions) {
    AnswerRequest solo = request(question);
    solo.use_cache = false;
    const auto answer = ask(solo);
    answer->result();
    alone.push_back(answer->text());
  }
  std::vector<std::shared_ptr<CollectingObserver>> together;
  for (const std::string& question : questions) together.push_back(ask(request(question)));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    together[i]->result();
    EXPECT_EQ(together[i]->text(), alone[i]) << questions[i];
  }
}

TEST_F(ServingDemoTest, LogprobsAreThoseOfADistribution) {
  AnswerRequest wanted = request("Count from 1 to 5");
  wanted.sampling.n_logprobs = 20;
  const auto answer = ask(wanted);
  const AnswerResult& result = answer->result();
  std::vector<AnswerLogprob> all = answer->logprobs();
  all.insert(all.end(), result.logprobs.begin(), result.logprobs.end());
  EXPECT_EQ(static_cast<std::int64_t>(all.size()), result.stats.generated_tokens);
  std::string bytes;
  for (const AnswerLogprob& logprob : all) {
    bytes += logprob.token.bytes;
    ASSERT_THAT(logprob.top, SizeIs(20));
    EXPECT_EQ(logprob.top[0].id, logprob.token.id);  // the likeliest was taken
    double sum = 0;
    for (const TokenText& top : logprob.top) sum += std::exp(top.logprob);
    EXPECT_LE(sum, 1.0001);
    EXPECT_GT(sum, 0.5);
  }
  EXPECT_EQ(bytes, answer->text());
}

/// "Count from 1 to 5", and the answer as far as `begun`.
AnswerRequest begun_count(const std::string& begun) {
  AnswerRequest request = chat_request("demo", "Count from 1 to 5");
  request.max_tokens = 200;
  request.messages.push_back({{"role", "assistant"}, {"content", begun}});
  return request;
}

TEST_F(ServingDemoTest, LogprobsOfAPromptAreThoseThatTheReplyHad) {
  AnswerRequest written = request("");
  written.form = AnswerRequest::Form::text;
  written.text = "<|turn>user\nCount from 1 to 4<turn|>\n<|turn>model\n";
  written.sampling.temperature = 0;
  written.sampling.n_logprobs = 1;
  written.prompt_logprobs = {1, 1000, "echo"};
  const auto reply = ask(written);
  ASSERT_EQ(reply->result().reason, FinishReason::stop_token);
  ASSERT_TRUE(reply->scores());
  const PromptScores before = *reply->scores();
  EXPECT_EQ(before.text, written.text);
  EXPECT_TRUE(before.began_with_bos);
  EXPECT_EQ(before.tokens[0].token.bytes, "<bos>");
  const std::vector<AnswerLogprob> said = reply->logprobs();
  ASSERT_GT(said.size(), 3U);

  // The same tokens as a prompt, behind which the reply has nothing more to say.
  AnswerRequest read = written;
  read.form = AnswerRequest::Form::tokens;
  for (const AnswerLogprob& one : before.tokens) read.tokens.push_back(one.token.id);
  const std::size_t n_before = read.tokens.size();
  for (const AnswerLogprob& one : said) read.tokens.push_back(one.token.id);
  read.max_tokens = 1;
  const auto scored = ask(read);
  EXPECT_EQ(scored->result().stats.generated_tokens, 0);
  EXPECT_EQ(scored->result().stats.cached_tokens, 0);
  const PromptScores scores = *scored->scores();
  EXPECT_EQ(scores.text, "<bos>" + written.text + reply->text());
  EXPECT_FALSE(scores.began_with_bos);
  ASSERT_THAT(scores.tokens, SizeIs(read.tokens.size()));
  for (std::size_t i = 0; i < said.size(); ++i) {
    const AnswerLogprob& seen = scores.tokens[n_before + i];
    EXPECT_EQ(seen.token.id, said[i].token.id);
    // Prompts may round otherwise.
    EXPECT_NEAR(seen.token.logprob, said[i].token.logprob, 1e-2);
    ASSERT_THAT(seen.top, SizeIs(1));
    EXPECT_EQ(seen.top[0].id, seen.token.id);
  }
  ASSERT_TRUE(scores.end);
  EXPECT_EQ(scores.end->token.bytes, "<turn|>");
  EXPECT_EQ(scores.end->top[0].id, scores.end->token.id);
}

TEST_F(ServingDemoTest, LogprobsOfALongPromptComeWhileItIsComputed) {
  AnswerRequest asked = request("");
  asked.form = AnswerRequest::Form::tokens;
  for (std::int32_t i = 0; i < 1500; ++i) asked.tokens.push_back(300 + i % 97);
  asked.max_tokens = 0;
  asked.sampling.n_logprobs = 1;
  asked.prompt_logprobs = {1, 2000, "echo"};
  const auto scored = ask(asked);
  EXPECT_EQ(scored->result().stats.generated_tokens, 0);
  const PromptScores scores = *scored->scores();
  ASSERT_THAT(scores.tokens, SizeIs(asked.tokens.size()));
  for (std::size_t i = 0; i < scores.tokens.size(); ++i) {
    ASSERT_EQ(scores.tokens[i].token.id, asked.tokens[i]);
  }
  EXPECT_TRUE(scores.end);
  EXPECT_GT(scored->n_scored(), 1U);
}

TEST_F(ServingDemoTest, LogprobsOfAPromptThatIsTooLongAreRefused) {
  AnswerRequest asked = request("");
  asked.form = AnswerRequest::Form::tokens;
  asked.tokens = {2, 5, 6, 7};
  asked.prompt_logprobs = {1, 3, "echo"};
  const auto refused = ask(asked);
  EXPECT_EQ(refused->error().field, "echo");
  EXPECT_EQ(refused->error().code, ServiceError::Code::bad_request);
  asked.prompt_logprobs->most_tokens = 4;
  const auto scored = ask(asked);
  scored->result();
  EXPECT_THAT(scored->scores()->tokens, SizeIs(4));
  EXPECT_FALSE(scored->scores()->began_with_bos);
}

TEST_F(ServingDemoTest, AnAnswerThatIsBegunGoesOn) {
  const auto whole = ask(request("Count from 1 to 5"));
  whole->result();
  for (const std::string begun : {"1", "1, 2, 3", "1, 2, 3, 4, 5"}) {
    const auto rest = ask(begun_count(begun));
    EXPECT_EQ(rest->result().reason, FinishReason::stop_token);
    EXPECT_EQ(begun + rest->text(), whole->text());
  }
}

TEST_F(ServingDemoTest, StopStringsAreLookedForInWhatIsNew) {
  AnswerRequest wanted = begun_count("1, 2, 3");
  wanted.stop = std::vector<std::string>{", 2", ", 5"};
  const auto answer = ask(wanted);
  EXPECT_EQ(answer->result().stop_string, ", 5");
  EXPECT_EQ(answer->text(), ", 4");
}

TEST_F(ServingDemoTest, ABegunAnswerIsTheSameFromTheCache) {
  AnswerRequest wanted = begun_count("1, 2,");
  wanted.messages[0]["content"] = "Count from 1 to 5. " + std::string(400, '-');
  wanted.sampling.n_logprobs = 5;
  AnswerRequest cold = wanted;
  cold.use_cache = false;
  const auto first = ask(cold);
  first->result();
  const auto filling = ask(wanted);
  filling->result();
  const auto cached = ask(wanted);
  EXPECT_GT(cached->result().stats.cached_tokens, 0);
  EXPECT_EQ(cached->text(), first->text());
  const auto expected = first->logprobs();
  const auto found = cached->logprobs();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].token.logprob, expected[i].token.logprob) << i;
  }
}

TEST_F(ServingDemoTest, AFormatIsThatOfWhatWasBegunAndTheAnswer) {
  AnswerRequest wanted = begun_count(R"({"n":)");
  wanted.format = json_from(R"({"type": "object", "properties": {"n": {"enum": [1, 2]}},
                                "required": ["n"], "additionalProperties": false})");
  const auto answer = ask(wanted);
  answer->result();
  const Json whole = json_or_discarded(R"({"n":)" + answer->text());
  ASSERT_TRUE(whole.is_object()) << answer->text();
  EXPECT_TRUE(whole["n"] == 1 || whole["n"] == 2) << answer->text();
  wanted.messages[1]["content"] = "Sure";
  const ServiceError error = ask(wanted)->error();
  EXPECT_EQ(error.code, ServiceError::Code::bad_request);
  EXPECT_THAT(error.message, HasSubstr("no text of this format begins"));
}

TEST_F(ServingDemoTest, AThoughtThatIsBegunGoesOn) {
  AnswerRequest wanted = request("What is 7 + 8?");
  wanted.think = true;
  const auto whole = ask(wanted);
  whole->result();
  const std::string thought = whole->text(Kind::thinking);
  ASSERT_GT(thought.size(), 6U);
  std::string begun = thought.substr(0, thought.size() / 2);
  begun.resize(begun.find_last_not_of(' ') + 1);
  wanted.messages.push_back({{"role", "assistant"}, {"content", ""}, {"reasoning", begun}});
  const auto rest = ask(wanted);
  rest->result();
  EXPECT_FALSE(rest->text(Kind::thinking).empty());
  EXPECT_THAT(rest->text(), HasSubstr("15"));
}

TEST_F(ServingDemoTest, ACallMayFollowWhatWasBegun) {
  AnswerRequest wanted = request("What is the weather in Paris?");
  wanted.tools = Json::array({weather_tool()});
  wanted.tool_choice.kind = ToolChoice::Kind::required;
  wanted.tool_choice.parallel = false;
  wanted.messages.push_back({{"role", "assistant"}, {"content", "Let me look."}});
  const auto answer = ask(wanted);
  EXPECT_TRUE(answer->result().called_tools);
  EXPECT_EQ(answer->text(), "");
}

TEST_F(ServingDemoTest, WithoutToolsWhatTheModelSaysComesAtOnce) {
  for (const auto kind : {ToolChoice::Kind::automatic, ToolChoice::Kind::none}) {
    AnswerRequest wanted = request("What is the weather in Paris?");
    if (kind == ToolChoice::Kind::none) wanted.tools = Json::array({weather_tool()});
    wanted.tool_choice.kind = kind;
    wanted.sampling.logit_bias = {{kToolCallOpen, 100.0F}};
    wanted.max_tokens = 20;
    const auto answer = ask(wanted);
    const AnswerResult& result = answer->result();
    EXPECT_FALSE(result.called_tools);
    EXPECT_THAT(result.warnings, ::testing::IsEmpty());
    EXPECT_GT(answer->deltas().size(), 1U) << "it is not held back";
    EXPECT_THAT(answer->text(), ::testing::Not(HasSubstr("<|tool_call>")));
  }
}

TEST_F(ServingDemoTest, ACallComesInPieces) {
  AnswerRequest wanted = request("What is the weather in Paris?");
  wanted.tools = Json::array({weather_tool()});
  wanted.call_pieces = true;
  const auto answer = ask(wanted);
  EXPECT_TRUE(answer->result().called_tools);
  const auto deltas = answer->deltas();
  EXPECT_GT(deltas.size(), 4U);
  EXPECT_EQ(deltas.front().event.kind, Kind::call_begun);
  EXPECT_EQ(deltas.back().event.kind, Kind::tool_call);
  EXPECT_EQ(answer->text(Kind::call_arguments), to_text(deltas.back().event.arguments));
}

TEST_F(ServingDemoTest, ARequiredToolIsCalled) {
  AnswerRequest wanted = request("What is the weather in Paris?");
  wanted.tools = Json::array({weather_tool()});
  wanted.tool_choice.kind = ToolChoice::Kind::required;
  wanted.tool_choice.parallel = false;
  const auto answer = ask(wanted);
  EXPECT_TRUE(answer->result().called_tools);
  ASSERT_THAT(answer->deltas(), SizeIs(1));
  EXPECT_EQ(answer->deltas()[0].event.name, "get_weather");
  EXPECT_TRUE(answer->deltas()[0].event.arguments.contains("city"));
}

TEST_F(ServingDemoTest, TheContentObeysASchema) {
  AnswerRequest wanted = request("Count from 1 to 5");
  wanted.format = Json{{"type", "object"},
                       {"properties", {{"ok", {{"type", "boolean"}}}}},
                       {"required", {"ok"}},
                       {"additionalProperties", false}};
  const auto answer = ask(wanted);
  EXPECT_EQ(answer->result().reason, FinishReason::stop_token);
  const Json content = json_from(answer->text());
  EXPECT_TRUE(content.at("ok").is_boolean());
}

TEST_F(ServingDemoTest, AStopStringThatCutsAFormIsTold) {
  AnswerRequest wanted = request("Count from 1 to 5");
  wanted.stop = {"\"ok"};
  EXPECT_THAT(ask(wanted)->result().warnings, IsEmpty());
  wanted.format = Json{{"type", "object"},
                       {"properties", {{"ok", {{"type", "boolean"}}}}},
                       {"required", {"ok"}},
                       {"additionalProperties", false}};
  wanted.format_path = "response_format";
  const auto answer = ask(wanted);
  EXPECT_EQ(answer->result().reason, FinishReason::stop_string);
  EXPECT_THAT(answer->result().warnings,
              ElementsAre("response_format: a stop string cut the answer off, so that it may not "
                          "have this form"));
  wanted.stop = {"never"};
  EXPECT_THAT(ask(wanted)->result().warnings, IsEmpty());
}

TEST_F(ServingDemoTest, ATokenOfTheRequestThatCutsAFormIsTold) {
  const std::string forced = "\"kitten\"";
  const auto tokens = TestRuntime::tokenizer().tokenizer.encode_with_control(forced);
  ASSERT_GT(tokens.size(), 1U);
  AnswerRequest wanted = request("Count from 1 to 5");
  wanted.format = Json{{"const", "kitten"}};
  wanted.format_path = "response_format";
  const auto whole = ask(wanted);
  EXPECT_THAT(whole->result().warnings, IsEmpty());
  EXPECT_EQ(whole->text(), forced);
  wanted.stop_tokens = {tokens.back()};
  for (const bool is_forced : {true, false}) {
    wanted.forced_text = is_forced;
    wanted.sampling.logit_bias.clear();
    for (const std::int32_t token : tokens) {
      if (!is_forced) wanted.sampling.logit_bias.emplace_back(token, 100.F);
    }
    const auto answer = ask(wanted);
    EXPECT_EQ(answer->result().reason, FinishReason::stop_token);
    EXPECT_NE(answer->text(), forced);
    EXPECT_THAT(answer->result().warnings,
                ElementsAre(fmt::format("response_format: token {} of stop_token_ids cut the "
                                        "answer off, so that it may not have this form",
                                        tokens.back())));
  }
  // One that ends replies anyway, one that does not come, and one of a reply without a form.
  wanted.stop_tokens = {106, 7};
  EXPECT_THAT(ask(wanted)->result().warnings, IsEmpty());
  AnswerRequest free = request("Count from 1 to 5");
  free.stop_tokens = TestRuntime::tokenizer().tokenizer.encode_with_control("3");
  const auto counted = ask(free);
  EXPECT_THAT(counted->result().warnings, IsEmpty());
  EXPECT_EQ(counted->text(), "1, 2, ");
}

TEST_F(ServingDemoTest, AFormThatIsGivenUpOnTheWayIsNamed) {
  constexpr std::int32_t kBracket = 553;
  AnswerRequest wanted = request("Count from 1 to 5");
  wanted.sampling.logit_bias = {{kBracket, 100.F}};
  wanted.format = constrain::arrays_that_begin_alike(60);
  wanted.format_path = "text.format.schema";
  ServiceError error = ask(wanted)->error();
  EXPECT_EQ(error.code, ServiceError::Code::bad_request);
  EXPECT_EQ(error.field, "text.format.schema");
  EXPECT_THAT(error.message, StartsWith("text.format.schema: the form of the reply can be read"));
  Json parameters = {{"type", "object"}, {"properties", {{"x", *wanted.format}}}};
  parameters["required"] = {"x"};
  wanted.tools = {
      {{"type", "function"}, {"function", {{"name", "f"}, {"parameters", parameters}}}}};
  wanted.tool_choice.kind = ToolChoice::Kind::required;
  error = ask(wanted)->error();
  EXPECT_EQ(error.field, "tools");
  EXPECT_THAT(error.message, StartsWith("tools: the form of the reply can be read"));
}

TEST_F(ServingDemoTest, WhatAFormCompelsCostsNoSteps) {
  AnswerRequest wanted = request("Count from 1 to 5");
  wanted.format = json_from(R"({"type": "object", "properties": {
      "first_name": {"const": "Ada Lovelace"}, "project_state": {"const": "in_progress"}},
      "required": ["first_name", "project_state"], "additionalProperties": false})");
  const Json content = {{"first_name", "Ada Lovelace"}, {"project_state", "in_progress"}};
  const auto fast = ask(wanted);
  EXPECT_GT(fast->result().stats.forced_tokens, 8);
  EXPECT_GT(fast->result().stats.saved_steps, 6);
  EXPECT_EQ(json_from(fast->text()), content);
  EXPECT_GT(fast->deltas().size(), 8U) << "it comes in pieces all the same";
  wanted.sampling.n_logprobs = 1;
  const auto told = ask(wanted);
  const AnswerResult result = told->result();  // waits for the end
  EXPECT_EQ(std::ssize(told->logprobs()) + std::ssize(result.logprobs),
            result.stats.generated_tokens);
  EXPECT_EQ(told->text(), fast->text());
  wanted.forced_text = false;
  const auto slow = ask(wanted);
  EXPECT_EQ(slow->result().stats.forced_tokens, 0);
  EXPECT_EQ(slow->result().stats.saved_steps, 0);
  EXPECT_EQ(json_from(slow->text()), content);
}

TEST_F(ServingDemoTest, ThinkingIsAskedFor) {
  AnswerRequest wanted = request("What is 2 + 2?");
  wanted.think = true;
  const auto answer = ask(wanted);
  answer->result();
  EXPECT_THAT(answer->text(Kind::thinking), ::testing::Not(::testing::IsEmpty()));
}

TEST_F(ServingDemoTest, ABudgetWithoutRoomForAThoughtIsTold) {
  AnswerRequest wanted = request("What is 2 + 2?");
  wanted.think = true;
  wanted.thinking_budget = ThinkingBudget{1, "thinking_budget_tokens", false};
  const auto answer = ask(wanted);
  EXPECT_THAT(answer->result().warnings,
              ElementsAre(StartsWith("thinking_budget_tokens: a thought takes")));
  EXPECT_EQ(answer->text(Kind::thinking), "");
}

TEST_F(ServingDemoTest, CancellingEndsARunningAnswer) {
  AnswerRequest wanted = request("Count from 1 to 30");
  wanted.max_tokens = -1;
  wanted.sampling.logit_bias = {{1, -100.0F}, {106, -100.0F}, {50, -100.0F}};  // never ends
  const auto answer = ask(wanted);
  ASSERT_TRUE(eventually([&] { return !answer->deltas().empty(); }));
  ticket_->cancel();
  EXPECT_EQ(answer->result().reason, FinishReason::cancelled);
}

TEST_F(ServingDemoTest, EmbeddingsTellTextsApart) {
  EmbedRequest wanted;
  wanted.model = "demo";
  wanted.inputs = {"Hello", "Hello", "Count from 1 to 5"};
  Awaited<EmbedResult> got;
  service_->embed(wanted, got.callback());
  const EmbedResult result = got.value();
  EXPECT_EQ(result.embeddings[0], result.embeddings[1]);
  EXPECT_NE(result.embeddings[0], result.embeddings[2]);
  double squares = 0;
  for (const float value : result.embeddings[2]) squares += double{value} * value;
  EXPECT_NEAR(squares, 1, 1e-5);
}

}  // namespace
}  // namespace pleiad::serving
