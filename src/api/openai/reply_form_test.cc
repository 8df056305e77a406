// What a reply must be, as the fields of OpenAI, vLLM and llama.cpp say it.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "api/openai/chat_testing.h"
#include "constrain/grammars/text_grammar.h"

namespace pleiad::api::openai {
namespace {

using ReplyForm = Chat;
using ::testing::HasSubstr;

Json grammar_from(const char* syntax, Json definition) {
  return constrain::grammars::text_grammar(syntax, std::move(definition));
}

TEST_F(ReplyForm, MayBeAGrammarOfAnyServersField) {
  const char* kGbnf = "root ::= \"a\"";
  const std::vector<std::pair<Json, Json>> cases = {
      {{{"guided_regex", "[0-9]+"}}, grammar_from("regex", "[0-9]+")},
      {{{"guided_choice", {"yes", "no"}}}, grammar_from("choice", {"yes", "no"})},
      {{{"guided_grammar", kGbnf}}, grammar_from("gbnf", kGbnf)},
      {{{"guided_grammar", "start: \"a\" # ::="}}, grammar_from("lark", "start: \"a\" # ::=")},
      {{{"guided_json", {{"type", "array"}}}}, {{"type", "array"}}},
      {{{"guided_json", R"({"type": "array"})"}}, {{"type", "array"}}},
      {{{"structured_outputs", {{"regex", "a"}}}}, grammar_from("regex", "a")},
      {{{"structured_outputs", {{"choice", {"x"}}}}}, grammar_from("choice", Json::array({"x"}))},
      {{{"structured_outputs", {{"grammar", kGbnf}}}}, grammar_from("gbnf", kGbnf)},
      {{{"structured_outputs", {{"json", {{"type", "object"}}}}}}, {{"type", "object"}}},
      {{{"structured_outputs", {{"json_object", true}}}}, "json"},
      {{{"structured_outputs", {{"structural_tag", R"({"format": {"type": "any_text"}})"}}}},
       grammar_from("structural_tag", {{"format", {{"type", "any_text"}}}})},
      {{{"response_format", {{"type", "structural_tag"}, {"format", {{"type", "any_text"}}}}}},
       grammar_from("structural_tag",
                    {{"type", "structural_tag"}, {"format", {{"type", "any_text"}}}})},
      {{{"grammar", kGbnf}}, grammar_from("gbnf", kGbnf)},
      {{{"json_schema", {{"type", "array"}}}}, {{"type", "array"}}},
      {{{"regex", "[0-9]+"}}, grammar_from("regex", "[0-9]+")},
      {{{"ebnf", kGbnf}}, grammar_from("gbnf", kGbnf)},
      {{{"response_format", {{"type", "json_object"}, {"schema", {{"type", "array"}}}}}},
       {{"type", "array"}}},
      {{{"response_format", {{"type", "json_object"}}}}, "json"},
  };
  for (const auto& [fields, format] : cases) {
    Json chat = question();
    chat.update(fields);
    EXPECT_EQ(asked(chat).format, format) << to_text(fields);
    if (format.is_object() && format.value("type", "") == "grammar") {
      EXPECT_TRUE(api_.service.answers.back().format_path.starts_with(fields.begin().key()));
    }
    Json completion = {{"model", "demo"}, {"prompt", "Once"}};
    completion.update(fields);
    ASSERT_EQ(api_.post("/v1/completions", completion)->status(), 200) << to_text(fields);
    EXPECT_EQ(api_.service.answers.back().format, format) << to_text(fields);
    if (fields.contains("response_format")) continue;
    Json response = {{"model", "demo"}, {"input", "Hi"}};
    response.update(fields);
    ASSERT_EQ(api_.post("/v1/responses", response)->status(), 200) << to_text(fields);
    EXPECT_EQ(api_.service.answers.back().format, format) << to_text(fields);
  }
}

TEST_F(ReplyForm, WithoutASchemaIsAnyObjectWhereThatIsOpenAIsDefault) {
  const Json format = {{"type", "json_schema"}, {"json_schema", {{"name", "x"}}}};
  EXPECT_EQ(asked(with("response_format", format)).format, "json");
  EXPECT_THAT(api_.post(kChatCompletions, with("response_format", format))->body(),
              HasSubstr("response_format.json_schema.schema: missing; the answer may be any"));
  const Json text = {{"format", {{"type", "json_schema"}, {"name", "x"}}}};
  const auto answer =
      api_.post("/v1/responses", {{"model", "demo"}, {"input", "Hi"}, {"text", text}});
  EXPECT_EQ(answer->status(), 400);
  EXPECT_THAT(answer->body(), HasSubstr("text.format.schema: missing; expected an object"));
}

TEST_F(ReplyForm, ASchemaThatIsGivenAsItsTextIsTold) {
  const Json schema = {{"name", "x"}, {"schema", R"({"type": "object"})"}};
  const Json error =
      refused(with("response_format", {{"type", "json_schema"}, {"json_schema", schema}}));
  EXPECT_EQ(error["param"], "response_format.json_schema.schema");
  EXPECT_THAT(
      error["message"].get<std::string>(),
      HasSubstr("expected a JSON schema, which is an object, found a string that looks like "
                "JSON: give the value itself, not its text"));
}

TEST_F(ReplyForm, IsAskedForOnce) {
  const std::vector<std::pair<Json, std::string>> cases = {
      {{{"grammar", "root ::= \"a\""}, {"json_schema", Json::object()}}, "json_schema"},
      {{{"response_format", {{"type", "json_object"}}}, {"guided_regex", "a"}}, "guided_regex"},
      {{{"structured_outputs", {{"regex", "a"}, {"choice", {"b"}}}}}, "structured_outputs.choice"},
  };
  for (const auto& [fields, field] : cases) {
    Json body = question();
    body.update(fields);
    const Json error = refused(body);
    EXPECT_EQ(error["param"], field);
    EXPECT_THAT(error["message"].get<std::string>(),
                HasSubstr("another field says already what the reply has to be"));
  }
}

TEST_F(ReplyForm, WhatIsWrongIsNamed) {
  const std::vector<std::pair<Json, std::string>> cases = {
      {{{"structured_outputs", Json::object()}}, "structured_outputs"},
      {{{"structured_outputs", {{"structural_tag", "[]"}}}}, "structured_outputs.structural_tag"},
      {{{"structured_outputs", {{"structural_tag", "{"}}}}, "structured_outputs.structural_tag"},
      {{{"structured_outputs", {{"regex", 5}}}}, "structured_outputs.regex"},
      {{{"guided_choice", "yes"}}, "guided_choice"},
      {{{"guided_choice", Json::array()}}, "guided_choice"},
      {{{"guided_choice", {"a", 7}}}, "guided_choice[1]"},
      {{{"structured_outputs", {{"choice", Json::array({""})}}}}, "structured_outputs.choice[0]"},
      {{{"guided_regex", ""}}, "guided_regex"},
      {{{"guided_json", "{"}}, "guided_json"},
      {{{"json_schema", "[]"}}, "json_schema"},
      {{{"grammar", Json::array()}}, "grammar"},
  };
  for (const auto& [fields, field] : cases) {
    Json body = question();
    body.update(fields);
    EXPECT_EQ(refused(body)["param"], field);
  }
}

TEST_F(ReplyForm, WhatHasNoEffectIsTold) {
  Json body = with("structured_outputs", {{"choice", {"a"}}, {"whitespace_pattern", " "}});
  body["guided_decoding_backend"] = "xgrammar";
  const Json answer = json_of(api_.post(kChatCompletions, body));
  ASSERT_EQ(answer["warnings"].size(), 2U);
  EXPECT_THAT(answer["warnings"][0].get<std::string>(),
              HasSubstr("structured_outputs.whitespace_pattern has no effect"));
  EXPECT_THAT(answer["warnings"][1].get<std::string>(),
              HasSubstr("guided_decoding_backend has no effect"));
}

TEST_F(ReplyForm, HintsForTheWritingOfJsonAreToldWhereverTheyStand) {
  Json body = with("guided_json", {{"type", "object"}});
  body["whitespace_pattern"] = " ";
  body["disable_any_whitespace"] = true;
  body["disable_additional_properties"] = true;
  const Json told = json_of(api_.post(kChatCompletions, body))["warnings"];
  EXPECT_THAT(told.get<std::vector<std::string>>(),
              ::testing::ElementsAre(HasSubstr("disable_any_whitespace has no effect"),
                                     HasSubstr("whitespace_pattern has no effect"),
                                     HasSubstr("disable_additional_properties has no effect")));
  body["disable_any_whitespace"] = body["disable_additional_properties"] = false;
  EXPECT_EQ(json_of(api_.post(kChatCompletions, body))["warnings"].size(), 1U);
}

}  // namespace
}  // namespace pleiad::api::openai
