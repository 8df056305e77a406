// JSON schemas in grammars in Lark: %json {...}.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "constrain/grammars/grammar_test_data.h"
#include "constrain/grammars/lark.h"
#include "constrain/replies/json_constraint.h"

namespace pleiad::constrain::grammars {
namespace {

TEST(LarkSchemas, StandAmongRules) {
  const std::vector<GrammarCase> cases = {
      {"start: TEXT | call\nTEXT: /[^{](.|\\n)*/\ncall: %json {\n  \"type\": \"object\",\n"
       "  \"properties\": {\"name\": {\"const\": \"get_weather\"}, \"parameters\": {\"type\": "
       "\"object\","
       " \"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\"]}},\n"
       "  \"required\": [\"name\", \"parameters\"]\n}\n",
       {"There is no function I can call",
        R"({"name":"get_weather", "parameters": {"city":"Seattle"}})"},
       {"{", R"({"name":"get_time","parameters":{"city":"S"}})", R"({"name":"get_weather"})"}},
      // Twice, with what is ignored behind it, and with a '}' and a quote in a text.
      {"start: \"[\" one+ \"]\"\none: %json {\"enum\": [\"}\\\"\", 7]}\n%ignore \" \"",
       {"[7]", R"([ "}\"" 7 "}\"" ])"},
       {"[]", R"(["}"])"}},
      {"start: %json {\"type\": \"integer\", \"minimum\": 0} | %json {\"type\": \"boolean\"} \"!\"",
       {"12", "true!"},
       {"-1", "true", "12!"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

bool takes_as_schema(const std::string& schema, const std::string& text) {
  const auto made =
      make_json_grammar(test_vocabulary().trie, parse_json(schema, "a test"), Start::at_once);
  EXPECT_TRUE(made) << made.message();
  GrammarConstraint reply(made.value());
  return reply.begin_with(text) && reply.may_end();
}

TEST(LarkSchemas, TakeWhatTheSchemaTakesAlone) {
  const std::vector<std::string> schemas = {
      R"({"type": "string", "minLength": 2, "maxLength": 4})",
      R"({"type": "array", "items": {"type": ["integer", "null"]}, "minItems": 1, "maxItems": 3})",
      R"({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1,
          "maxProperties": 2})",
      R"({"type": "object", "properties": {"a": {"type": "string", "pattern": "^x+$"},
          "b": {"$ref": "#"}}, "required": ["a"]})",
      R"({"anyOf": [{"type": "number", "multipleOf": 0.5}, {"type": "string", "format": "date"}]})",
      R"({})",
  };
  const std::vector<std::string> texts = {R"("")",
                                          R"("a")",
                                          R"("ab")",
                                          R"("\u00e9\n")",
                                          R"("abcd")",
                                          R"("abcde")",
                                          R"([])",
                                          R"([1])",
                                          R"([1, null])",
                                          R"([1,2,3,4])",
                                          R"(["a"])",
                                          R"({})",
                                          R"({"a": 1})",
                                          R"({"q":1,"r":2})",
                                          R"({"q":1,"r":2,"s":3})",
                                          R"({"a":"x"})",
                                          R"({"a":"xx","b":{"a":"x"}})",
                                          R"({"b":{"a":"x"}})",
                                          R"({"a":"y"})",
                                          "1.5",
                                          "1.25",
                                          "-2",
                                          R"("2024-02-29")",
                                          R"("2023-02-29")",
                                          "true",
                                          "null",
                                          R"([[{"a":[]}]])",
                                          "[1",
                                          "1,",
                                          R"({"a":"x"}})"};
  int n_taken = 0;
  for (const std::string& schema : schemas) {
    for (const std::string& text : texts) {
      const bool expected = takes_as_schema(schema, text);
      n_taken += expected;
      EXPECT_EQ(takes("lark", "start: %json " + schema, text), expected) << schema << "\n" << text;
      EXPECT_EQ(takes("lark", "start: \"<\" %json " + schema + " \">\"", "<" + text + ">"),
                expected)
          << schema << "\n"
          << text;
    }
  }
  EXPECT_GT(n_taken, 30);
}

// No memory of names is needed where they come in an order.
TEST(LarkSchemas, FewNamesComeOnce) {
  const std::vector<GrammarCase> cases = {
      {R"(start: %json {"type":"object","patternProperties":{"^[ab]$":{"type":"integer"}},
           "additionalProperties":false,"minProperties":2})",
       {R"({"a":1,"b":2})"},
       {R"({"a":1,"a":2})", R"({"a":1})", R"({"b":1,"b":2})", R"({"a":1,"b":2,"a":3})"}},
      {R"(start: %json {"type":"object","properties":{"n":{"type":"null"}},
           "propertyNames":{"enum":["n","x","a\"b","\u00e9"]},
           "additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":3})",
       {R"({"n":null})", R"({"x":1})", R"({"n":null,"a\"b":1,"x":2})", "{\"x\":1,\"\xC3\xA9\":2}"},
       {"{}", R"({"x":1,"x":2})", R"({"n":null,"a\"b":1,"x":2,"\u00e9":3})", R"({"y":1})"}},
      // In both sets, with the same value.
      {R"(start: %json {"type":"object","additionalProperties":{"type":"null"},"minProperties":3,
           "propertyNames":{"anyOf":[{"enum":["a","b"]},{"enum":["b","c"]}]}})",
       {R"({"a":null,"b":null,"c":null})"},
       {R"({"a":null,"b":null,"b":null})", R"({"a":null,"c":null})"}},
      // Of an object that has too few names nothing comes.
      {R"(start: %json {"anyOf":[{"type":"null"},{"type":"object","minProperties":3,
           "patternProperties":{"^[ab]$":{"type":"integer"}},"additionalProperties":false}]})",
       {"null"},
       {R"({"a":1,"b":2})", R"({"a":1,"b":1,"b":2})", "{"}},
      // What is required counts once, and one more name cannot have come before.
      {R"(start: %json {"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],
           "additionalProperties":{"type":"integer"},"minProperties":2})",
       {R"({"a":1,"x":2})"},
       {R"({"a":1})", R"({"a":1,"a":2})", R"({"x":1,"y":2})"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

TEST(LarkSchemas, WhatIsWrongIsNamedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"start: %json 7", "line 1, column 14: expected a JSON schema, an object, found '7'"},
      {"start: %json\n  {\"a\": \"}\"", "line 2, column 3: this '{' is not closed"},
      {"start: A\nA: %json {}",
       "line 2, column 4: a terminal is made of terminals, not of schemas"},
      {"start: %json {\"type\": \"text\"}", "line 1, column 14: %json.type: "},
      {"start: %json {\"minimum\": 3, \"maximum\": 2, \"type\": \"integer\"}",
       "line 1, column 14: %json: no value can satisfy it ("},
      // What several schemas require is there once.
      {R"(start: %json {"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],
           "allOf":[{"required":["a"]}],"additionalProperties":{"type":"integer"},"minProperties":3})",
       "line 1, column 14: %json.minProperties: names that are not listed may come twice"},
      {"start: %json {\"type\": }",
       "line 1, column 14: in the schema that begins here: not JSON: "},
      {"start: %json {\"format\": \"iban\"}", "line 1, column 14: %json.format: "},
      {"start: %json {\"const\": 123456789012345678901}",
       "line 1, column 14: %json.const: whole numbers beyond 64 bits are read as doubles"},
      {"start: %json {\"type\": \"array\", \"items\": {\"enum\": [1, 2]}, \"uniqueItems\": true}",
       "line 1, column 14: %json: items that differ (uniqueItems) are not supported in a grammar"},
      {"start: %json {\"type\": \"object\", \"additionalProperties\": {\"type\": \"null\"}, "
       "\"minProperties\": 2}",
       "line 1, column 14: %json.minProperties: names that are not listed may come twice"},
      {"start: %json {\"extends\": {}}", "line 1, column 14: %json.extends: "},
  };
  for (const auto& [grammar, problem] : cases) {
    EXPECT_TRUE(problem_with("lark", grammar).starts_with(problem))
        << grammar << "\n"
        << problem_with("lark", grammar);
  }
}

TEST(LarkSchemas, WhatThereIsToTellOfThemIsTheGrammars) {
  using Notes = std::vector<std::string>;
  EXPECT_EQ(notes_of("lark", R"(start: "a" %json {"type":"object","properties":{"b":true}})"),
            Notes());
  const std::string never = "no value can satisfy it, so none is written";
  EXPECT_EQ(notes_of("lark",
                     "start: one | two\none: %json {\"properties\":{\"a\":{\"enum\":[]}}}\n"
                     "two: %lark {\n start: %json {\"items\": {\"nmae\": \"x\"}, \"type\": "
                     "\"array\"} }"),
            (Notes{"line 2, column 12: %json.properties.a: " + never,
                   "line 4, column 15: %json.items: no keyword in it says what a value must be, so "
                   "any value is allowed"}));
  EXPECT_EQ(
      notes_of("lark", R"(start: %json {"type":"integer","format":"date"})"),
      Notes{"line 1, column 14: %json.format: this is a format of strings, so it says nothing "
            "of numbers"});
  // A rule with a number is read for each number.
  EXPECT_EQ(notes_of("lark", R"(start: any::0
any::_: "" %if is_ones([0:2])
      | %json {"anyOf":[{"enum":[]},{"type":"null"}]} any::set_bit(0) %if bit_clear(0)
      | "b" any::set_bit(1) %if bit_clear(1))"),
            Notes{"line 3, column 15: %json.anyOf[0]: no value that is valid there can satisfy it, "
                  "so none is written"});
  std::string many = "start: \"a\"";
  for (int i = 0; i < 20; ++i) many += R"( | %json {"properties":{"a":{"enum":[]}}})";
  const Notes told = notes_of("lark", many);
  ASSERT_EQ(told.size(), 17U);
  EXPECT_EQ(told.back(), "there is as much to tell of 4 more parts of its schemas");
}

TEST(LarkSchemas, ShareOneBudget) {
  const std::string grammar = "start: %json {\"type\": \"object\"}";
  SchemaBudget budget(3000);
  EXPECT_TRUE(read_lark(grammar, budget));
  int n_read = 1;
  while (read_lark(grammar, budget)) ++n_read;
  EXPECT_LT(n_read, 10);
}

TEST(LarkSchemas, WhatCostsTooMuchIsRefused) {
  EXPECT_TRUE(problem_with("lark", "start: %json {\"type\": \"string\", \"maxLength\": 1000000}")
                  .starts_with("the grammar is too large"));
  EXPECT_EQ(problem_with("lark", "start: %json {\"type\": \"string\", \"maxLength\": 500}"), "");
}

}  // namespace
}  // namespace pleiad::constrain::grammars
