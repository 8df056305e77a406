#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

constexpr const char* kCompletions = "/v1/completions";

class Completion : public testing::Test {
 protected:
  Completion() { add_openai_routes(api_.router, api_.context); }

  static Json with(const std::string& key, Json value) {
    Json body = {{"model", "demo"}, {"prompt", "Once"}};
    body[key] = std::move(value);
    return body;
  }

  ApiHarness api_;
};

TEST_F(Completion, ContinuesAText) {
  api_.service.deltas = {content_delta(" upon"), content_delta(" a")};
  auto result = finished_result(3, 1, 2);
  result.reason = FinishReason::length;
  api_.service.end = result;
  Json body = json_of(api_.post(kCompletions, with("max_tokens", 2)));
  EXPECT_EQ(body["id"].get<std::string>().rfind("cmpl-", 0), 0U);
  body.erase("id");
  EXPECT_EQ(body, json_from(R"({
    "object": "text_completion", "created": 1700000000, "model": "demo",
    "system_fingerprint": "fp_pleiad_0.1.0",
    "choices": [{"text": " upon a", "index": 0, "logprobs": null, "finish_reason": "length"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5,
              "prompt_tokens_details": {"cached_tokens": 1}}})"));
  EXPECT_EQ(api_.service.answers[0].form, serving::AnswerRequest::Form::text);
  EXPECT_EQ(api_.service.answers[0].text, "Once");
  EXPECT_EQ(api_.service.answers[0].max_tokens, 2);
}

TEST_F(Completion, TellsWhatWasEndedForTheModel) {
  auto result = finished_result(3, 1, 2);
  result.reason = FinishReason::repetition;
  api_.service.end = result;
  const Json choice =
      json_of(api_.post(kCompletions, with("repetition_guard", true)))["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_EQ(choice["ended_by"], "repetition");
  EXPECT_EQ(api_.service.answers[0].repetition_guard, true);
  const auto events = events_of(api_.post(kCompletions, with("stream", true)));
  EXPECT_EQ(events[events.size() - 2].data["choices"][0]["ended_by"], "repetition");
}

TEST_F(Completion, AnswersEachPromptWithEachChoice) {
  api_.service.deltas = {content_delta("!")};
  api_.service.end = finished_result(3, 0, 1);
  Json request = with("prompt", {"a", "b"});
  request["n"] = 2;
  request["echo"] = true;
  const Json body = json_of(api_.post(kCompletions, request));
  ASSERT_EQ(body["choices"].size(), 4U);
  EXPECT_EQ(body["choices"][1]["text"], "a!");
  EXPECT_EQ(body["choices"][2]["text"], "b!");
  EXPECT_EQ(body["choices"][3]["index"], 3);
  EXPECT_EQ(body["usage"]["prompt_tokens"], 6);
  EXPECT_EQ(body["usage"]["completion_tokens"], 4);
}

TEST_F(Completion, StreamsTextThenReasonThenUsage) {
  api_.service.deltas = {content_delta("a"), content_delta("b")};
  api_.service.end = finished_result(3, 0, 2);
  Json request = with("stream", true);
  request["echo"] = true;
  request["stream_options"] = {{"include_usage", true}};
  const auto events = events_of(api_.post(kCompletions, request));
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0].data["choices"],
            json_from(R"([{"text":"Oncea","index":0,"logprobs":null,"finish_reason":null}])"));
  EXPECT_EQ(events[1].data["choices"][0]["text"], "b");
  EXPECT_EQ(events[2].data["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(events[3].data["usage"]["total_tokens"], 5);
  EXPECT_EQ(events[3].data["choices"], Json::array());
  EXPECT_EQ(events[4].data, "[DONE]");
}

TEST_F(Completion, GivesLogprobsWithOffsetsInCharacters) {
  auto first = content_delta("\xC3\xA4");
  first.logprobs = {logprob_of("\xC3", -1), logprob_of("\xA4", -2)};
  auto second = content_delta("b");
  second.logprobs = {logprob_of("b", -3)};
  api_.service.deltas = {first, second};
  api_.service.end = finished_result(1, 0, 3);
  const Json expected = json_from(R"({
    "tokens": ["bytes:\\xc3", "bytes:\\xa4", "b"], "token_logprobs": [-1.0, -2.0, -3.0],
    "top_logprobs": [{"bytes:\\xc3": -1.0}, {"bytes:\\xa4": -2.0}, {"b": -3.0}],
    "text_offset": [0, 1, 1]})");
  Json request = with("logprobs", 1);
  EXPECT_EQ(json_of(api_.post(kCompletions, request))["choices"][0]["logprobs"], expected);
  request["stream"] = true;
  const auto events = events_of(api_.post(kCompletions, request));
  EXPECT_EQ(events[1].data["choices"][0]["logprobs"]["text_offset"], json_from("[1]"));
}

/// "<bos>", "\xC3\xA4", "b", and "<turn|>" where a reply ends at once.
serving::PromptScores scores_of_two() {
  serving::PromptScores scores;
  scores.text =
      "\xC3\xA4"
      "b";
  scores.tokens = {logprob_of("<bos>", 0), logprob_of("\xC3\xA4", -1), logprob_of("b", -2)};
  scores.tokens[2].top.push_back({7, "c", -0.5});
  scores.began_with_bos = true;
  scores.end = logprob_of("<turn|>", -0.25);
  return scores;
}

TEST_F(Completion, EchoesThePromptWithItsLogprobs) {
  api_.service.scores = {scores_of_two()};
  auto next = content_delta("!");
  next.logprobs = {logprob_of("!", -3)};
  api_.service.deltas = {next};
  api_.service.end = finished_result(3, 0, 1);
  Json request = with("echo", true);
  request["logprobs"] = 1;
  const Json choice = json_of(api_.post(kCompletions, request))["choices"][0];
  EXPECT_EQ(choice["text"],
            "\xC3\xA4"
            "b!");
  EXPECT_EQ(choice["logprobs"], json_from(R"({
    "tokens": ["<bos>", "\u00e4", "b", "!"], "token_logprobs": [null, -1.0, -2.0, -3.0],
    "top_logprobs": [null, {"\u00e4": -1.0}, {"b": -2.0, "c": -0.5}, {"!": -3.0}],
    "text_offset": [0, 0, 1, 2]})"));
  ASSERT_TRUE(api_.service.answers[0].prompt_logprobs);
  EXPECT_EQ(api_.service.answers[0].prompt_logprobs->n_top, 1);
  EXPECT_EQ(api_.service.answers[0].prompt_logprobs->most_tokens, 65'536);

  request["stream"] = true;
  const auto events = events_of(api_.post(kCompletions, request));
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].data["choices"][0]["text"],
            "\xC3\xA4"
            "b");
  EXPECT_EQ(events[0].data["choices"][0]["logprobs"]["tokens"].size(), 3U);
  EXPECT_EQ(events[1].data["choices"][0]["logprobs"]["text_offset"], json_from("[2]"));
}

TEST_F(Completion, LogprobsOfAPromptGoOutAsTheyCome) {
  serving::PromptScores first = scores_of_two();
  serving::PromptScores second;
  second.begins = false;
  second.tokens = {first.tokens[2]};
  first.tokens.pop_back();
  serving::PromptScores last;
  last.begins = false;
  last.end = std::exchange(first.end, std::nullopt);
  api_.service.scores = {first, second, last};
  api_.service.end = finished_result(3, 0, 0);
  Json request = with("echo", true);
  request["logprobs"] = 1;
  const Json choice = json_of(api_.post(kCompletions, request))["choices"][0];
  EXPECT_EQ(choice["text"], first.text);
  const Json expected = json_from(R"({
    "tokens": ["<bos>", "\u00e4", "b", "<turn|>"], "token_logprobs": [null, -1.0, -2.0, -0.25],
    "top_logprobs": [null, {"\u00e4": -1.0}, {"b": -2.0, "c": -0.5}, {"<turn|>": -0.25}],
    "text_offset": [0, 0, 1, 2]})");
  EXPECT_EQ(choice["logprobs"], expected);

  request["stream"] = true;
  const auto events = events_of(api_.post(kCompletions, request));
  ASSERT_EQ(events.size(), 4U);  // with [DONE]; what brings the end alone sends nothing
  std::string text;
  Json joined = {{"tokens", Json::array()},
                 {"token_logprobs", Json::array()},
                 {"top_logprobs", Json::array()},
                 {"text_offset", Json::array()}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& sent = events[i].data["choices"][0];
    text += sent["text"].get<std::string>();
    for (auto& [name, list] : joined.items()) {
      for (const Json& one : sent["logprobs"][name]) list.push_back(one);
    }
  }
  EXPECT_EQ(text, first.text);
  EXPECT_EQ(joined, expected);
}

TEST_F(Completion, AReplyThatEndsAtOnceHasOneLogprobBehindThePrompts) {
  api_.service.scores = {scores_of_two()};
  api_.service.end = finished_result(3, 0, 0);
  Json request = with("echo", true);
  request["logprobs"] = 1;
  request["prompt"] = json_from("[[2, 5], [2, 6, 7]]");
  const Json body = json_of(api_.post(kCompletions, request));
  ASSERT_EQ(body["choices"].size(), 2U);
  for (const Json& choice : body["choices"]) {
    EXPECT_EQ(choice["text"],
              "\xC3\xA4"
              "b");
    EXPECT_EQ(choice["logprobs"]["tokens"].back(), "<turn|>");
    EXPECT_EQ(choice["logprobs"]["token_logprobs"].back(), -0.25);
    EXPECT_EQ(choice["logprobs"]["tokens"].size(), 4U);
  }
  EXPECT_EQ(api_.service.answers[1].tokens, (std::vector<std::int32_t>{2, 6, 7}));
  EXPECT_EQ(api_.service.answers[1].prompt_logprobs->most_tokens, 32'768);
  request["stream"] = true;
  request["prompt"] = "Once";
  const auto events = events_of(api_.post(kCompletions, request));
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[1].data["choices"][0]["logprobs"]["tokens"], json_from(R"(["<turn|>"])"));
}

TEST_F(Completion, EchoesWithoutAReply) {
  api_.service.scores = {scores_of_two()};
  auto result = finished_result(3, 0, 0);
  result.reason = FinishReason::length;
  api_.service.end = result;
  Json request = with("echo", true);
  request["max_tokens"] = 0;
  EXPECT_EQ(json_of(api_.post(kCompletions, request))["choices"][0]["text"], "Once");
  EXPECT_EQ(api_.service.answers[0].max_tokens, 0);
  EXPECT_FALSE(api_.service.answers[0].prompt_logprobs);
  request["logprobs"] = 0;
  request["n"] = 2;
  const Json choices = json_of(api_.post(kCompletions, request))["choices"];
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0]["finish_reason"], "length");
  EXPECT_EQ(choices[0]["logprobs"]["token_logprobs"], json_from("[null, -1.0, -2.0]"));
  EXPECT_EQ(api_.service.answers[1].prompt_logprobs->most_tokens, 65'536);
}

TEST_F(Completion, NamesTheChoiceThatAWarningIsAboutUnlessItHoldsForAll) {
  api_.service.hold = true;
  auto first = finished_result(1, 0, 1);
  first.warnings = {"of the request", "of the first"};
  auto second = finished_result(1, 0, 1);
  second.warnings = {"of the request"};
  for (const bool stream : {false, true}) {
    api_.service.held.clear();
    Json body = with("n", 2);
    body["stream"] = stream;
    const auto answer = api_.begin("POST", kCompletions, to_text(body));
    ASSERT_EQ(api_.service.held.size(), 2U);
    api_.service.held[0].observer->done(first);
    api_.service.held[1].observer->done(second);
    Json told = Json::array();
    if (!stream) told = json_of(answer)["warnings"];
    for (const StreamEvent& event : stream ? events_of(answer) : std::vector<StreamEvent>()) {
      if (!event.data.is_object() || !event.data.contains("warnings")) continue;
      for (const Json& one : event.data["warnings"]) told.push_back(one);
    }
    EXPECT_EQ(told, json_from(R"(["of the request", "choices[0]: of the first"])")) << stream;
  }
}

TEST_F(Completion, NamesWhatHasNoEffect) {
  const auto answer = api_.post(kCompletions, with("messages", Json::array()));
  EXPECT_EQ(json_of(answer)["warnings"], json_from(R"(["unknown field: messages"])"));
  EXPECT_EQ(answer->warnings().size(), 1U);
  api_.context.spare_fields = SpareFields::refuse;
  EXPECT_EQ(api_.post(kCompletions, with("messages", Json::array()))->status(), 400);
}

TEST_F(Completion, NamesFieldsOfATemplate) {
  EXPECT_EQ(json_of(api_.post(kCompletions, with("think", true)))["warnings"].size(), 1U);
  const Json variables = {{"enable_thinking", true}};
  EXPECT_EQ(
      json_of(api_.post(kCompletions, with("chat_template_kwargs", variables)))["warnings"].size(),
      1U);
}

TEST_F(Completion, ContinuesTokens) {
  api_.service.deltas = {content_delta("!")};
  api_.service.end = finished_result(3, 0, 1);
  EXPECT_EQ(json_of(api_.post(kCompletions, with("prompt", {2, 5, 7})))["choices"][0]["text"], "!");
  ASSERT_EQ(api_.service.answers.size(), 1U);
  EXPECT_EQ(api_.service.answers[0].form, serving::AnswerRequest::Form::tokens);
  EXPECT_EQ(api_.service.answers[0].tokens, (std::vector<std::int32_t>{2, 5, 7}));
  Json request = with("prompt", json_from("[[1, 2], [3]]"));
  request["n"] = 2;
  EXPECT_EQ(json_of(api_.post(kCompletions, request))["choices"].size(), 4U);
  ASSERT_EQ(api_.service.answers.size(), 5U);
  EXPECT_EQ(api_.service.answers[2].tokens, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(api_.service.answers[4].tokens, std::vector<std::int32_t>{3});
  request["echo"] = true;
  EXPECT_EQ(json_of(api_.post(kCompletions, request))["error"]["param"], "echo");
}

TEST_F(Completion, NamesWhatItRefuses) {
  const std::pair<const char*, const char*> refusals[] = {{"prompt", "[1, -2]"},
                                                          {"prompt", "[[]]"},
                                                          {"prompt", "7"},
                                                          {"prompt", "[]"},
                                                          {"prompt", "[1, 2.5]"},
                                                          {"prompt", "[[1], \"a\"]"},
                                                          {"prompt", "[4294967296]"},
                                                          {"prompt", "[\"a\", [1]]"},
                                                          {"suffix", "\"end\""},
                                                          {"best_of", "2"},
                                                          {"n", "17"},
                                                          {"logprobs", "21"},
                                                          {"logprobs", "\"x\""},
                                                          {"echo", "1"},
                                                          {"max_tokens", "0"},
                                                          {"stop", "[1]"},
                                                          {"temperature", "-1"}};
  for (const auto& [key, value] : refusals) {
    const auto answer = api_.post(kCompletions, with(key, json_from(value)));
    EXPECT_EQ(answer->status(), 400) << key;
    const std::string param = json_of(answer)["error"]["param"].get<std::string>();
    EXPECT_EQ(param.rfind(key, 0), 0U) << param;
  }
  EXPECT_EQ(api_.post(kCompletions, {{"model", "demo"}})->status(), 400);
  EXPECT_TRUE(api_.service.answers.empty());
}

TEST_F(Completion, RefusesMoreAnswersThanItCanKeep) {
  Json prompts = Json::array();
  for (int i = 0; i < 100; ++i) prompts.push_back("a");
  Json request = with("prompt", prompts);
  request["n"] = 2;
  EXPECT_EQ(json_of(api_.post(kCompletions, request))["error"]["param"], "n");
  request["prompt"] = Json(std::vector<Json>(100, json_from("[1]")));
  EXPECT_EQ(json_of(api_.post(kCompletions, request))["error"]["param"], "n");
  request["prompt"] = Json(std::vector<Json>(129, json_from("[1]")));
  EXPECT_EQ(json_of(api_.post(kCompletions, request))["error"]["param"], "prompt");
}

TEST_F(Completion, LooksInTheCacheOfWhoeverAsks) {
  api_.context.cache_per_key = true;
  api_.caller = {.key = 5};
  EXPECT_EQ(api_.post(kCompletions, with("n", 2))->status(), 200);
  ASSERT_FALSE(api_.service.answers.empty());
  for (const serving::AnswerRequest& request : api_.service.answers) {
    EXPECT_EQ(request.cache_scope, CacheScope(5));
    EXPECT_TRUE(request.sees_cached_text);
    EXPECT_FALSE(request.id.empty());
  }
}

}  // namespace
}  // namespace pleiad::api::openai
