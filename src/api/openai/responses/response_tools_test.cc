// Tools of the Responses API, and what clients that keep the conversation themselves send.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

using ::testing::HasSubstr;

constexpr const char* kResponsesRoute = "/v1/responses";

class ResponseTools : public testing::Test {
 protected:
  ResponseTools() { add_openai_routes(api_.router, api_.context); }

  Json created(const Json& body) {
    const auto answer = api_.post(kResponsesRoute, body);
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return json_of(answer);
  }
  const serving::AnswerRequest& asked() { return api_.service.answers.back(); }

  ApiHarness api_;
};

TEST_F(ResponseTools, GivesCustomToolsTheirText) {
  api_.service.deltas = {call_delta("call_1", "apply_patch", {{"input", "*** Begin Patch"}})};
  api_.service.end = finished_result(1, 0, 1);
  Json body = json_from(R"({"model": "demo", "input": "Hi", "tools": [
      {"type": "custom", "name": "apply_patch", "description": "d", "format": {"type": "text"}}],
      "tool_choice": {"type": "custom", "name": "apply_patch"}})");
  const Json answer = created(body);
  Json item = answer["output"][0];
  EXPECT_EQ(item["id"].get<std::string>().rfind("ctc_", 0), 0U);
  item.erase("id");
  EXPECT_EQ(item, json_from(R"({"type": "custom_tool_call", "status": "completed",
      "call_id": "call_1", "name": "apply_patch", "input": "*** Begin Patch"})"));
  EXPECT_EQ(answer["tools"], body["tools"]);
  EXPECT_EQ(answer["tool_choice"], body["tool_choice"]);
  EXPECT_FALSE(answer.contains("warnings"));
}

TEST_F(ResponseTools, StreamsTheTextOfCustomTools) {
  api_.service.deltas = {call_delta("call_1", "apply_patch", {{"input", "text"}})};
  api_.service.end = finished_result(1, 0, 1);
  const auto events = events_of(api_.post(kResponsesRoute, json_from(R"({"model": "demo",
      "input": "Hi", "stream": true, "tools": [{"type": "custom", "name": "apply_patch"}]})")));
  ASSERT_EQ(events.size(), 7U);
  const Json added = events[2].data;
  EXPECT_EQ(added["type"], "response.output_item.added");
  EXPECT_EQ(added["item"]["input"], "");
  EXPECT_EQ(events[3].data, (Json{{"type", "response.custom_tool_call_input.delta"},
                                  {"sequence_number", 3},
                                  {"item_id", added["item"]["id"]},
                                  {"output_index", 0},
                                  {"delta", "text"}}));
  EXPECT_EQ(events[4].data, (Json{{"type", "response.custom_tool_call_input.done"},
                                  {"sequence_number", 4},
                                  {"item_id", added["item"]["id"]},
                                  {"output_index", 0},
                                  {"input", "text"}}));
  EXPECT_EQ(events[5].data["item"]["status"], "completed");
}

TEST_F(ResponseTools, StreamsArgumentsAsTheyAreWritten) {
  api_.service.deltas = call_deltas("call_1", "f", {"{\"a\":", "1}"});
  api_.service.deltas.push_back(content_delta("Done."));
  api_.service.end = finished_result(1, 0, 1);
  const auto events = events_of(api_.post(kResponsesRoute, json_from(R"({"model": "demo",
      "input": "Hi", "stream": true, "tools": [{"type": "function", "name": "f"}]})")));
  EXPECT_TRUE(api_.service.answers.back().call_pieces);
  ASSERT_GT(events.size(), 8U);
  const auto type = [&](std::size_t i) { return events[i].data["type"].get<std::string>(); };
  EXPECT_EQ(type(2), "response.output_item.added");
  EXPECT_EQ(events[2].data["item"]["arguments"], "");
  EXPECT_EQ(type(3), "response.function_call_arguments.delta");
  EXPECT_EQ(events[3].data["delta"], "{\"a\":");
  EXPECT_EQ(events[4].data["delta"], "1}");
  EXPECT_EQ(type(5), "response.function_call_arguments.done");
  EXPECT_EQ(events[5].data["arguments"], "{\"a\":1}");
  EXPECT_EQ(events[5].data["name"], "f");
  EXPECT_EQ(type(6), "response.output_item.done");
  EXPECT_EQ(events[6].data["item"]["status"], "completed");
  EXPECT_EQ(events[6].data["item"]["arguments"], "{\"a\":1}");
  EXPECT_EQ(type(7), "response.output_item.added");
  EXPECT_EQ(events[7].data["output_index"], 1);
  EXPECT_EQ(events.back().data["response"]["output"].size(), 2U);
}

TEST_F(ResponseTools, AWholeCallIsNotTheEndOfABrokenOne) {
  // The first call turned out to be broken, which a delta does not say.
  api_.service.deltas = {begun_delta("call_1", "f"), arguments_delta("call_1", "{\"a\":"),
                         call_delta("call_2", "g", {{"b", 2}})};
  api_.service.end = finished_result(1, 0, 1);
  const auto events = events_of(api_.post(kResponsesRoute, json_from(R"({"model": "demo",
      "input": "Hi", "stream": true, "tools": [{"type": "function", "name": "f"},
                                               {"type": "function", "name": "g"}]})")));
  for (const auto& event : events) {
    if (event.data["type"] != "response.function_call_arguments.done") continue;
    EXPECT_EQ(event.data["arguments"], "{\"b\":2}");
    EXPECT_EQ(event.data["output_index"], 1);
  }
  const Json& output = events.back().data["response"]["output"];
  ASSERT_EQ(output.size(), 1U);
  EXPECT_EQ(output[0]["status"], "completed");
  EXPECT_EQ(output[0]["name"], "g");
  EXPECT_EQ(output[0]["arguments"], "{\"b\":2}");
}

TEST_F(ResponseTools, ACallThatIsCutOffIsNoPartOfTheOutput) {
  api_.service.deltas = {content_delta("Let me see."), begun_delta("call_1", "f"),
                         arguments_delta("call_1", "{\"a\":")};
  auto result = finished_result(1, 0, 1);
  result.reason = FinishReason::length;
  api_.service.end = result;
  const auto events = events_of(api_.post(kResponsesRoute, json_from(R"({"model": "demo",
      "input": "Hi", "stream": true, "tools": [{"type": "function", "name": "f"}]})")));
  const Json& ended = events[events.size() - 2].data;
  EXPECT_EQ(ended["type"], "response.output_item.done");
  EXPECT_EQ(ended["item"]["status"], "incomplete");
  for (const auto& event : events) {
    EXPECT_NE(event.data["type"], "response.function_call_arguments.done");
  }
  EXPECT_EQ(events.back().data["type"], "response.incomplete");
  const Json& output = events.back().data["response"]["output"];
  ASSERT_EQ(output.size(), 1U);
  EXPECT_EQ(output[0]["type"], "message");
}

TEST_F(ResponseTools, OffersOnlyAllowedTools) {
  Json body = json_from(R"({"model": "demo", "input": "Hi", "tools": [
      {"type": "function", "name": "f", "parameters": {}},
      {"type": "function", "name": "g", "parameters": {}}, {"type": "web_search"}],
      "tool_choice": {"type": "allowed_tools", "mode": "required",
                      "tools": [{"type": "function", "name": "g"}, {"type": "web_search"}]}})");
  const Json answer = created(body);
  ASSERT_EQ(asked().tools.size(), 1U);
  EXPECT_EQ(asked().tools[0]["function"]["name"], "g");
  EXPECT_EQ(asked().tool_choice.kind, serving::ToolChoice::Kind::required);
  EXPECT_EQ(answer["tools"].size(), 2U) << "what was given is given back";
  EXPECT_EQ(answer["tool_choice"], body["tool_choice"]);
  EXPECT_EQ(answer["warnings"].size(), 2U);
}

TEST_F(ResponseTools, TakesToolsInTheFormOfChats) {
  const Json answer = created(json_from(R"({"model": "demo", "input": "Hi",
      "tools": [{"type": "function", "function": {"name": "f", "description": "d"}}],
      "tool_choice": {"type": "function", "function": {"name": "f"}}})"));
  EXPECT_FALSE(answer.contains("warnings")) << answer["warnings"];
  EXPECT_EQ(asked().tools, json_from(R"([{"type": "function",
      "function": {"name": "f", "description": "d"}}])"));
  EXPECT_EQ(asked().tool_choice.name, "f");
}

TEST_F(ResponseTools, LeavesOutWhatTheServerWouldRunAndNamesIt) {
  for (const char* tool :
       {R"({"type": "web_search", "external_web_access": true})", R"({"type": "local_shell"})",
        R"({"type": "file_search", "vector_store_ids": ["v"]})",
        R"({"type": "code_interpreter", "container": {"type": "auto"}})",
        R"({"type": "mcp", "server_label": "l", "server_url": "u", "require_approval": "never"})",
        R"({"type": "image_generation"})", R"({"type": "tool_search"})"}) {
    const Json answer =
        created({{"model", "demo"}, {"input", "Hi"}, {"tools", Json::array({json_from(tool)})}});
    EXPECT_TRUE(asked().tools.empty()) << tool;
    ASSERT_EQ(answer["warnings"].size(), 1U) << tool;
    EXPECT_THAT(answer["warnings"][0].get<std::string>(), HasSubstr("tools[0].type"));
    const std::string type = json_from(tool)["type"].get<std::string>();
    EXPECT_THAT(answer["warnings"][0].get<std::string>(), HasSubstr('"' + type + '"'));
  }
}

TEST_F(ResponseTools, OffersTheToolsOfANamespaceByBothNames) {
  api_.service.deltas = {call_delta("call_1", "crm__find", {{"a", 1}}),
                         call_delta("call_2", "crm__note", {{"input", "text"}})};
  api_.service.end = finished_result(1, 0, 1);
  Json body = json_from(R"({"model": "demo", "input": [{"role": "user", "content": "Hi"}],
      "tools": [{"type": "function", "name": "find", "parameters": {}},
      {"type": "namespace", "name": "crm", "description": "Customers.", "tools": [
        {"type": "function", "name": "find", "description": "Finds.", "parameters": {}},
        {"type": "custom", "name": "note"}]}]})");
  const Json answer = created(body);
  EXPECT_FALSE(answer.contains("warnings")) << answer["warnings"];
  EXPECT_EQ(answer["tools"][1], body["tools"][1]);
  ASSERT_EQ(asked().tools.size(), 3U);
  EXPECT_EQ(asked().tools[0]["function"]["name"], "find");
  EXPECT_EQ(asked().tools[1]["function"]["name"], "crm__find");
  EXPECT_EQ(asked().tools[1]["function"]["description"],
            "Finds.\n\n(Of all tools of crm: Customers.)");
  EXPECT_EQ(asked().tools[2]["function"]["name"], "crm__note");
  const Json output = answer["output"];
  EXPECT_EQ(output[0]["type"], "function_call");
  EXPECT_EQ(output[0]["name"], "find");
  EXPECT_EQ(output[0]["namespace"], "crm");
  EXPECT_EQ(output[1]["type"], "custom_tool_call");
  EXPECT_EQ(output[1]["name"], "note");
  EXPECT_EQ(output[1]["namespace"], "crm");
  // The calls come back, and the model is shown what it wrote.
  for (const Json& item : output) body["input"].push_back(item);
  body["tool_choice"] = {{"type", "function"}, {"name", "find"}, {"namespace", "crm"}};
  (void)created(body);
  EXPECT_EQ(asked().tool_choice.name, "crm__find");
  const Json calls = asked().messages[1]["tool_calls"];
  EXPECT_EQ(calls[0]["function"]["name"], "crm__find");
  EXPECT_EQ(calls[1]["function"]["name"], "crm__note");
}

TEST_F(ResponseTools, EachToolHasItsPath) {
  api_.service.end = finished_result(1, 0, 1);
  (void)created(json_from(R"({"model": "demo", "input": "Hi", "tools": [
      {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]},
      {"type": "function", "name": "g"}],
      "text": {"format": {"type": "json_schema", "name": "x", "schema": {}}}})"));
  EXPECT_EQ(api_.service.answers.back().tool_paths,
            (std::vector<std::string>{"tools[0].tools[0].parameters", "tools[1].parameters"}));
  EXPECT_EQ(api_.service.answers.back().format_path, "text.format.schema");
}

TEST_F(ResponseTools, RefusesANameThatStandsForTwoTools) {
  for (const char* tools :
       {R"([{"type": "function", "name": "a__b"},
            {"type": "namespace", "name": "a", "tools": [{"type": "function", "name": "b"}]}])",
        R"([{"type": "namespace", "name": "a", "tools": [{"type": "function", "name": "b__c"}]},
            {"type": "namespace", "name": "a__b", "tools": [{"type": "function", "name": "c"}]}])",
        R"([{"type": "function", "name": "b"}, {"type": "custom", "name": "b"}])"}) {
    const auto answer = api_.post(
        kResponsesRoute, {{"model", "demo"}, {"input", "Hi"}, {"tools", json_from(tools)}});
    EXPECT_EQ(answer->status(), 400) << tools;
  }
  const Json longest = {{"type", "namespace"},
                        {"name", std::string(129, 'a')},
                        {"tools", json_from(R"([{"type": "function", "name": "b"}])")}};
  const auto answer = api_.post(
      kResponsesRoute, {{"model", "demo"}, {"input", "Hi"}, {"tools", Json::array({longest})}});
  EXPECT_EQ(json_of(answer)["error"]["param"], "tools[0].name");
}

TEST_F(ResponseTools, NamesTheTypesThatAreLeftOutOnce) {
  Json tools = json_from(R"([{"type": "web_search"}, {"type": "mcp"}, {"type": "web_search"}])");
  const auto warning = [&] {
    const Json answer = created({{"model", "demo"}, {"input", "Hi"}, {"tools", tools}});
    EXPECT_EQ(answer["warnings"].size(), 1U);
    return answer["warnings"][0].get<std::string>();
  };
  EXPECT_THAT(warning(), HasSubstr(R"(of type "web_search", "mcp" here)"));
  for (int i = 0; i < 20; ++i) tools.push_back({{"type", "t" + std::to_string(i)}});
  EXPECT_THAT(warning(), HasSubstr(R"("t5", and others here)"));
}

// The template shows results behind the last text of a turn, so texts go before calls that have
// some.
TEST_F(ResponseTools, TextsStandBeforeTheirCallsOrBehindThem) {
  const Json user = json_from(R"({"role": "user", "content": "Go"})");
  const Json call = json_from(R"({"type": "function_call", "call_id": "c", "name": "f",
                                  "arguments": "{}"})");
  const Json output =
      json_from(R"({"type": "function_call_output", "call_id": "c", "output": "1"})");
  const auto said = [](const char* text) { return Json{{"role", "assistant"}, {"content", text}}; };
  /// T: the text with that number, C: calls, R: a result, U: the user.
  const auto order = [&](const std::vector<Json>& items) {
    (void)created({{"model", "demo"}, {"input", items}});
    std::string out;
    for (const Json& message : asked().messages) {
      const bool calls = message.contains("tool_calls");
      const std::string role = message["role"];
      if (role == "user") out += "U";
      if (role == "tool") out += "R";
      if (role == "assistant") out += calls ? "C" : message["content"].get<std::string>();
    }
    return out;
  };
  EXPECT_EQ(order({user, call, said("1"), said("2"), output}), "U12CR");
  EXPECT_EQ(order({user, call, said("1"), call, output}), "U1CR");
  EXPECT_EQ(order({user, said("1"), call, said("2")}), "U1C2");
  EXPECT_EQ(order({user, call, said("1"), said("2")}), "UC12");
  EXPECT_EQ(order({user, call, said("1"), call, said("2")}), "U1C2");
  EXPECT_EQ(order({user, call, said("1"), user}), "UC1U");
  EXPECT_EQ(order({user, call, said("1"), user, output}), "UCR1U");
}

// The fields and items that codex-rs sends, turn by turn: it keeps the conversation itself.
TEST_F(ResponseTools, AnswersASessionOfCodex) {
  Json body = json_from(R"({
    "model": "demo", "instructions": "You are a coding agent.",
    "input": [
      {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Rules."}]},
      {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it."}]}],
    "tools": [
      {"type": "function", "name": "shell_command", "description": "d", "strict": false,
       "parameters": {"type": "object", "properties": {"command": {"type": "string"}},
                      "required": ["command"], "additionalProperties": false}},
      {"type": "custom", "name": "apply_patch", "description": "Edits files.", "format":
       {"type": "grammar", "syntax": "lark", "definition": "start: begin_patch hunk+ end_patch"}},
      {"type": "local_shell"}, {"type": "web_search", "external_web_access": false}],
    "tool_choice": "auto", "parallel_tool_calls": false,
    "reasoning": {"effort": "medium", "summary": "auto"}, "store": false, "stream": true,
    "include": ["reasoning.encrypted_content"], "prompt_cache_key": "0199-aa",
    "text": {"verbosity": "medium"}, "client_metadata": {"a": "b"}})");
  api_.service.deltas = {thinking_delta("hm"),
                         call_delta("call_1", "apply_patch", {{"input", "*** Begin Patch"}})};
  api_.service.end = finished_result(10, 0, 5);
  std::get<serving::AnswerResult>(api_.service.end).thinking_tokens = 2;
  const auto first = api_.post(kResponsesRoute, body);
  ASSERT_EQ(first->status(), 200) << first->body();
  std::vector<Json> items;
  for (const StreamEvent& event : events_of(first)) {
    if (event.name == "response.output_item.done") items.push_back(event.data["item"]);
  }
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[1]["type"], "custom_tool_call");
  const Json last = events_of(first).back().data["response"];
  EXPECT_EQ(last["usage"]["output_tokens_details"]["reasoning_tokens"], 2);
  EXPECT_EQ(last["warnings"].size(), 2U) << last["warnings"];
  EXPECT_TRUE(asked().think.value_or(false));
  // Ids are not sent again; reasoning comes with what it does not know of ours.
  for (Json& item : items) item.erase("id");
  items[0]["encrypted_content"] = nullptr;
  for (const Json& item : items) body["input"].push_back(item);
  body["input"].push_back(
      {{"type", "custom_tool_call_output"}, {"call_id", "call_1"}, {"output", "Success"}});
  const auto second = api_.post(kResponsesRoute, body);
  ASSERT_EQ(second->status(), 200) << second->body();
  EXPECT_EQ(asked().messages, json_from(R"([
    {"role": "system", "content": "You are a coding agent."},
    {"role": "system", "content": "Rules."},
    {"role": "user", "content": "Fix it."},
    {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
      "function": {"name": "apply_patch", "arguments": {"input": "*** Begin Patch"}}}],
     "reasoning": "hm"},
    {"role": "tool", "tool_call_id": "call_1", "content": "Success"}])"));
}

}  // namespace
}  // namespace pleiad::api::openai
