#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "api/openai/chat_testing.h"

namespace pleiad::api::openai {
namespace {

using testing::HasSubstr;

TEST_F(Chat, AnswersWithEveryFieldThatClientsRequire) {
  api_.service.deltas = {content_delta("Hel"), content_delta("lo")};
  api_.service.end = finished_result(10, 4, 2);
  const auto answer = api_.post(kChatCompletions, question());
  Json body = json_of(answer);
  EXPECT_EQ(body["id"].get<std::string>().rfind("chatcmpl-", 0), 0U);
  body.erase("id");
  EXPECT_EQ(body, json_from(R"({
    "object": "chat.completion", "created": 1700000000, "model": "demo",
    "system_fingerprint": "fp_pleiad_0.1.0",
    "choices": [{"index": 0,
      "message": {"role": "assistant", "content": "Hello", "refusal": null},
      "logprobs": null, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12,
              "prompt_tokens_details": {"cached_tokens": 4}}})"));
  EXPECT_EQ(api_.service.answers[0].id, "req-1");
}

TEST_F(Chat, GivesReasoningAndToolCallsApartFromContent) {
  api_.service.deltas = {thinking_delta("hm"), call_delta("call_1", "f", {{"a", 1}})};
  auto result = finished_result(1, 0, 5);
  result.called_tools = true;
  result.thinking_tokens = 2;
  api_.service.end = result;
  const Json body = json_of(api_.post(kChatCompletions, question()));
  EXPECT_EQ(body["choices"][0]["message"], json_from(R"({
    "role": "assistant", "content": null, "refusal": null,
    "reasoning_content": "hm", "reasoning": "hm",
    "tool_calls": [{"id": "call_1", "type": "function",
                    "function": {"name": "f", "arguments": "{\"a\":1}"}}]})"));
  EXPECT_EQ(body["choices"][0]["finish_reason"], "tool_calls");
  EXPECT_EQ(body["usage"]["completion_tokens_details"]["reasoning_tokens"], 2);
}

TEST_F(Chat, StreamsRoleThenContentThenReasonThenUsage) {
  api_.service.deltas = {content_delta("Hel"), content_delta("lo")};
  api_.service.end = finished_result(10, 4, 2);
  Json body = with("stream", true);
  body["stream_options"] = {{"include_usage", true}};
  const auto answer = api_.post(kChatCompletions, body);
  EXPECT_EQ(answer->content_type(), "text/event-stream; charset=utf-8");
  const auto events = events_of(answer);
  ASSERT_EQ(events.size(), 6U);
  const std::vector<std::string> choices = {
      R"([{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}])",
      R"([{"index":0,"delta":{"content":"Hel"},"logprobs":null,"finish_reason":null}])",
      R"([{"index":0,"delta":{"content":"lo"},"logprobs":null,"finish_reason":null}])",
      R"([{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}])", "[]"};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    EXPECT_EQ(events[i].data["choices"], json_from(choices[i]));
    EXPECT_EQ(events[i].data["object"], "chat.completion.chunk");
    EXPECT_EQ(events[i].data["id"], events[0].data["id"]);
    EXPECT_EQ(events[i].data["created"], 1'700'000'000);
    EXPECT_TRUE(events[i].data.contains("usage"));
  }
  EXPECT_EQ(events[3].data["usage"], nullptr);
  EXPECT_EQ(events[4].data["usage"]["total_tokens"], 12);
  EXPECT_EQ(events[5].data, "[DONE]");
}

TEST_F(Chat, StreamsWithoutUsageUnlessAskedFor) {
  const auto events = events_of(api_.post(kChatCompletions, with("stream", true)));
  ASSERT_EQ(events.size(), 3U);  // role, reason, [DONE]
  EXPECT_FALSE(events[1].data.contains("usage"));
}

TEST_F(Chat, StreamsToolCallsWithIndexIdAndType) {
  api_.service.deltas = {thinking_delta("hm"), call_delta("call_1", "f", {{"a", 1}}),
                         call_delta("call_2", "g", Json::object())};
  auto result = finished_result(1, 0, 5);
  result.called_tools = true;
  api_.service.end = result;
  const auto events = events_of(api_.post(kChatCompletions, with("stream", true)));
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(events[1].data["choices"][0]["delta"],
            json_from(R"({"reasoning_content": "hm", "reasoning": "hm"})"));
  EXPECT_EQ(events[2].data["choices"][0]["delta"]["tool_calls"],
            json_from(R"([{"index":0,"id":"call_1","type":"function",
                             "function":{"name":"f","arguments":"{\"a\":1}"}}])"));
  EXPECT_EQ(events[3].data["choices"][0]["delta"]["tool_calls"][0]["index"], 1);
  EXPECT_EQ(events[4].data["choices"][0]["finish_reason"], "tool_calls");
}

TEST_F(Chat, EndsAStreamWithTheErrorWhereOneComesLate) {
  api_.service.deltas = {content_delta("a")};
  api_.service.end = service_error(serving::ServiceError::Code::deadline, "too slow");
  const auto answer = api_.post(kChatCompletions, with("stream", true));
  EXPECT_EQ(answer->status(), 200);
  const auto events = events_of(answer);
  EXPECT_EQ(events.back().data["error"]["message"], "too slow");
}

TEST_F(Chat, WordsErrorsOfTheServiceAsOpenAi) {
  using Code = serving::ServiceError::Code;
  const auto answer_to = [&](Code code) {
    api_.service.end = service_error(code, "why");
    return api_.post(kChatCompletions, with("stream", true));
  };
  auto answer = answer_to(Code::context_exceeded);
  EXPECT_EQ(answer->status(), 400);
  EXPECT_EQ(json_of(answer), json_from(R"({"error": {"message": "why",
    "type": "invalid_request_error", "param": null, "code": "context_length_exceeded"}})"));
  answer = answer_to(Code::model_not_found);
  EXPECT_EQ(answer->status(), 404);
  EXPECT_EQ(json_of(answer)["error"]["code"], "model_not_found");
  EXPECT_EQ(json_of(answer)["error"]["param"], "model");
  answer = answer_to(Code::busy);
  EXPECT_EQ(answer->status(), 503);
  EXPECT_EQ(json_of(answer)["error"]["type"], "server_error");
  EXPECT_THAT(answer->headers(), testing::Contains(testing::Pair("Retry-After", "1")));
  answer = answer_to(Code::no_memory);
  EXPECT_EQ(answer->status(), 400) << "it would never fit";
  answer = answer_to(Code::out_of_memory);
  EXPECT_EQ(answer->status(), 503);
  EXPECT_EQ(json_of(answer)["error"]["code"], "insufficient_memory");
  EXPECT_THAT(answer->headers(), testing::Contains(testing::Pair("Retry-After", "1")));
}

TEST_F(Chat, WordsWhatTheServerRefusesAsOpenAi) {
  const http::Router::Match match = api_.router.find("POST", kChatCompletions);
  const http::Response response = match.route->on_error(401, "no key");
  EXPECT_EQ(json_from(response.body)["error"]["code"], "invalid_api_key");
  EXPECT_EQ(response.status, 401);
}

TEST_F(Chat, HandsEveryParameterOn) {
  Json body = question();
  body.update(json_from(R"({
    "temperature": 0.5, "top_p": 0.9, "top_k": 5, "min_p": 0.1, "presence_penalty": 1,
    "frequency_penalty": -1, "seed": 3, "stop": ["a", "b", "c", "d", "e"],
    "max_completion_tokens": 9, "logprobs": true, "top_logprobs": 4,
    "logit_bias": {"5": -100, "7": 2.5}, "reasoning_effort": "low",
    "parallel_tool_calls": false, "tool_choice": "required",
    "tools": [{"type": "function", "function": {"name": "f", "description": "d", "strict": true,
               "parameters": {"type": "object"}}}],
    "response_format": {"type": "json_schema",
                        "json_schema": {"name": "n", "schema": {"type": "object"}}},
    "keep_alive": "10m", "cache": false, "cache_debug": true,
    "options": {"num_ctx": 2048, "temperature": 1.5},
    "user": "u", "metadata": {"k": "v"}, "store": true, "service_tier": "auto",
    "prompt_cache_key": "k", "modalities": ["text"], "verbosity": "medium"})"));
  const serving::AnswerRequest request = asked(body);
  EXPECT_EQ(request.model, "demo");
  EXPECT_EQ(request.form, serving::AnswerRequest::Form::chat);
  EXPECT_EQ(request.sampling.temperature, 0.5);  // overrules options
  EXPECT_EQ(request.sampling.top_p, 0.9);
  EXPECT_EQ(request.sampling.top_k, 5);
  EXPECT_EQ(request.sampling.min_p, 0.1);
  EXPECT_EQ(request.sampling.presence_penalty, 1.0);
  EXPECT_EQ(request.sampling.frequency_penalty, -1.0);
  EXPECT_EQ(request.sampling.seed, 3U);
  EXPECT_EQ(request.stop->size(), 5U);
  EXPECT_EQ(request.max_tokens, 9);
  EXPECT_EQ(request.sampling.n_logprobs, 4);
  EXPECT_EQ(request.sampling.logit_bias,
            (std::vector<std::pair<std::int32_t, float>>{{5, -100.0F}, {7, 2.5F}}));
  EXPECT_EQ(request.think, true);
  EXPECT_FALSE(request.tool_choice.parallel);
  EXPECT_EQ(request.tool_choice.kind, serving::ToolChoice::Kind::required);
  EXPECT_EQ(request.tools, json_from(R"([{"type": "function", "function": {"name": "f",
            "description": "d", "parameters": {"type": "object"}, "strict": true}}])"));
  EXPECT_EQ(*request.format, json_from(R"({"type": "object"})"));
  EXPECT_EQ(request.keep_alive->seconds, 600);
  EXPECT_FALSE(request.use_cache);
  EXPECT_TRUE(request.explain_cache);
  EXPECT_EQ(request.context_length, 2048);
}

TEST_F(Chat, LeavesToTheModelWhatIsNotAskedFor) {
  const serving::AnswerRequest request = asked(question());
  EXPECT_FALSE(request.think.has_value());
  EXPECT_FALSE(request.sampling.temperature.has_value());
  EXPECT_FALSE(request.sampling.seed.has_value());
  EXPECT_FALSE(request.max_tokens.has_value());
  EXPECT_FALSE(request.stop.has_value());
  EXPECT_FALSE(request.format.has_value());
  EXPECT_TRUE(request.use_cache);
}

TEST_F(Chat, KnowsToolChoicesAndFormats) {
  using Kind = serving::ToolChoice::Kind;
  Json body = with("tools", {{{"type", "function"}, {"function", {{"name", "f"}}}}});
  body["tool_choice"] = "none";
  EXPECT_EQ(asked(body).tool_choice.kind, Kind::none);
  body["tool_choice"] = {{"type", "function"}, {"function", {{"name", "f"}}}};
  EXPECT_EQ(asked(body).tool_choice.kind, Kind::named);
  EXPECT_EQ(api_.service.answers.back().tool_choice.name, "f");
  EXPECT_EQ(*asked(with("response_format", {{"type", "json_object"}})).format, "json");
  EXPECT_FALSE(asked(with("response_format", {{"type", "text"}})).format.has_value());
  EXPECT_EQ(asked(with("stop", "x")).stop, std::vector<std::string>{"x"});
  EXPECT_FALSE(asked(with("seed", -1)).sampling.seed.has_value());
}

TEST_F(Chat, TakesAWholeConversation) {
  Json body = question();
  body["messages"] = json_from(R"([
    {"role": "developer", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "a"}], "name": "Ann"},
    {"role": "assistant", "content": null, "refusal": null, "audio": null, "function_call": null,
     "annotations": [], "reasoning_content": "hm",
     "tool_calls": [{"id": "c1", "type": "function",
                     "function": {"name": "f", "arguments": "{\"x\": 1}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "42"}])");
  EXPECT_EQ(asked(body).messages, json_from(R"([
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "a"}]},
    {"role": "assistant", "content": null, "reasoning": "hm",
     "tool_calls": [{"id": "c1", "type": "function",
                     "function": {"name": "f", "arguments": {"x": 1}}}]},
    {"role": "tool", "content": "42", "tool_call_id": "c1"}])"));
}

TEST_F(Chat, GivesLogprobsOfTheContent) {
  auto thought = thinking_delta("hm");
  thought.logprobs = {logprob_of("hm", -1)};
  auto content = content_delta("\xC3");
  content.logprobs = {logprob_of("\xC3", -0.5)};
  api_.service.deltas = {thought, content};
  auto result = finished_result(1, 0, 2);
  result.logprobs = {logprob_of("x", -std::numeric_limits<double>::infinity())};
  api_.service.end = result;
  const Json logprobs =
      json_of(api_.post(kChatCompletions, with("logprobs", true)))["choices"][0]["logprobs"];
  ASSERT_EQ(logprobs["content"].size(), 2U);
  EXPECT_EQ(logprobs["content"][0]["bytes"], json_from("[195]"));
  EXPECT_EQ(logprobs["content"][0]["top_logprobs"][0]["logprob"], -0.5);
  EXPECT_EQ(logprobs["content"][1]["logprob"], -9999.0);
}

TEST_F(Chat, SaysWarningsAndCacheDebug) {
  auto result = finished_result(1, 0, 1);
  result.warnings = {"careful"};
  result.cache_debug = Json{{"cached_tokens", 3}};
  result.dropped_messages = 2;
  api_.service.end = result;
  Json body = with("options", {{"num_gpu", 1}});
  const Json answer = json_of(api_.post(kChatCompletions, body));
  EXPECT_EQ(answer["warnings"].size(), 2U);
  EXPECT_EQ(answer["cache_debug"]["cached_tokens"], 3);
  EXPECT_EQ(answer["dropped_messages"], 2);
  body["stream"] = true;
  const auto events = events_of(api_.post(kChatCompletions, body));
  // On the chunk with the reason: clients look at choices[0] of every chunk.
  const Json& last = events[events.size() - 2].data;
  EXPECT_EQ(last["warnings"].size(), 2U);
  EXPECT_EQ(last["choices"][0]["finish_reason"], "stop");
}

TEST_F(Chat, SaysWhatCouldNotBeUsed) {
  auto broken = content_delta("call:f{");
  broken.event.kind = text::ReplyEvent::Kind::broken_tool_call;
  broken.event.problem = "no closing brace";
  api_.service.deltas = {broken};
  api_.service.end = finished_result(1, 0, 1);
  std::get<serving::AnswerResult>(api_.service.end).dropped_thinking_bytes = 7;
  for (const bool stream : {false, true}) {
    const auto answer = api_.post(kChatCompletions, with("stream", stream));
    EXPECT_THAT(answer->body(), HasSubstr("a tool call could not be used (no closing brace)"));
    EXPECT_THAT(answer->body(), HasSubstr("7 bytes of thinking are left out"));
  }
}

struct Refusal {
  const char* key;
  const char* value;
  const char* param;
  const char* message;
};

TEST_F(Chat, NamesWhatItRefuses) {
  const Refusal refusals[] = {
      {"model", "7", "model", "expected a string"},
      {"messages", "[]", "messages", "at least one"},
      {"messages", "\"Hi\"", "messages", "a list"},
      {"messages", R"([{"content": "a"}])", "messages[0].role", "missing"},
      {"messages", R"([{"role": "robot", "content": "a"}])", "messages[0].role", "robot"},
      {"messages", R"([{"role": "user"}])", "messages[0].content", "missing"},
      {"messages", R"([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}])",
       "messages[0].content[0].image_url.url", "missing; expected a string"},
      {"messages", R"([{"role": "user", "content": [{"type": "input_audio"}]}])",
       "messages[0].content[0].input_audio", "an object with \"data\" and \"format\""},
      {"continue_final_message", "true", "continue_final_message", "no text of the assistant's"},
      {"continue_final_message", "1", "continue_final_message", "true or false"},
      {"messages",
       R"([{"role": "assistant", "tool_calls": [{"id": "c", "type": "function",
            "function": {"name": "f", "arguments": "[1"}}]}])",
       "messages[0].tool_calls[0].function.arguments", "JSON"},
      {"temperature", "2.1", "temperature", "from 0 to 2"},
      {"temperature", "\"hot\"", "temperature", "\"hot\""},
      {"top_p", "1.5", "top_p", "from 0 to 1"},
      {"presence_penalty", "3", "presence_penalty", "from -2 to 2"},
      {"frequency_penalty", "-3", "frequency_penalty", "from -2 to 2"},
      {"seed", "1.5", "seed", "integer"},
      {"stop", "[\"\"]", "stop", "empty"},
      {"stop", "5", "stop", "list of strings"},
      {"n", "0", "n", "from 1"},
      {"n", "1000000", "n", "from 1"},
      {"max_tokens", "0", "max_tokens", "from 1"},
      {"max_completion_tokens", "-2", "max_completion_tokens", "from -1"},
      {"verbosity", "\"chatty\"", "verbosity", "low"},
      {"tools", "[{}]", "tools[0].type", "missing"},
      {"top_logprobs", "3", "top_logprobs", "logprobs"},
      {"top_logprobs", "21", "top_logprobs", "to 20"},
      {"logit_bias", R"({"a": 1})", "logit_bias.a", "token"},
      {"logit_bias", R"({"-1": 1})", "logit_bias.-1", "token"},
      {"logit_bias", R"({"1": 101})", "logit_bias.1", "100"},
      {"tools", R"([{"type": "function", "function": {}}])", "tools[0].function.name", "missing"},
      {"tool_choice", "\"required\"", "tool_choice", "no tools"},
      {"tool_choice", "\"maybe\"", "tool_choice", "maybe"},
      {"tool_choice", R"({"type": "function", "function": {"name": "g"}})", "tool_choice",
       "no tools"},
      {"response_format", R"({"type": "xml"})", "response_format.type", "xml"},
      {"response_format", R"({"type": "json_schema"})", "response_format.json_schema", "missing"},
      {"reasoning_effort", "\"huge\"", "reasoning_effort", "huge"},
      {"keep_alive", "\"soon\"", "keep_alive", "soon"},
      {"cache", "1", "cache", "true or false"},
      {"options", "3", "options", "object"},
      {"metadata", R"({"a": 1})", "metadata.a", "string"},
      {"service_tier", "\"gold\"", "service_tier", "gold"},
      {"modalities", R"(["text", "audio"])", "modalities[1]", "audio"},
      {"functions", "7", "functions", "a list"},
      {"functions", "[{}]", "functions[0].name", "missing"},
      {"function_call", "\"required\"", "function_call", "auto"},
      {"function_call", R"({"name": "f"})", "function_call", "no tools"},
      {"tools", R"([{"type": "custom"}])", "tools[0].custom", "missing"},
      {"tool_choice", R"({"type": "web_search_preview"})", "tool_choice.type", "runs no tools"},
  };
  for (const Refusal& refusal : refusals) {
    const Json error = refused(with(refusal.key, json_from(refusal.value)));
    EXPECT_EQ(error["param"], refusal.param) << refusal.key << " " << refusal.value;
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr(refusal.message));
    EXPECT_EQ(error["type"], "invalid_request_error");
  }
}

TEST_F(Chat, TakesShortLabelsAlone) {
  const std::string longest = [] {
    std::string text;
    for (int i = 0; i < 512; ++i) text += "\u00e4";
    return text;
  }();
  const std::string too_long = longest + "a";
  Json pairs = Json::object();
  for (int i = 0; i < 16; ++i) pairs["k" + std::to_string(i)] = longest;
  for (const char* key : {"user", "safety_identifier", "prompt_cache_key"}) {
    const Json error = refused(with(key, too_long));
    EXPECT_EQ(error["param"], key);
    EXPECT_THAT(error["message"].get<std::string>(),
                HasSubstr("at most 512 characters, found 513"));
  }
  Json more_pairs = pairs;
  more_pairs["k16"] = "";
  const std::pair<Json, const char*> refusals[] = {
      {more_pairs, "metadata: expected at most 16 keys, found 17"},
      {{{"a", too_long}}, "metadata.a: expected at most 512 characters, found 513"},
      {{{std::string(65, 'k'), ""}}, "metadata: expected keys of at most 64 characters"},
  };
  for (const auto& [metadata, message] : refusals) {
    EXPECT_THAT(refused(with("metadata", metadata))["message"].get<std::string>(),
                HasSubstr(message));
  }
  for (const char* key : {"user", "safety_identifier", "prompt_cache_key"}) {
    (void)asked(with(key, longest));
  }
  (void)asked(with("metadata", pairs));
  (void)asked(with("metadata", {{std::string(64, 'k'), ""}}));
}

/// A field that changes nothing, and what the answer says of it.
struct SpareField {
  const char* key;
  const char* value;
  const char* warning;
};
constexpr SpareField kSpareFields[] = {
    {"thread", "\"t1\"", "unknown field: thread"},
    {"client_metadata", "{}", "unknown field: client_metadata"},
    {"frequency_penality", "1", "unknown field: frequency_penality"},
    {"messages", R"([{"role": "user", "content": "a", "id": 1}])", "unknown field: messages[0].id"},
    {"messages", R"([{"role": "user", "content": [{"type": "text", "text": "a", "y": 1}]}])",
     "unknown field: messages[0].content[0].y"},
    {"tools", R"([{"type": "function", "function": {"name": "f", "z": 1}}])",
     "unknown field: tools[0].function.z"},
    {"tools", R"([{"type": "web_search"}])",
     "tools[0].type has no effect: there are no tools of type \"web_search\""},
    {"response_format", R"({"type": "text", "x": 1})", "unknown field: response_format.x"},
    {"reasoning", R"({"effort": "low", "x": 1})", "unknown field: reasoning.x"},
    {"verbosity", "\"low\"", "verbosity has no effect: the models"},
    {"audio", "{}", "audio has no effect"},
    {"prediction", R"({"type": "content", "content": "x"})", "prediction has no effect"},
    {"web_search_options", "{}", "web_search_options has no effect"},
    {"stream_options", R"({"include_usage": true})", "stream_options has no effect"},
};

TEST_F(Chat, AnswersWithoutWhatHasNoEffectAndNamesIt) {
  for (const SpareField& field : kSpareFields) {
    const auto answer = api_.post(kChatCompletions, with(field.key, json_from(field.value)));
    ASSERT_EQ(answer->status(), 200) << field.key << answer->body();
    const Json body = json_of(answer);
    ASSERT_EQ(body["warnings"].size(), 1U) << field.key;
    EXPECT_THAT(body["warnings"][0].get<std::string>(), HasSubstr(field.warning));
    EXPECT_EQ(answer->warnings(), body["warnings"]) << "in the head";
  }
}

TEST_F(Chat, RefusesItWhereTheServerIsStrict) {
  api_.context.spare_fields = SpareFields::refuse;
  for (const SpareField& field : kSpareFields) {
    const Json error = refused(with(field.key, json_from(field.value)));
    EXPECT_THAT(error["message"].get<std::string>(),
                testing::AnyOf(HasSubstr("unknown parameter"), HasSubstr("not supported")));
  }
}

TEST_F(Chat, TellsInTheLastChunkWhatHasNoEffect) {
  Json body = with("thread", "t");
  body["stream"] = true;
  const auto answer = api_.post(kChatCompletions, body);
  int told = 0;
  for (const StreamEvent& event : events_of(answer)) {
    if (event.data.is_object() && event.data.contains("warnings")) ++told;
  }
  EXPECT_EQ(told, 1);
}

TEST_F(Chat, TakesValuesOfLocalClients) {
  EXPECT_EQ(asked(with("max_tokens", -1)).max_tokens, -1) << "no limit";
  EXPECT_EQ(asked(with("max_completion_tokens", -1)).max_tokens, -1);
  const auto top_p = asked(with("top_p", 0)).sampling.top_p;
  ASSERT_TRUE(top_p);
  EXPECT_GT(*top_p, 0);
  EXPECT_LT(*top_p, 1e-6) << "the likeliest token alone";
  EXPECT_EQ(asked(with("chat_template_kwargs", {{"enable_thinking", true}})).think, true);
  EXPECT_EQ(asked(with("stop_token_ids", {5})).stop_tokens, std::vector<std::int32_t>{5});
}

TEST_F(Chat, RefusesLimitsThatContradict) {
  Json body = with("max_tokens", 5);
  body["max_completion_tokens"] = 6;
  EXPECT_EQ(refused(body)["param"], "max_tokens");
}

TEST_F(Chat, RefusesBodiesThatAreNoRequest) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("[]"), std::string("{\"model\": \"\xff\"}"),
        "{\"model\": " + deep + "}", std::string("null")}) {
    const auto answer = api_.call("POST", kChatCompletions, body);
    EXPECT_EQ(answer->status(), 400) << body;
    EXPECT_EQ(json_of(answer)["error"]["type"], "invalid_request_error");
  }
  EXPECT_TRUE(api_.service.answers.empty());
}

TEST_F(Chat, ATurnMayHaveManyCallsAndResults) {
  Json calls = Json::array();
  for (int i = 0; i < 3000; ++i) {
    calls.push_back({{"id", std::to_string(i)}, {"function", {{"name", "f"}}}});
  }
  Json messages = {{{"role", "assistant"}, {"tool_calls", std::move(calls)}}};
  for (int i = 0; i < 3000; ++i) {
    messages.push_back({{"role", "tool"}, {"tool_call_id", std::to_string(i)}, {"content", ""}});
  }
  EXPECT_EQ(asked(with("messages", std::move(messages))).messages.size(), 3001U);
}

TEST_F(Chat, TakesNullAsAbsent) {
  Json body = question();
  for (const char* key : {"temperature", "tools", "tool_choice", "n", "stop", "functions", "foo"}) {
    body[key] = nullptr;
  }
  (void)asked(body);
}

TEST_F(Chat, LooksInTheCacheOfWhoeverAsks) {
  api_.context.cache_per_key = true;
  api_.caller = {.key = 5};
  Json body = with("n", 2);
  EXPECT_EQ(api_.post(kChatCompletions, body)->status(), 200);
  ASSERT_FALSE(api_.service.answers.empty());
  for (const serving::AnswerRequest& request : api_.service.answers) {
    EXPECT_EQ(request.cache_scope, CacheScope(5));
    EXPECT_TRUE(request.sees_cached_text);
    EXPECT_FALSE(request.id.empty());
  }
}

}  // namespace
}  // namespace pleiad::api::openai
