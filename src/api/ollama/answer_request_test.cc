#include "api/ollama/answer_request.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/common/request_error.h"

namespace pleiad::api::ollama {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = AnswerBody::Kind;

std::string generate_problem(const std::string& fields) {
  try {
    (void)parse_generate(R"({"model": "m", "prompt": "p", )" + fields + "}");
  } catch (const RequestError& error) {
    return error.what();
  }
  return "no problem";
}

std::string chat_problem(const std::string& messages) {
  try {
    (void)parse_chat(R"({"model": "m", "messages": )" + messages + "}");
  } catch (const RequestError& error) {
    return error.what();
  }
  return "no problem";
}

TEST(GenerateRequest, UnknownFieldsOfAGrammarAreTold) {
  const AnswerBody body = parse_generate(R"({"model": "m", "prompt": "Hi", "format": {
      "type": "grammar", "syntax": "regex", "definition": "a", "foo": 1}})");
  EXPECT_THAT(body.warnings, ElementsAre("unknown field: format.foo"));
  EXPECT_EQ(body.request.format_path, "format.definition");
}

TEST(ChatRequest, DeclaresEachToolOnce) {
  const auto problem = [](const char* parameters) {
    return chat_problem(fmt::format(
        R"([], "tools": [{{"type": "function", "function": {{"name": "f"}}}},
            {{"type": "function", "function": {{"name": "f", "description": "x"{}}}}}])",
        parameters));
  };
  EXPECT_EQ(problem(""), "no problem");
  EXPECT_THAT(problem(R"(, "parameters": {"type": "object"})"),
              HasSubstr("tools[1].function.name: \"f\" is declared before"));
}

TEST(GenerateRequest, BecomesAConversation) {
  const AnswerBody body = parse_generate(
      R"({"model": "m", "prompt": "Hi", "system": "Be short.", "stream": false,
          "options": {"num_predict": 5}, "keep_alive": 60})");
  EXPECT_EQ(body.kind, Kind::answer);
  EXPECT_FALSE(body.stream);
  EXPECT_EQ(body.request.model, "m");
  EXPECT_EQ(to_text(body.request.messages),
            R"([{"role":"system","content":"Be short."},{"role":"user","content":"Hi"}])");
  EXPECT_EQ(body.request.max_tokens, 5);
  EXPECT_EQ(body.request.keep_alive->seconds, 60);
  EXPECT_FALSE(body.request.truncate);
  EXPECT_THAT(body.warnings, ElementsAre());
}

TEST(GenerateRequest, RawTextGetsNoTemplate) {
  const AnswerBody body = parse_generate(R"({"model": "m", "prompt": "a<b", "raw": true})");
  EXPECT_EQ(body.request.form, serving::AnswerRequest::Form::text);
  EXPECT_EQ(body.request.text, "a<b");
  EXPECT_TRUE(body.request.messages.empty());
  EXPECT_THAT(generate_problem(R"("raw": true, "system": "s")"),
              HasSubstr("system: has no meaning"));
  EXPECT_THAT(generate_problem(R"("raw": true, "think": true)"),
              HasSubstr("think: has no meaning"));
}

TEST(GenerateRequest, WithoutAPromptLoadsOrUnloads) {
  EXPECT_EQ(parse_generate(R"({"model": "m"})").kind, Kind::load);
  EXPECT_EQ(parse_generate(R"({"model": "m", "prompt": "", "keep_alive": "5m"})").kind, Kind::load);
  EXPECT_EQ(parse_generate(R"({"model": "m", "keep_alive": 0})").kind, Kind::unload);
  EXPECT_EQ(parse_generate(R"({"model": "m", "keep_alive": "0s"})").kind, Kind::unload);
  EXPECT_EQ(parse_generate(R"({"model": "m", "prompt": "p", "keep_alive": 0})").kind, Kind::answer);
}

TEST(GenerateRequest, RefusesWhatItCannotHonour) {
  EXPECT_THAT(generate_problem(R"("suffix": "x")"), HasSubstr("suffix: the model cannot fill in"));
  EXPECT_THAT(generate_problem(R"("template": "x")"), HasSubstr("template: a model's own"));
  EXPECT_THAT(generate_problem(R"("context": [1, 2])"), HasSubstr("context: tokens of earlier"));
  EXPECT_THAT(generate_problem(R"("images": [7])"),
              HasSubstr("images[0]: expected a picture or a sound in base64, or a document, an "
                        "object with \"data\", found 7"));
  EXPECT_THAT(generate_problem(R"("audio": "QUJD")"),
              HasSubstr("audio: sound is given in \"images\""));
  EXPECT_THAT(generate_problem(R"("shift": true)"), HasSubstr("shift: a full context is not"));
  // What says nothing is no wish.
  EXPECT_EQ(generate_problem(
                R"("suffix": "", "template": "", "context": [], "images": [], "shift": false)"),
            "no problem");
}

TEST(GenerateRequest, ThinkingIsOffUnlessAskedFor) {
  EXPECT_FALSE(parse_generate(R"({"model": "m", "prompt": "p"})").request.think);
  EXPECT_EQ(parse_generate(R"({"model": "m", "prompt": "p", "think": true})").request.think, true);
  EXPECT_EQ(parse_generate(R"({"model": "m", "prompt": "p", "think": false})").request.think,
            false);
  const AnswerBody level = parse_generate(R"({"model": "m", "prompt": "p", "think": "high"})");
  EXPECT_EQ(level.request.think, true);
  EXPECT_EQ(level.request.thinking_budget->tokens, 24576);
  EXPECT_EQ(parse_generate(R"({"model": "m", "prompt": "p", "think": "max"})")
                .request.thinking_budget->tokens,
            -1);
  EXPECT_TRUE(level.warnings.empty());
  EXPECT_THAT(generate_problem(R"("think": "hard")"), HasSubstr("think: expected one of \"low\""));
}

TEST(GenerateRequest, FormatIsJsonOrASchema) {
  const auto format = [](const std::string& value) {
    return parse_generate(R"({"model": "m", "prompt": "p", "format": )" + value + "}")
        .request.format;
  };
  EXPECT_EQ(format(R"("json")"), Json("json"));
  EXPECT_EQ(format(R"({"type": "object"})"), Json({{"type", "object"}}));
  EXPECT_FALSE(format(R"("")"));
  EXPECT_FALSE(format("null"));
  EXPECT_THAT(generate_problem(R"("format": "yaml")"),
              HasSubstr("format: expected \"json\", a JSON schema or a grammar, found \"yaml\""));
}

TEST(GenerateRequest, WhatOtherRoutesTakeAroundASchemaIsTold) {
  EXPECT_THAT(generate_problem(R"("format": {"type": "json_schema", "json_schema":
                                              {"name": "n", "schema": {"type": "object"}}})"),
              HasSubstr("format: expected the schema itself, found one that is wrapped as in "
                        "\"response_format\" of OpenAI's routes: give what stands in "
                        "\"json_schema.schema\" of it"));
  EXPECT_THAT(
      generate_problem(R"("format": {"type": "json_schema", "schema": {"type": "object"}})"),
      HasSubstr("give what stands in \"schema\" of it"));
  EXPECT_THAT(generate_problem(R"("format": {"type": "json_object"})"),
              HasSubstr("format: expected \"json\" for any JSON, found"));
  EXPECT_THAT(generate_problem(R"("format": "{\"type\": \"object\"}")"),
              HasSubstr("format: expected \"json\", a JSON schema or a grammar, found a string "
                        "that looks like JSON: give the value itself, not its text"));
}

TEST(GenerateRequest, WhatIsWrongInAGrammarIsInItsDefinition) {
  const auto path = [](const std::string& format) {
    return parse_generate(R"({"model": "m", "prompt": "p", "format": )" + format + "}")
        .request.format_path;
  };
  EXPECT_EQ(path(R"({"type": "object"})"), "format");
  EXPECT_EQ(path(R"({"type": "array"})"), "format");
  EXPECT_EQ(path(R"({"type": "grammar", "syntax": "lark", "definition": "start: x"})"),
            "format.definition");
}

TEST(GenerateRequest, WhatIsNoGrammarIsNamedByItsField) {
  for (const auto& [fields, problem] : {
           std::pair{R"()", "format.syntax: missing; expected one of \"gbnf\", \"lark\""},
           std::pair{R"(, "syntax": "ebnf", "definition": "a")", "format.syntax: expected one of"},
           std::pair{R"(, "syntax": "gbnf")", "format.definition: missing; expected the grammar"},
           std::pair{R"(, "syntax": "choice", "definition": [])", "format.definition: is empty"},
           std::pair{R"(, "syntax": "choice", "definition": ["a", 7])",
                     "format.definition[1]: expected a text that is not empty, found 7"},
       }) {
    EXPECT_THAT(generate_problem(fmt::format(R"("format": {{"type": "grammar"{}}})", fields)),
                HasSubstr(problem))
        << fields;
  }
}

TEST(GenerateRequest, LogprobsAreCounted) {
  const AnswerBody body =
      parse_generate(R"({"model": "m", "prompt": "p", "logprobs": true, "top_logprobs": 3})");
  EXPECT_EQ(body.request.sampling.n_logprobs, 3);
  EXPECT_EQ(parse_generate(R"({"model": "m", "prompt": "p", "logprobs": true})")
                .request.sampling.n_logprobs,
            0);
  EXPECT_THAT(generate_problem(R"("top_logprobs": 3)"), HasSubstr("needs \"logprobs\": true"));
  EXPECT_THAT(generate_problem(R"("logprobs": true, "top_logprobs": 21)"),
              HasSubstr("top_logprobs: expected an integer from 0 to 20, found 21"));
}

TEST(GenerateRequest, NamesUnknownFields) {
  EXPECT_THAT(parse_generate(R"({"model": "m", "prompt": "p", "tempo": 1})").warnings,
              ElementsAre("unknown field: tempo"));
}

TEST(ChatRequest, MessagesTakeTheEnginesForm) {
  const AnswerBody body = parse_chat(R"({"model": "m", "messages": [
      {"role": "User", "content": "2+2?"},
      {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
        {"id": "call_1", "function": {"index": 0, "name": "add", "arguments": {"b": 2, "a": 2}}}]},
      {"role": "tool", "tool_name": "add", "tool_call_id": "call_1", "content": "4"}]})");
  EXPECT_EQ(to_text(body.request.messages),
            R"([{"role":"user","content":"2+2?"},)"
            R"({"role":"assistant","content":"","reasoning":"hm","tool_calls":[{"type":"function",)"
            R"("id":"call_1","function":{"name":"add","arguments":{"b":2,"a":2}}}]},)"
            R"({"role":"tool","content":"4","name":"add","tool_call_id":"call_1"}])");
  EXPECT_THAT(body.warnings, ElementsAre());
  EXPECT_TRUE(body.stream);
}

// As clients of Ollama's write it: no ids, names or the order alone.
TEST(ChatRequest, ResultsBelongToCallsByNameAndOrder) {
  const AnswerBody body = parse_chat(R"({"model": "m", "messages": [
      {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}},
                                           {"function": {"name": "g", "arguments": {}}}]},
      {"role": "tool", "tool_name": "f", "content": "1"},
      {"role": "tool", "content": "2"}]})");
  const Json& messages = body.request.messages;
  EXPECT_EQ(messages[1]["tool_call_id"], messages[0]["tool_calls"][0]["id"]);
  EXPECT_EQ(messages[2]["tool_call_id"], messages[0]["tool_calls"][1]["id"]);
  EXPECT_THAT(body.warnings, ElementsAre());
}

TEST(ChatRequest, ResultsWithoutTheirCallAreTold) {
  const AnswerBody body = parse_chat(R"({"model": "m", "messages": [
      {"role": "tool", "tool_name": "f", "content": "1"}]})");
  EXPECT_EQ(to_text(body.request.messages),
            R"([{"role":"assistant","tool_responses":[{"name":"f","response":"1"}]}])");
  EXPECT_THAT(body.warnings, ElementsAre(HasSubstr("messages[0]: follows no call of its own")));
}

TEST(ChatRequest, GoesOnWithALastMessageOfTheAssistant) {
  const AnswerBody body = parse_chat(R"({"model": "m", "messages": [
      {"role": "user", "content": "Count"}, {"role": "assistant", "content": "1, 2,"}]})");
  EXPECT_TRUE(body.request.continue_last);
  EXPECT_THAT(body.warnings, ElementsAre());
}

TEST(ChatRequest, WithoutMessagesLoadsOrUnloads) {
  EXPECT_EQ(parse_chat(R"({"model": "m", "messages": []})").kind, Kind::load);
  EXPECT_EQ(parse_chat(R"({"model": "m", "keep_alive": 0})").kind, Kind::unload);
}

TEST(ChatRequest, NamesTheMessageThatIsWrong) {
  EXPECT_THAT(chat_problem(R"([{"role": "user"}, {"content": "x"}])"),
              HasSubstr("messages[1].role: missing"));
  EXPECT_THAT(chat_problem(R"([{"role": "king", "content": "x"}])"),
              HasSubstr("messages[0].role: expected \"system\""));
  EXPECT_THAT(chat_problem(R"(["hi"])"), HasSubstr("messages[0]: expected an object"));
  EXPECT_THAT(chat_problem(R"([{"role": "user", "content": 1}])"),
              HasSubstr("messages[0].content"));
  EXPECT_THAT(chat_problem(R"([{"role": "user", "content": "x", "images": ["QUJ"]}])"),
              HasSubstr("messages[0].images[0]: expected base64"));
  EXPECT_THAT(chat_problem(R"([{"role": "assistant", "tool_calls": [{}]}])"),
              HasSubstr("messages[0].tool_calls[0].function"));
  EXPECT_THAT(chat_problem(R"([{"role": "assistant", "tool_calls":
                  [{"function": {"name": "f", "arguments": "{}"}}]}])"),
              HasSubstr("messages[0].tool_calls[0].function.arguments: expected an object"));
  EXPECT_THAT(chat_problem("{}"), HasSubstr("messages: expected a list"));
}

TEST(ChatRequest, HasNoMoreMessagesThanAllowed) {
  std::string messages = "[";
  for (int i = 0; i < 10'001; ++i) messages += R"({"role":"user","content":""},)";
  messages.back() = ']';
  EXPECT_THAT(chat_problem(messages), HasSubstr("messages: expected at most 10000 entries"));
}

TEST(ChatRequest, ToolsAreDeclarations) {
  const AnswerBody body = parse_chat(R"({"model": "m", "messages": [{"role": "user"}],
      "tools": [{"function": {"name": "f", "parameters": {"type": "object"}}}]})");
  EXPECT_EQ(to_text(body.request.tools),
            R"([{"function":{"name":"f","parameters":{"type":"object"}},"type":"function"}])");
  try {
    (void)parse_chat(R"({"model": "m", "messages": [], "tools": [{"type": "function"}]})");
    ADD_FAILURE();
  } catch (const RequestError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tools[0].function: missing"));
  }
}

TEST(ChatRequest, FieldsOfToolsThatNobodyKnowsAreNamed) {
  const AnswerBody body = parse_chat(R"({"model": "m", "messages": [{"role": "user"}], "tools": [
      {"type": "function", "strict": true, "function": {"name": "f", "params": {}}},
      {"type": "function", "function": {"name": "g", "input_schema": {}, "description": "d",
                                        "parameters": {"type": "object"}, "strict": true}},
      {"function": {"name": "h", "params": {}}}]})");
  EXPECT_THAT(body.warnings,
              ElementsAre("unknown field: tools[0].function.params (and 1 more of this kind)",
                          "unknown field: tools[0].strict",
                          "unknown field: tools[1].function.input_schema"));
  const std::vector<std::string> none = parse_chat(R"({"model": "m", "messages": [], "tools": [
      {"function": {"name": "f", "parameters": {"type": "object"}}}]})")
                                            .warnings;
  EXPECT_THAT(none, ElementsAre());
}

AnswerBody with_choice(const std::string& choice, const std::string& tools = R"([
    {"function": {"name": "f"}}, {"function": {"name": "g"}}])") {
  return parse_chat(R"({"model": "m", "messages": [{"role": "user", "content": "a"}], "tools": )" +
                    tools + R"(, "tool_choice": )" + choice + "}");
}

TEST(ChatRequest, AToolChoiceMeansWhatItMeansToOpenAI) {
  using Choice = serving::ToolChoice::Kind;
  EXPECT_EQ(with_choice("\"none\"").request.tool_choice.kind, Choice::none);
  EXPECT_EQ(with_choice("\"auto\"").request.tool_choice.kind, Choice::automatic);
  EXPECT_EQ(with_choice("\"required\"").request.tool_choice.kind, Choice::required);
  EXPECT_EQ(with_choice("null").request.tool_choice.kind, Choice::automatic);
  const AnswerBody named =
      with_choice(R"({"type": "function", "function": {"name": "g", "x": 1}, "y": 2})");
  EXPECT_EQ(named.request.tool_choice.kind, Choice::named);
  EXPECT_EQ(named.request.tool_choice.name, "g");
  EXPECT_THAT(named.warnings, ::testing::ElementsAre(HasSubstr("tool_choice.function.x"),
                                                     HasSubstr("tool_choice.y")));
}

TEST(ChatRequest, AToolChoiceThatCannotBeIsRefusedByItsPath) {
  const auto field = [](const std::string& choice, const std::string& tools = "[]") {
    try {
      (void)with_choice(choice, tools);
    } catch (const RequestError& error) {
      return error.field();
    }
    return std::string("accepted");
  };
  const std::string one = R"([{"function": {"name": "f"}}])";
  EXPECT_EQ(field("\"required\""), "tool_choice");
  EXPECT_EQ(field("\"none\""), "accepted");
  EXPECT_EQ(field("\"any\"", one), "tool_choice");
  EXPECT_EQ(field("7", one), "tool_choice");
  EXPECT_EQ(field(R"({"function": {"name": "f"}})", one), "tool_choice.type");
  EXPECT_EQ(field(R"({"type": "function"})", one), "tool_choice.function");
  EXPECT_EQ(field(R"({"type": "function", "function": {"name": "g"}})", one),
            "tool_choice.function.name");
}

TEST(ChatRequest, HostileBodiesAreRefused) {
  for (const std::string& body :
       {std::string(), std::string("\0", 1), std::string("{"), std::string("[]"), std::string("{}"),
        std::string(R"({"model": 1})"), std::string(R"({"model": ""})"),
        std::string("{\"model\": \"\xc3\x28\"}"), std::string(R"({"model": "\ud800"})"),
        std::string(1 << 20, '['), std::string(R"({"model": "m", "options": [1]})"),
        std::string(R"({"model": "m", "messages": [[[[]]]]})")}) {
    EXPECT_THROW((void)parse_chat(body), RequestError) << body.substr(0, 40);
  }
}

}  // namespace
}  // namespace pleiad::api::ollama
