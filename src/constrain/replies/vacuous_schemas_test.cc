#include "constrain/replies/vacuous_schemas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/reply_forms.h"

namespace pleiad::constrain {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> notes_on(const char* schema) {
  return notes_on_vacuous_schemas(json_from(schema), "format");
}

TEST(VacuousSchemas, AreNamedWithWhatWasMeant) {
  const std::string any = ": no keyword in it says what a value must be, so any value is allowed";
  const std::string format = "format" + any;
  EXPECT_THAT(notes_on(R"({"name": "s", "schema": {"type": "object"}, "strict": true})"),
              ElementsAre(format + "; \"schema\" in it looks like the schema"));
  EXPECT_THAT(notes_on(R"({"json": {"properties": {"a": {}}}})"),
              ElementsAre(format + "; \"json\" in it looks like the schema"));
  EXPECT_THAT(notes_on(R"({"city": "Paris", "n": 1})"), ElementsAre(format));
  EXPECT_THAT(notes_on(R"({"Type": "object"})"), ElementsAre(format));
  EXPECT_THAT(notes_on(R"({"a": {"type": "string"}, "n": {"type": "integer"}})"),
              ElementsAre(format + "; is \"properties\" missing around what it has?"));
  EXPECT_THAT(notes_on(R"({"syntax": "gbnf", "definition": "root ::= \"a\""})"),
              ElementsAre(format + "; a grammar's \"type\" is \"grammar\""));
  EXPECT_THAT(notes_on(R"({"$defs": {"A": {"type": "string"}}})"), ElementsAre(format));
  EXPECT_THAT(notes_on(R"({"type": "object", "properties": {"a": {"typ": "string"}}})"),
              ElementsAre("format.properties.a" + any));
}

TEST(VacuousSchemas, AreLookedForWhereverTheRootLeads) {
  for (const auto& [schema, path] : {
           std::pair{R"({"items": {"foo": 1}})", "format.items: "},
           std::pair{R"({"prefixItems": [{"type": "null"}, {"foo": 1}]})",
                     "format.prefixItems[1]: "},
           std::pair{R"({"anyOf": [{"foo": 1}, {"type": "null"}]})", "format.anyOf[0]: "},
           std::pair{R"({"additionalProperties": {"foo": 1}})", "format.additionalProperties: "},
           std::pair{R"({"dependencies": {"a": ["b"], "c": {"foo": 1}}})",
                     "format.dependencies.c: "},
           std::pair{R"({"if": {"type": "string"}, "then": {"foo": 1}})", "format.then: "},
           std::pair{R"({"$ref": "#/definitions/A", "definitions": {"A": {"foo": 1}}})",
                     "format.definitions.A: "},
       }) {
    EXPECT_THAT(notes_on(schema), ElementsAre(StartsWith(path))) << schema;
  }
}

TEST(VacuousSchemas, RequiredThatIsTrueIsNamed) {
  const std::string nothing =
      "required: true asks for nothing since draft 4; the names that an object must have are "
      "listed "
      "in its own \"required\"";
  EXPECT_THAT(
      notes_on(R"({"type": "object", "properties": {
                  "a": {"type": "string", "required": true},
                  "b": {"type": "array", "items": {"$ref": "#/definitions/c d"}, "required": false},
                  "required": {"type": "boolean"}},
                  "definitions": {"c d": {"type": "object", "required": true},
                                  "unused": {"type": "object", "required": true}}})"),
      ElementsAre("format.properties.a." + nothing, "format.definitions[\"c d\"]." + nothing));
  for (const char* schema : {
           R"({"properties": {"a": {"required": ["b"]}}, "required": ["a"]})",
           R"({"properties": {"a": {"required": false}}})",
           R"({"properties": {"required": true}})",
           R"({"const": {"required": true}, "default": {"required": true}})",
       }) {
    EXPECT_THAT(notes_on(schema), IsEmpty()) << schema;
  }
  EXPECT_THAT(
      notes_on_vacuous_schemas(json_from(R"({"items": {"anyOf": [{"type": "null", "required": true},
                                                    {"type": "object", "required": true}]}})"),
                               "format", 1),
      SizeIs(1));
}

TEST(VacuousSchemas, WhatIsMeantSoIsNoneOfThem) {
  for (const char* schema : {
           "{}",
           R"({"title": "t", "description": "d", "$schema": "s", "$id": "i", "default": 1})",
           R"({"type": "object"})",
           R"({"x-order": 1})",
           R"({"properties": {"default": {}, "anything": {"description": "d"}, "schema": true}})",
           R"({"properties": {"foo": {"type": "string"}}, "foo": 1})",
           R"({"enum": [{"foo": 1}], "default": {"foo": 1}, "examples": [{"foo": 1}]})",
           R"({"type": "string", "definitions": {"group": {"A": {"type": "string"}}}})",
           R"({"$ref": "#", "foo": 1})",
           R"({"$ref": "#/nowhere"})",
           R"({"items": {"$ref": "#"}})",
       }) {
    EXPECT_THAT(notes_on(schema), IsEmpty()) << schema;
  }
}

TEST(VacuousSchemas, AreNamedInTheirOrderAndEightAtMost) {
  Json schema = {{"type", "object"}};
  for (int i = 10; i < 40; ++i) schema["properties"]["p" + std::to_string(i)] = {{"foo", i}};
  const auto notes = notes_on_vacuous_schemas(schema, "format");
  ASSERT_THAT(notes, SizeIs(8));
  EXPECT_THAT(notes.front(), StartsWith("format.properties.p10: "));
  EXPECT_THAT(notes.back(), StartsWith("format.properties.p17: "));
}

TEST(VacuousSchemas, AreEightOfAllTools) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  Json tools = Json::array();
  for (int i = 0; i < 20; ++i) {
    tools.push_back(
        {{"function", {{"name", "f" + std::to_string(i)}, {"parameters", {{"foo", 1}}}}}});
  }
  std::vector<std::string> warnings;
  EXPECT_TRUE(forms.tools(1, tools, {}, Start::at_once, &warnings).ok());
  ASSERT_THAT(warnings, SizeIs(8));
  EXPECT_EQ(warnings.back(),
            "tools[7].function.parameters: no keyword in it says what a value must be, so any "
            "arguments are allowed");
}

TEST(VacuousSchemas, AreToldOfWithEachReply) {
  const TestVocabulary& test = test_vocabulary();
  ReplyForms forms(*test.vocabulary, test.ends);
  const Json format = json_from(R"({"schema": {"type": "object"}})");
  const Json tools = json_from(R"([{"function": {"name": "f"}},
      {"function": {"name": "g", "parameters": {"a": {"type": "string"}, "n": {"type": "null"}}}}])");
  for (int round = 0; round < 2; ++round) {  // the second one's grammar is kept
    std::vector<std::string> warnings;
    EXPECT_TRUE(forms.json(1, format, Start::at_once, {}, &warnings, "response_format").ok());
    EXPECT_THAT(warnings, ElementsAre(StartsWith("response_format: no keyword in it")));
    warnings.clear();
    EXPECT_TRUE(forms.tools(1, tools, {}, Start::at_once, &warnings).ok());
    EXPECT_THAT(warnings, ElementsAre(EndsWith("is \"properties\" missing around what it has?")));
    EXPECT_THAT(warnings, ElementsAre(StartsWith("tools[1].function.parameters: ")));
    warnings.clear();
    EXPECT_TRUE(forms.tools(1, tools, {.name = "f"}, Start::at_once, &warnings).ok());
    EXPECT_THAT(warnings, IsEmpty()) << "no other can be called";
  }
}

}  // namespace
}  // namespace pleiad::constrain
