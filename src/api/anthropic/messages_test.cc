#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/anthropic/messages_testing.h"

namespace pleiad::api::anthropic {
namespace {

using testing::HasSubstr;

TEST_F(Messages, AnswersWithEveryFieldThatClientsRequire) {
  api_.service.deltas = {thinking_delta("hm"), content_delta("Hel"), content_delta("lo"),
                         call_delta("call_1", "f", {{"a", 1}})};
  auto result = finished_result(10, 4, 9);
  result.called_tools = true;
  result.thinking_tokens = 2;
  api_.service.end = result;
  Json body = json_of(api_.post(kPath, question()));
  EXPECT_EQ(body["id"].get<std::string>().rfind("msg_", 0), 0U);
  body.erase("id");
  EXPECT_EQ(body, json_from(R"({
    "type": "message", "role": "assistant", "model": "demo",
    "content": [{"type": "thinking", "thinking": "hm", "signature": "pleiad"},
                {"type": "text", "text": "Hello"},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}],
    "stop_reason": "tool_use", "stop_sequence": null,
    "usage": {"input_tokens": 6, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 4,
              "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 2}}})"));
}

TEST_F(Messages, StreamsEventsInOrder) {
  api_.service.deltas = {thinking_delta("hm"), content_delta("Hel"), content_delta("lo"),
                         call_delta("call_1", "f", {{"a", 1}})};
  auto result = finished_result(10, 4, 9);
  result.called_tools = true;
  api_.service.end = result;
  const auto answer = api_.post(kPath, with("stream", true));
  EXPECT_EQ(answer->content_type(), "text/event-stream; charset=utf-8");
  const auto events = events_of(answer);
  const std::vector<std::string> expected = {
      R"({"type":"ping"})",
      R"({"type":"content_block_start","index":0,
          "content_block":{"type":"thinking","thinking":"","signature":""}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})",
      R"({"type":"content_block_delta","index":0,
          "delta":{"type":"signature_delta","signature":"pleiad"}})",
      R"({"type":"content_block_stop","index":0})",
      R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hel"}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"lo"}})",
      R"({"type":"content_block_stop","index":1})",
      R"({"type":"content_block_start","index":2,
          "content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}})",
      R"({"type":"content_block_delta","index":2,
          "delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}})",
      R"({"type":"content_block_stop","index":2})",
      R"({"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},
          "usage":{"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,
                   "output_tokens":9}})",
      R"({"type":"message_stop"})"};
  ASSERT_EQ(events.size(), expected.size() + 1);
  EXPECT_EQ(events[0].name, "message_start");
  EXPECT_EQ(events[0].data["message"]["content"], Json::array());
  EXPECT_EQ(events[0].data["message"]["stop_reason"], nullptr);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(events[i + 1].data, json_from(expected[i]));
    EXPECT_EQ(events[i + 1].name, events[i + 1].data["type"]);
  }
}

TEST_F(Messages, EachSchemaHasItsPath) {
  Json body = with("tools", json_from(R"([{"type": "web_search_20250305", "name": "web_search"},
                                          {"name": "f", "input_schema": {"type": "object"}}])"));
  body["output_config"] = json_from(R"({"format": {"type": "json_schema", "schema": {}}})");
  (void)asked(body);
  EXPECT_EQ(api_.service.answers.back().tool_paths,
            std::vector<std::string>{"tools[1].input_schema"});
  EXPECT_EQ(api_.service.answers.back().format_path, "output_config.format.schema");
}

TEST_F(Messages, SaysWhyTheAnswerEnded) {
  const auto reason_of = [&](FinishReason reason) {
    auto result = finished_result(1, 0, 1);
    result.reason = reason;
    result.stop_string = "END";
    api_.service.end = result;
    return json_of(api_.post(kPath, question()));
  };
  EXPECT_EQ(reason_of(FinishReason::stop_token)["stop_reason"], "end_turn");
  EXPECT_EQ(reason_of(FinishReason::length)["stop_reason"], "max_tokens");
  EXPECT_EQ(reason_of(FinishReason::context_full)["stop_reason"], "model_context_window_exceeded");
  const Json repeated = reason_of(FinishReason::repetition);
  EXPECT_EQ(repeated["stop_reason"], "max_tokens");
  EXPECT_EQ(repeated["ended_by"], "repetition");
  const Json stopped = reason_of(FinishReason::stop_string);
  EXPECT_EQ(stopped["stop_reason"], "stop_sequence");
  EXPECT_EQ(stopped["stop_sequence"], "END");
}

TEST_F(Messages, AnEffortIsTheBudgetOfAThoughtWithoutOne) {
  Json body = with("thinking", {{"type", "adaptive"}});
  body["output_config"] = {{"effort", "low"}};
  EXPECT_EQ(asked(body).thinking_budget->tokens, 1024);
  EXPECT_EQ(asked(with("output_config", {{"effort", "low"}})).think, std::nullopt);
  body = with("thinking", {{"type", "disabled"}, {"budget_tokens", 2000}});
  EXPECT_EQ(asked(body).think, false);
  EXPECT_EQ(asked(body).thinking_budget, std::nullopt);
}

TEST_F(Messages, TellsThatAThoughtWasEnded) {
  api_.service.deltas = {thinking_delta("hm"), content_delta("a")};
  auto result = finished_result(1, 0, 1);
  result.ended_thought = EndedThought{EndedThought::Why::budget, 1000};
  api_.service.end = result;
  EXPECT_EQ(json_of(api_.post(kPath, question()))["thinking_ended_by"], "budget");
  bool told = false;
  for (const auto& event : events_of(api_.post(kPath, with("stream", true)))) {
    told = told || (event.name == "message_delta" && event.data["thinking_ended_by"] == "budget");
  }
  EXPECT_TRUE(told);
}

TEST_F(Messages, CountsWhatNobodyChose) {
  api_.service.deltas = {content_delta("a")};
  auto result = finished_result(1, 0, 9);
  result.stats.forced_tokens = 5;
  result.stats.saved_steps = 4;
  result.stats.dropped_tokens = 40;
  api_.service.end = result;
  const Json counts = {{"forced_tokens", 5}, {"saved_steps", 4}, {"dropped_tokens", 40}};
  EXPECT_EQ(json_of(api_.post(kPath, question()))["usage"]["output_tokens_details"], counts);
  bool told = false;
  for (const auto& event : events_of(api_.post(kPath, with("stream", true)))) {
    told = told || (event.name == "message_delta" &&
                    event.data["usage"]["output_tokens_details"] == counts);
  }
  EXPECT_TRUE(told);
}

TEST_F(Messages, HidesThoughtsWhereAskedTo) {
  api_.service.deltas = {thinking_delta("hm"), content_delta("a")};
  Json body = with("thinking", {{"type", "adaptive"}, {"display", "omitted"}});
  EXPECT_EQ(json_of(api_.post(kPath, body))["content"],
            json_from(R"([{"type": "text", "text": "a"}])"));
  EXPECT_EQ(api_.service.answers[0].think, true);
}

TEST_F(Messages, WordsErrorsAsAnthropic) {
  using Code = serving::ServiceError::Code;
  const auto answer_to = [&](Code code) {
    api_.service.end = service_error(code, "why");
    return api_.post(kPath, with("stream", true));
  };
  auto answer = answer_to(Code::model_not_found);
  EXPECT_EQ(answer->status(), 404);
  EXPECT_EQ(json_of(answer), json_from(R"({"type": "error",
    "error": {"type": "not_found_error", "message": "why"}, "request_id": "req-1"})"));
  answer = answer_to(Code::busy);
  EXPECT_EQ(answer->status(), 529);
  EXPECT_EQ(json_of(answer)["error"]["type"], "overloaded_error");
  EXPECT_THAT(answer->headers(), testing::Contains(testing::Pair("Retry-After", "1")));
  EXPECT_EQ(answer_to(Code::context_exceeded)->status(), 400);
  EXPECT_EQ(answer_to(Code::deadline)->status(), 504);
  EXPECT_EQ(json_of(answer_to(Code::internal))["error"]["type"], "api_error");
  const http::Response refused = api_.router.find("POST", kPath).route->on_error(413, "large");
  EXPECT_EQ(json_from(refused.body)["error"]["type"], "request_too_large");
}

TEST_F(Messages, EndsAStreamWithTheErrorWhereOneComesLate) {
  api_.service.deltas = {content_delta("a")};
  api_.service.end = service_error(serving::ServiceError::Code::internal, "lost");
  const auto events = events_of(api_.post(kPath, with("stream", true)));
  EXPECT_EQ(events.back().name, "error");
  EXPECT_EQ(events.back().data["error"]["message"], "lost");
}

TEST_F(Messages, HandsEveryParameterOn) {
  Json body = question();
  body.update(json_from(R"({
    "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
    "temperature": 0.5, "top_p": 0.9, "top_k": 7, "stop_sequences": ["END"],
    "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"},
               "strict": true, "cache_control": {"type": "ephemeral"}, "eager_input_streaming": true}],
    "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": true},
    "thinking": {"type": "enabled", "budget_tokens": 2048},
    "output_config": {"effort": "high", "format": {"type": "json_schema",
                      "schema": {"type": "object"}}},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "metadata": {"user_id": "u"}, "service_tier": "auto", "cache_control": {"type": "ephemeral"},
    "keep_alive": "1m", "cache": false, "options": {"num_ctx": 1024}})"));
  const serving::AnswerRequest& request = asked(body);
  EXPECT_EQ(request.messages, json_from(R"([{"role": "system", "content": "Be kind."},
                                              {"role": "user", "content": "Hi"}])"));
  EXPECT_EQ(request.max_tokens, 100);
  EXPECT_EQ(request.sampling.temperature, 0.5);
  EXPECT_EQ(request.sampling.top_p, 0.9);
  EXPECT_EQ(request.sampling.top_k, 7);
  EXPECT_EQ(request.stop, std::vector<std::string>{"END"});
  EXPECT_EQ(request.tools, json_from(R"([{"type": "function", "function": {"name": "f",
      "description": "d", "parameters": {"type": "object"}, "strict": true}}])"));
  EXPECT_EQ(request.tool_choice.kind, serving::ToolChoice::Kind::named);
  EXPECT_FALSE(request.tool_choice.parallel);
  EXPECT_EQ(request.think, true);
  EXPECT_EQ(request.thinking_budget->tokens, 2048);
  EXPECT_EQ(request.thinking_budget->field, "thinking.budget_tokens");
  EXPECT_EQ(*request.format, json_from(R"({"type": "object"})"));
  EXPECT_EQ(request.keep_alive->seconds, 60);
  EXPECT_FALSE(request.use_cache);
  EXPECT_EQ(request.context_length, 1024);
  EXPECT_EQ(request.id, "req-1");
}

TEST_F(Messages, TurnsBlocksIntoMessagesInTheirOrder) {
  Json body = question();
  body["messages"] = json_from(R"([
    {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    {"role": "assistant", "content": [
      {"type": "thinking", "thinking": "hm", "signature": "pleiad"},
      {"type": "text", "text": "Let me see."},
      {"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}},
      {"type": "tool_use", "id": "t2", "name": "g", "input": {}}]},
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "t1", "content": "42"},
      {"type": "tool_result", "tool_use_id": "t2", "is_error": true,
       "content": [{"type": "text", "text": "no"}]},
      {"type": "text", "text": "c"}]}])");
  EXPECT_EQ(asked(body).messages, json_from(R"([
    {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    {"role": "assistant", "content": "Let me see.", "reasoning": "hm"},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "t1", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}},
      {"id": "t2", "type": "function", "function": {"name": "g", "arguments": {}}}]},
    {"role": "tool", "content": "42", "tool_call_id": "t1"},
    {"role": "tool", "content": "Error: no", "tool_call_id": "t2"},
    {"role": "user", "content": "c"}])"));
}

TEST_F(Messages, KeepsATurnOfThoughtsAlone) {
  for (const char* thought : {"hm", ""}) {
    const Json turn = {{"role", "assistant"},
                       {"content", {{{"type", "thinking"}, {"thinking", thought}}}}};
    const Json next = {{"role", "user"}, {"content", "b"}};
    const Json read = asked(with("messages", {turn, next})).messages;
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0]["role"], "assistant");
    EXPECT_EQ(read[0]["content"], "");
    EXPECT_EQ(read[0].value("reasoning", ""), thought);
    EXPECT_EQ(asked(with("messages", Json::array({turn}))).messages[0], read[0]) << "to go on with";
  }
}

TEST_F(Messages, KnowsToolChoicesAndThinking) {
  using Kind = serving::ToolChoice::Kind;
  Json body = with("tools", json_from(R"([{"name": "f", "input_schema": {}}])"));
  body["tool_choice"] = {{"type", "any"}};
  EXPECT_EQ(asked(body).tool_choice.kind, Kind::required);
  body["tool_choice"] = {{"type", "none"}};
  EXPECT_EQ(asked(body).tool_choice.kind, Kind::none);
  body["tool_choice"] = {{"type", "auto"}};
  EXPECT_EQ(asked(body).tool_choice.kind, Kind::automatic);
  EXPECT_FALSE(asked(question()).think.has_value());
  EXPECT_EQ(asked(with("thinking", {{"type", "disabled"}})).think, false);
}

TEST_F(Messages, CountsTokens) {
  api_.service.token_count = serving::Service::TokenCount{17};
  Json body = with("system", "Be kind.");
  body.erase("max_tokens");
  const auto answer = api_.post("/v1/messages/count_tokens", body);
  EXPECT_EQ(json_of(answer), json_from(R"({"input_tokens": 17})"));
  EXPECT_EQ(api_.service.counts[0].messages.size(), 2U);
  const auto with_spare = api_.post("/v1/messages/count_tokens", with("stream", true));
  EXPECT_EQ(json_of(with_spare)["warnings"], json_from(R"(["unknown field: stream"])"));
}

TEST_F(Messages, CountingEndsWhenTheClientGoesAway) {
  api_.service.hold = true;
  const auto answer = api_.begin("POST", "/v1/messages/count_tokens", to_text(question()));
  ASSERT_EQ(api_.service.held_prompts.size(), 1U);
  EXPECT_FALSE(api_.service.held_prompts[0].ticket->cancelled);
  answer->go_away();
  EXPECT_TRUE(api_.service.held_prompts[0].ticket->cancelled);
}

TEST_F(Messages, CancelsWhenTheClientGoesAway) {
  api_.service.hold = true;
  const auto answer = api_.begin("POST", kPath, to_text(question()));
  answer->go_away();
  EXPECT_TRUE(api_.service.held[0].ticket->cancelled);
}

TEST_F(Messages, AnswersWithoutWhatHasNoEffectAndNamesIt) {
  const std::pair<const char*, const char*> spare[] = {
      {"tools[0].type", R"([{"type": "web_search_20250305", "name": "web_search"}])"},
      {"context_management.edits[0].type", R"({"edits": [{"type": "compact_20260112"}]})"},
      {"metadata.name", R"({"name": "x"})"},
      {"mcp_servers", "[]"},
      {"container", "\"c\""},
      {"thread", "\"t1\""},
      {"thread", R"({"type": "create"})"},
      {"messages[0].id", R"([{"role": "user", "content": "a", "id": 1}])"},
      {"messages[0].content[0].z",
       R"([{"role": "user", "content": [{"type": "text", "text": "a", "z": 1}]}])"},
  };
  for (const auto& [path, value] : spare) {
    const std::string key = std::string(path).substr(0, std::string(path).find_first_of("[."));
    const Json body = with(key, json_from(value));
    api_.context.spare_fields = SpareFields::tell;
    const auto answer = api_.post(kPath, body);
    ASSERT_EQ(answer->status(), 200) << path << answer->body();
    const Json told = json_of(answer)["warnings"];
    ASSERT_EQ(told.size(), 1U) << path;
    EXPECT_THAT(told[0].get<std::string>(), HasSubstr(path));
    EXPECT_EQ(answer->warnings(), told);
    api_.context.spare_fields = SpareFields::refuse;
    EXPECT_EQ(api_.post(kPath, body)->status(), 400) << path;
  }
}

// The code is what Anthropic's clients look for: they send the whole conversation then.
TEST_F(Messages, SaysThatItHoldsNoConversationToContinue) {
  Json body = with("thread", {{"type", "continue"}, {"previous_message_id", "msg_1"}});
  // Of such a conversation the last message alone is sent.
  body["messages"] = json_from(R"([{"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "toolu_1", "content": "sunny"}]}])");
  for (const char* path : {kPath, "/v1/messages/count_tokens"}) {
    const auto answer = api_.post(path, body);
    EXPECT_EQ(answer->status(), 404) << path;
    const Json error = json_of(answer)["error"];
    EXPECT_EQ(error["type"], "not_found_error");
    EXPECT_EQ(error["details"], json_from(R"({"error_code": "thread_not_found"})"));
    EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("thread.previous_message_id"));
  }
  EXPECT_TRUE(api_.service.answers.empty());
}

TEST_F(Messages, RefusesAThreadWhereFieldsAreStrict) {
  api_.context.spare_fields = SpareFields::refuse;
  const auto answer = api_.post(kPath, with("thread", {{"type", "create"}}));
  EXPECT_EQ(answer->status(), 400);
  EXPECT_EQ(json_of(answer)["error"]["details"],
            json_from(R"({"error_code": "thread_unsupported_request"})"));
  EXPECT_FALSE(json_of(api_.post(kPath, with("wibble", 1)))["error"].contains("details"));
}

TEST_F(Messages, GoesOnWithALastMessageOfTheAssistant) {
  Json body = with("messages", json_from(R"([
    {"role": "user", "content": "Count"},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"},
                                      {"type": "text", "text": "1, 2,"}]}])"));
  for (const char* path : {kPath, "/v1/messages/count_tokens"}) {
    EXPECT_EQ(api_.post(path, body)->status(), 200);
  }
  const auto& request = asked(body);
  EXPECT_TRUE(request.continue_last);
  EXPECT_EQ(request.messages[1],
            json_from(R"({"role": "assistant", "content": "1, 2,", "reasoning": "hm"})"));
  body["messages"][1]["content"] = Json::array();
  EXPECT_EQ(asked(body).messages[1]["content"], "");
}

TEST_F(Messages, TextsBesideEachOtherAreOneMessage) {
  Json body = with("messages", json_from(R"([
    {"role": "user", "content": "Count"},
    {"role": "assistant", "content": [{"type": "text", "text": "{"}, {"type": "text", "text": "1"},
                                      {"type": "thinking", "thinking": "hm"},
                                      {"type": "text", "text": "2"}]}])"));
  EXPECT_EQ(asked(body).messages, json_from(R"([
    {"role": "user", "content": "Count"},
    {"role": "assistant",
     "content": [{"type": "text", "text": "{"}, {"type": "text", "text": "1"}]},
    {"role": "assistant", "content": "2", "reasoning": "hm"}])"));
  body["messages"][1]["content"] =
      json_from(R"([{"type": "text", "text": "1"}, {"type": "text", "text": "2 "}])");
  const auto answer = api_.post(kPath, body);
  EXPECT_EQ(answer->status(), 400);
  EXPECT_THAT(json_of(answer)["error"]["message"].get<std::string>(),
              HasSubstr("messages[1].content[1]"));
}

// Anthropic's clients send back what they were given.
TEST_F(Messages, LeavesRedactedThoughtsOutAndNamesThem) {
  const auto answer = api_.post(kPath, with("messages", json_from(R"([
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "Em8="},
                                      {"type": "text", "text": "b"}]},
    {"role": "user", "content": "c"}])")));
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_EQ(api_.service.answers.back().messages[1],
            json_from(R"({"role": "assistant", "content": "b"})"));
  EXPECT_EQ(json_of(answer)["warnings"],
            json_from(R"(["messages[1].content[0] has no effect: such thoughts can be read by )"
                      R"(Anthropic's servers alone"])"));
}

TEST_F(Messages, ResultsWithoutTheirCallAreAnswered) {
  const auto answer = api_.post(kPath, with("messages", json_from(R"([
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "t", "is_error": true,
       "content": [{"type": "text", "text": "a"}]}]}])")));
  ASSERT_EQ(answer->status(), 200) << answer->body();
  EXPECT_EQ(api_.service.answers.back().messages, json_from(R"([{"role": "assistant",
                           "tool_responses": [{"name": "t", "response": "Error: a"}]}])"));
  EXPECT_THAT(json_of(answer)["warnings"][0].get<std::string>(),
              HasSubstr("messages[0].content[0]"));
}

TEST_F(Messages, DocumentsOfTextAreTexts) {
  const auto answer = api_.post(kPath, with("messages", json_from(R"([
    {"role": "user", "content": [
      {"type": "text", "text": "First."},
      {"type": "document", "title": "Report", "context": "of May", "citations": {"enabled": true},
       "cache_control": {"type": "ephemeral"},
       "source": {"type": "text", "media_type": "text/plain", "data": "All is well."}},
      {"type": "document", "source": {"type": "content", "content": [
        {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}},
      {"type": "search_result", "source": "https://x.org", "title": "X",
       "content": [{"type": "text", "text": "found"}]},
      {"type": "text", "text": "Summarize."}]},
    {"role": "user", "content": [{"type": "document",
                                  "source": {"type": "content", "content": "whole"}}]}])")));
  ASSERT_EQ(answer->status(), 200) << answer->body();
  const Json& messages = api_.service.answers.back().messages;
  EXPECT_EQ(messages[0]["content"],
            "First.\n\n"
            "<document>\n<title>Report</title>\n<context>of May</context>\nAll is well.\n"
            "</document>\n\n"
            "<document>\na\nb\n</document>\n\n"
            "<search_result>\n<source>https://x.org</source>\n<title>X</title>\nfound\n"
            "</search_result>\n\nSummarize.");
  EXPECT_EQ(messages[1]["content"], "<document>\nwhole\n</document>");
  EXPECT_FALSE(json_of(answer).contains("warnings"));
}

TEST_F(Messages, AResultMayHoldADocument) {
  const Json& messages = asked(with("messages", json_from(R"([
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [
      {"type": "document", "source": {"type": "text", "data": "x"}}]}]}])")))
                             .messages;
  EXPECT_EQ(messages[1]["content"], "<document>\nx\n</document>");
}

TEST_F(Messages, NamesWhatItRefuses) {
  struct Refusal {
    const char* key;
    const char* value;
    const char* message;
  };
  const Refusal refusals[] = {
      {"max_tokens", "null", "max_tokens: expected"},
      {"max_tokens", "0", "max_tokens: expected an integer"},
      {"thread", R"({"type": "fork"})", "thread.type: expected"},
      {"thread", R"({"type": "continue"})", "thread.previous_message_id: missing"},
      {"model", "null", "model: missing"},
      {"messages", "[]", "messages: expected"},
      {"messages", R"([{"role": "user", "content": []}])", "messages[0].content"},
      {"messages", R"([{"role": "tool", "content": "a"}])", "messages[0].role"},
      {"messages", R"([{"role": "assistant", "content": "a "}])",
       "messages[0]: the answer goes on"},
      {"messages", R"([{"role": "assistant", "content": [{"type": "text", "text": "a"},
                        {"type": "text", "text": "b\n"}]}])",
       "messages[0].content[1]: the answer goes on"},
      {"messages", R"([{"role": "user", "content": [{"type": "image", "source": {}}]}])",
       "messages[0].content[0].source.type: missing"},
      {"messages", R"([{"role": "user", "content": [{"type": "document",
                        "source": {"type": "base64", "data": "a-b="}}]}])",
       "messages[0].content[0].source.data: expected base64"},
      {"messages", R"([{"role": "user", "content": [{"type": "document", "source": {}}]}])",
       "messages[0].content[0].source.type: missing"},
      {"messages", R"([{"role": "user", "content": [{"type": "document",
                        "source": {"type": "content", "content": [{"type": "image"}]}}]}])",
       "messages[0].content[0].source.content[0]: pictures cannot stand here"},
      {"messages", R"([{"role": "user", "content": [{"type": "search_result", "title": "t",
                        "source": "s"}]}])",
       "messages[0].content[0].content"},
      {"messages", R"([{"role": "user", "content": [{"type": "tool_use"}]}])",
       "messages[0].content[0].type"},
      {"system", "7", "system: expected"},
      {"temperature", "1.5", "temperature: expected a number from 0 to 1"},
      {"top_k", "-1", "top_k"},
      {"stop_sequences", "[\"\"]", "stop_sequences"},
      {"tools", R"([{"name": "f"}])", "tools[0].input_schema"},
      {"tool_choice", R"({"type": "any"})", "no tools are given"},
      {"tool_choice", R"({"type": "some"})", "tool_choice.type"},
      {"thinking", R"({"type": "enabled"})", "thinking.budget_tokens"},
      {"thinking", R"({"type": "between_tools"})", "thinking.type"},
      {"output_config", R"({"effort": "huge"})", "output_config.effort"},
  };
  for (const Refusal& refusal : refusals) {
    const auto answer = api_.post(kPath, with(refusal.key, json_from(refusal.value)));
    EXPECT_EQ(answer->status(), 400) << refusal.key;
    const Json body = json_of(answer);
    EXPECT_EQ(body["error"]["type"], "invalid_request_error");
    EXPECT_THAT(body["error"]["message"].get<std::string>(), HasSubstr(refusal.message));
  }
  EXPECT_EQ(api_.call("POST", kPath, "{")->status(), 400);
  EXPECT_TRUE(api_.service.answers.empty());
}

TEST_F(Messages, LooksInTheCacheOfWhoeverAsks) {
  api_.context.cache_per_key = true;
  api_.caller = {.key = 5};
  EXPECT_EQ(api_.post(kPath, with("temperature", 0))->status(), 200);
  ASSERT_FALSE(api_.service.answers.empty());
  for (const serving::AnswerRequest& request : api_.service.answers) {
    EXPECT_EQ(request.cache_scope, CacheScope(5));
    EXPECT_TRUE(request.sees_cached_text);
    EXPECT_FALSE(request.id.empty());
  }
}

}  // namespace
}  // namespace pleiad::api::anthropic
