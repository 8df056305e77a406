#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/testing/api_harness.h"
#include "api/openai/openai_routes.h"
#include "base/testing/json.h"

namespace pleiad::api::openai {
namespace {

using Kind = serving::ToolChoice::Kind;
using ::testing::HasSubstr;

constexpr const char* kChat = "/v1/chat/completions";

class ChatTools : public testing::Test {
 protected:
  ChatTools() { add_openai_routes(api_.router, api_.context); }

  static Json question(const char* fields) {
    Json body = json_from(R"({"model": "demo", "messages": [{"role": "user", "content": "Hi"}]})");
    body.update(json_from(fields));
    return body;
  }

  Json answered(const Json& body) {
    const auto answer = api_.post(kChat, body);
    EXPECT_EQ(answer->status(), 200) << answer->body();
    return json_of(answer);
  }
  std::string refusal(const Json& body) {
    const auto answer = api_.post(kChat, body);
    EXPECT_EQ(answer->status(), 400) << answer->body();
    return json_of(answer)["error"]["message"].get<std::string>();
  }
  const serving::AnswerRequest& asked() { return api_.service.answers.back(); }

  void answer_by_call(const std::string& name, Json arguments) {
    api_.service.deltas = {call_delta("call_1", name, std::move(arguments))};
    auto result = finished_result(1, 0, 1);
    result.called_tools = true;
    api_.service.end = result;
  }

  ApiHarness api_;
};

constexpr const char* kThree = R"({"tools": [
    {"type": "function", "function": {"name": "f"}},
    {"type": "function", "function": {"name": "g"}},
    {"type": "custom", "custom": {"name": "patch"}}]})";

TEST_F(ChatTools, AnswersFunctionsInTheirOwnForm) {
  answer_by_call("f", {{"a", 1}});
  const Json body = question(R"({"functions": [{"name": "f", "description": "d",
      "parameters": {"type": "object"}}], "function_call": {"name": "f"}})");
  const Json choice = answered(body)["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "function_call");
  EXPECT_EQ(choice["message"], json_from(R"({"role": "assistant", "content": null,
      "refusal": null, "function_call": {"name": "f", "arguments": "{\"a\":1}"}})"));
  EXPECT_EQ(asked().tools, json_from(R"([{"type": "function", "function":
      {"name": "f", "description": "d", "parameters": {"type": "object"}}}])"));
  EXPECT_EQ(asked().tool_choice.kind, Kind::named);
  EXPECT_FALSE(asked().tool_choice.parallel) << "a message has one function_call";
}

TEST_F(ChatTools, StreamsFunctionsInTheirOwnForm) {
  answer_by_call("f", {{"a", 1}});
  const auto events =
      events_of(api_.post(kChat, question(R"({"functions": [{"name": "f"}], "stream": true})")));
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1].data["choices"][0]["delta"],
            json_from(R"({"function_call": {"name": "f", "arguments": "{\"a\":1}"}})"));
  EXPECT_EQ(events[2].data["choices"][0]["finish_reason"], "function_call");
}

TEST_F(ChatTools, StreamsArgumentsAsTheyAreWritten) {
  api_.service.deltas = call_deltas("call_1", "f", {"{", "\"a\":", "1}"});
  for (const auto& delta : call_deltas("call_2", "g", {"{}"})) api_.service.deltas.push_back(delta);
  api_.service.deltas[1].logprobs = {logprob_of("{", -0.5)};
  api_.service.deltas[4].logprobs = {logprob_of("", -0.25)};  // of what ends the call
  const auto events =
      events_of(api_.post(kChat, question(R"({"stream": true, "logprobs": true, "tools": [
                  {"type": "function", "function": {"name": "f"}},
                  {"type": "function", "function": {"name": "g"}}]})")));
  EXPECT_TRUE(asked().call_pieces);
  const std::vector<std::string> expected = {
      R"([{"index": 0, "id": "call_1", "type": "function",
           "function": {"name": "f", "arguments": ""}}])",
      R"([{"index": 0, "function": {"arguments": "{"}}])",
      R"([{"index": 0, "function": {"arguments": "\"a\":"}}])",
      R"([{"index": 0, "function": {"arguments": "1}"}}])",
      R"([{"index": 1, "id": "call_2", "type": "function",
           "function": {"name": "g", "arguments": ""}}])",
      R"([{"index": 1, "function": {"arguments": "{}"}}])"};
  ASSERT_EQ(events.size(), expected.size() + 3);
  std::size_t n_logprobs = 0;
  for (std::size_t i = 0; i < events.size() - 1; ++i) {
    const Json& choice = events[i].data["choices"][0];
    if (choice["logprobs"].is_object()) n_logprobs += choice["logprobs"]["content"].size();
    if (i == 0 || i > expected.size()) continue;
    EXPECT_EQ(choice["delta"], (Json{{"tool_calls", json_from(expected[i - 1])}}));
  }
  EXPECT_EQ(n_logprobs, 2U) << "none is lost";
}

TEST_F(ChatTools, StreamsPiecesOfFunctionsInTheirOwnForm) {
  api_.service.deltas = call_deltas("call_1", "f", {"{\"a\":", "1}"});
  const auto events =
      events_of(api_.post(kChat, question(R"({"functions": [{"name": "f"}], "stream": true})")));
  ASSERT_EQ(events.size(), 6U);
  const auto change = [&](std::size_t i) { return events[i].data["choices"][0]["delta"]; };
  EXPECT_EQ(change(1), json_from(R"({"function_call": {"name": "f", "arguments": ""}})"));
  EXPECT_EQ(change(2), json_from(R"({"function_call": {"arguments": "{\"a\":"}})"));
  EXPECT_EQ(change(3), json_from(R"({"function_call": {"arguments": "1}"}})"));
}

TEST_F(ChatTools, TheTextOfACustomToolComesWhole) {
  api_.service.deltas = call_deltas("call_1", "patch", {"{\"input\":\"", "a\"}"});
  Json body = question(kThree);
  body["stream"] = true;
  const auto events = events_of(api_.post(kChat, body));
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1].data["choices"][0]["delta"]["tool_calls"],
            json_from(R"([{"index": 0, "id": "call_1", "type": "custom",
                           "custom": {"name": "patch", "input": "a"}}])"));
}

TEST_F(ChatTools, AWholeCallIsNotTheEndOfABrokenOne) {
  // The first call turned out to be broken, which a delta does not say.
  api_.service.deltas = {begun_delta("call_1", "f"), arguments_delta("call_1", "{\"a\":"),
                         call_delta("call_2", "g", {{"b", 2}})};
  Json body = question(kThree);
  body["stream"] = true;
  const auto events = events_of(api_.post(kChat, body));
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(events[3].data["choices"][0]["delta"]["tool_calls"],
            json_from(R"([{"index": 1, "id": "call_2", "type": "function",
                           "function": {"name": "g", "arguments": "{\"b\":2}"}}])"));
}

TEST_F(ChatTools, AWholeAnswerWantsNoPieces) {
  answer_by_call("f", {{"a", 1}});
  (void)answered(question(kThree));
  EXPECT_FALSE(asked().call_pieces);
}

TEST_F(ChatTools, TakesMessagesOfFunctions) {
  Json body = question("{}");
  body["messages"] = json_from(R"([
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
    {"role": "function", "name": "f", "content": "42"}])");
  (void)answered(body);
  const Json& messages = asked().messages;
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[1]["tool_calls"][0]["function"]["name"], "f");
  EXPECT_EQ(messages[2]["role"], "tool");
  EXPECT_EQ(messages[2]["content"], "42");
  EXPECT_EQ(messages[2]["tool_call_id"], messages[1]["tool_calls"][0]["id"]);
  body["messages"].erase(1);  // a client that shortens what it sends
  (void)answered(body);
  EXPECT_EQ(asked().messages[1]["tool_responses"],
            json_from(R"([{"name": "f", "response": "42"}])"));
}

TEST_F(ChatTools, RefusesFunctionsBesideTools) {
  EXPECT_THAT(refusal(question(R"({"functions": [], "tools": []})")),
              HasSubstr("functions or tools"));
  EXPECT_THAT(refusal(question(R"({"function_call": "auto", "tool_choice": "auto"})")),
              HasSubstr("functions or tools"));
}

TEST_F(ChatTools, AChoiceThatCannotBeIsNamed) {
  EXPECT_EQ(
      refusal(question(R"({"tools": [{"type": "web_search"}], "tool_choice": "required"})")),
      "tools[0].type: there are no tools of type \"web_search\" here, so none is left, and a tool "
      "call is asked for");
  EXPECT_EQ(
      refusal(question(R"({"tools": [{"type": "function", "function": {"name": "f"}}],
                "tool_choice": {"type": "allowed_tools",
                                "allowed_tools": {"mode": "required", "tools": []}}})")),
      "tool_choice: a tool call is asked for, but no tools are given that the model may call");
  EXPECT_EQ(refusal(question(R"({"tools": [], "tool_choice": "required"})")),
            "tool_choice: a tool call is asked for, but no tools are given");
  EXPECT_EQ(refusal(question(R"({"tool_choice": 5})")),
            "tool_choice: expected \"none\", \"auto\", \"required\" or an object, found 5");
}

TEST_F(ChatTools, ArgumentsThatAreNoObjectAreNamed) {
  const auto with_arguments = [](const char* arguments) {
    Json body = question("{}");
    body["messages"].push_back({{"role", "assistant"},
                                {"tool_calls",
                                 {{{"id", "1"},
                                   {"type", "function"},
                                   {"function", {{"name", "f"}, {"arguments", arguments}}}}}}});
    return body;
  };
  const std::string where = "messages[1].tool_calls[0].function.arguments: ";
  EXPECT_THAT(refusal(with_arguments("{\"a\":")),
              HasSubstr(where + "the text is not JSON: parse error at line 1"));
  EXPECT_THAT(refusal(with_arguments("[1]")),
              HasSubstr(where + "expected JSON of an object, found a list of 1"));
}

TEST_F(ChatTools, AreDeclaredOnceForEachName) {
  const auto twice = [](const char* parameters) {
    return fmt::format(R"({{"name": "f", "description": "1", "parameters": {{"type": "object"}}}},
        {{"name": "f", "description": "2", "parameters": {}}})",
                       parameters);
  };
  const auto functions = [&](const char* parameters) {
    return question(fmt::format(R"({{"functions": [{}]}})", twice(parameters)).c_str());
  };
  (void)answered(functions(R"({"type": "object"})"));
  EXPECT_EQ(asked().tools.size(), 2U);
  EXPECT_THAT(refusal(functions(R"({"type": "object", "required": ["a"]})")),
              HasSubstr("functions[1].name: \"f\" is declared before, with another schema"));
  Json tools = question(R"({"tools": [{"type": "custom", "custom": {"name": "f"}},
      {"type": "function", "name": "g"}, {"type": "function", "name": "g", "strict": true}]})");
  EXPECT_THAT(refusal(tools), HasSubstr("tools[2].name: \"g\" is declared before"));
  tools["tools"][2]["strict"] = false;
  (void)answered(tools);
  tools["tools"][1] = json_from(R"({"type": "custom", "custom": {"name": "f", "format":
      {"type": "grammar", "grammar": {"syntax": "regex", "definition": "a"}}}})");
  EXPECT_THAT(refusal(tools), HasSubstr("tools[1].custom.name: \"f\" is declared before"));
}

TEST_F(ChatTools, OffersOnlyAllowedTools) {
  Json body = question(kThree);
  body["tool_choice"] = json_from(R"({"type": "allowed_tools", "allowed_tools": {"mode": "auto",
      "tools": [{"type": "function", "function": {"name": "g"}},
                {"type": "custom", "custom": {"name": "patch"}}]}})");
  (void)answered(body);
  ASSERT_EQ(asked().tools.size(), 2U);
  EXPECT_EQ(asked().tools[0]["function"]["name"], "g");
  EXPECT_EQ(asked().tools[1]["function"]["name"], "patch");
  EXPECT_EQ(asked().tool_choice.kind, Kind::automatic);
  body["tool_choice"]["allowed_tools"]["mode"] = "required";
  (void)answered(body);
  EXPECT_EQ(asked().tool_choice.kind, Kind::required);
  ASSERT_EQ(asked().tools.size(), 2U);
}

// What is said of a schema names the client's own field.
TEST_F(ChatTools, EachToolHasItsPath) {
  using Paths = std::vector<std::string>;
  Json body = question(R"({"tools": [{"type": "web_search"},
      {"type": "function", "function": {"name": "f"}}, {"type": "function", "name": "g"},
      {"type": "function", "function": {"name": "h"}}]})");
  (void)answered(body);
  EXPECT_EQ(asked().tool_paths, (Paths{"tools[1].function.parameters", "tools[2].parameters",
                                       "tools[3].function.parameters"}));
  body["tool_choice"] = json_from(R"({"type": "allowed_tools", "allowed_tools": {"mode": "auto",
      "tools": [{"type": "function", "function": {"name": "h"}}]}})");
  (void)answered(body);
  EXPECT_EQ(asked().tool_paths, Paths{"tools[3].function.parameters"});
  (void)answered(question(R"({"functions": [{"name": "f"}]})"));
  EXPECT_EQ(asked().tool_paths, Paths{"functions[0].parameters"});
  (void)answered(question(R"({"response_format": {"type": "json_schema",
                                "json_schema": {"name": "x", "schema": {}}}})"));
  EXPECT_EQ(asked().format_path, "response_format.json_schema.schema");
}

TEST_F(ChatTools, RefusesToAllowWhatThereIsNot) {
  Json body = question(kThree);
  for (const char* tool : {R"({"type": "function", "function": {"name": "h"}})",
                           R"({"type": "function", "function": {"name": "patch"}})",
                           R"({"type": "custom", "custom": {"name": "f"}})"}) {
    body["tool_choice"] = {{"type", "allowed_tools"},
                           {"allowed_tools", {{"mode", "auto"}, {"tools", {json_from(tool)}}}}};
    EXPECT_THAT(refusal(body), HasSubstr("tool is named")) << tool;
  }
  body["tool_choice"] = json_from(R"({"type": "allowed_tools", "allowed_tools": {"mode": "none",
                                      "tools": []}})");
  EXPECT_THAT(refusal(body), HasSubstr("mode"));
  body["tool_choice"]["allowed_tools"]["mode"] = "required";
  EXPECT_THAT(refusal(body), HasSubstr("no tools are given"));
}

TEST_F(ChatTools, GivesCustomToolsTheirText) {
  answer_by_call("patch", {{"input", "*** Begin\n\"x\""}});
  Json body = question(kThree);
  body["tool_choice"] = json_from(R"({"type": "custom", "custom": {"name": "patch"}})");
  const Json call = answered(body)["choices"][0]["message"]["tool_calls"][0];
  EXPECT_EQ(call, json_from(R"({"id": "call_1", "type": "custom",
      "custom": {"name": "patch", "input": "*** Begin\n\"x\""}})"));
  EXPECT_EQ(asked().tool_choice.name, "patch");
  EXPECT_EQ(asked().tools[2], json_from(R"({"type": "function", "function": {"name": "patch",
      "parameters": {"type": "object", "properties": {"input": {"type": "string"}},
                     "required": ["input"]}}})"));
  body["stream"] = true;
  const auto events = events_of(api_.post(kChat, body));
  Json streamed = events[1].data["choices"][0]["delta"]["tool_calls"][0];
  EXPECT_EQ(streamed["index"], 0);
  streamed.erase("index");
  EXPECT_EQ(streamed, call);
}

TEST_F(ChatTools, TakesWhatTheModelMadeOfACustomToolsArguments) {
  const std::pair<const char*, const char*> made[] = {
      {R"({"patch": "text"})", "text"},
      {R"({"input": 5})", R"({"input":5})"},
      {R"({"a": "x", "b": "y"})", R"({"a":"x","b":"y"})"},
      {R"({})", "{}"},
      {R"({"note": "n", "input": "text"})", "text"},
  };
  for (const auto& [arguments, text] : made) {
    answer_by_call("patch", json_from(arguments));
    const Json message = answered(question(kThree))["choices"][0]["message"];
    EXPECT_EQ(message["tool_calls"][0]["custom"]["input"], text) << arguments;
  }
}

TEST_F(ChatTools, TakesCustomCallsBack) {
  Json body = question("{}");
  body["messages"] = json_from(R"([
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "text"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "done"}])");
  (void)answered(body);
  EXPECT_EQ(asked().messages[1]["tool_calls"], json_from(R"([{"id": "c1", "type": "function",
      "function": {"name": "patch", "arguments": {"input": "text"}}}])"));
}

TEST_F(ChatTools, ShowsTheModelAGrammarAndHoldsItToIt) {
  const Json body = question(R"({"tools": [{"type": "custom", "custom": {"name": "patch",
      "description": "Edits files.", "format": {"type": "grammar",
      "grammar": {"syntax": "lark", "definition": "start: \"x\""}}}}]})");
  EXPECT_FALSE(answered(body).contains("warnings"));
  const Json& function = asked().tools[0]["function"];
  EXPECT_EQ(function["format"], json_from(R"({"type": "grammar", "syntax": "lark",
      "definition": "start: \"x\""})"));
  EXPECT_EQ(asked().tool_paths,
            std::vector<std::string>{"tools[0].custom.format.grammar.definition"});
  EXPECT_EQ(function["description"],
            "Edits files.\n\nThe input follows this Lark grammar:\nstart: \"x\"");
  EXPECT_THAT(refusal(question(R"({"tools": [{"type": "custom", "custom": {"name": "p",
      "format": {"type": "grammar", "grammar": {"syntax": "ebnf", "definition": "x"}}}}]})")),
              HasSubstr("tools[0].custom.format.grammar.syntax"));
}

TEST_F(ChatTools, TakesToolsInTheFormOfResponses) {
  Json body = question(R"({"tools": [
      {"type": "function", "name": "f", "parameters": {"type": "object"}},
      {"type": "custom", "name": "patch", "format": {"type": "text"}}],
      "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [
        {"type": "function", "name": "f"}, {"type": "custom", "name": "patch"}]}})");
  EXPECT_FALSE(answered(body).contains("warnings"));
  ASSERT_EQ(asked().tools.size(), 2U);
  EXPECT_EQ(asked().tools[0], json_from(R"({"type": "function",
      "function": {"name": "f", "parameters": {"type": "object"}}})"));
  body["tool_choice"] = {{"type", "function"}, {"name", "f"}};
  EXPECT_FALSE(answered(body).contains("warnings"));
  EXPECT_EQ(asked().tool_choice.name, "f");
}

TEST_F(ChatTools, RefusesOneNameForBothKinds) {
  EXPECT_THAT(refusal(question(R"({"tools": [{"type": "function", "function": {"name": "f"}},
                                             {"type": "custom", "custom": {"name": "f"}}]})")),
              HasSubstr("tools[1].custom.name"));
}

}  // namespace
}  // namespace pleiad::api::openai
