// Schemas that no value satisfies: which part is named, and what of a tool's schema is left.
#include "constrain/replies/satisfiable.h"

#include <gmock/gmock.h>

#include <array>
#include <string>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"

namespace pleiad::constrain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kParameters = "tools[0].function.parameters";

std::string message_of(const Json& schema) {
  const auto made = make_json_grammar(test_vocabulary().trie, schema, Start::at_once, {}, "format");
  return made ? "it was accepted" : made.message();
}

Result<std::shared_ptr<Grammar>> tool_of(const Json& parameters, bool strict = false) {
  const Json tools = Json::array(
      {{{"function", {{"name", "f"}, {"parameters", parameters}, {"strict", strict}}}}});
  return make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
}

// A reply has no more than so many digits, which is not to say that there is no value.
TEST(Satisfiable, NumbersOfMoreDigitsThanAreWrittenAreValues) {
  const std::string why = ": only numbers of more digits than are written satisfy it";
  for (const char* schema :
       {R"({"type":"number","exclusiveMinimum":0,"maximum":1e-300})",
        R"({"type":"number","exclusiveMinimum":1,"exclusiveMaximum":1.0000000000000002})",
        R"({"type":"integer","minimum":18446744073709551616,"maximum":18446744073709551616})"}) {
    const Json number = json_from(schema);
    EXPECT_EQ(message_of(number), "format" + why) << schema;
    Json within = json_from(R"({"type":"object","required":["a"]})");
    within["properties"]["a"] = number;
    EXPECT_EQ(message_of(within), "format.properties.a" + why) << schema;
    const auto tool = tool_of(within);
    ASSERT_TRUE(tool) << tool.message();
    EXPECT_THAT(tool.value()->unenforced(), ElementsAre(HasSubstr(".properties.a" + why)));
    EXPECT_FALSE(is_beyond_help(tool.value()->unenforced(), kParameters));
  }
  for (const char* schema :
       {R"({"type":"number","exclusiveMinimum":1,"maximum":1})",
        R"({"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2})",
        R"({"type":"number","minimum":1,"maximum":2,"multipleOf":2.5})",
        R"({"type":"number","minimum":1e-300,"maximum":1e-300,"not":{"const":1e-300}})"}) {
    EXPECT_THAT(message_of(json_from(schema)), StartsWith("format: no value can satisfy it"))
        << schema;
  }
}

/// A tool whose argument "x" has that schema, beside "n", a digit; both are required.
Json with_argument(const std::string& schema) {
  Json out = json_from(R"({"type":"object","properties":{
      "n":{"type":"integer","minimum":0,"maximum":9}},"required":["n","x"]})");
  out["properties"]["x"] = json_from(schema);
  return out;
}

bool takes_arguments(const std::shared_ptr<Grammar>& grammar, const std::string& arguments) {
  std::string text = "<|tool_call>call:f" + arguments + "<tool_call|>";
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos;) {
    text.replace(at, 1, R"(<|"|>)");
  }
  return takes_call(grammar, text);
}

TEST(Satisfiable, TheSmallestPartThatNothingSatisfiesIsNamed) {
  const std::array<std::array<const char*, 2>, 17> cases = {{
      {R"({"properties":{"v":{"type":"string","enum":[1]}},"required":["v"]})",
       "format.properties.v: no value can satisfy it"},
      {R"({"properties":{"v":{"type":"array","uniqueItems":true,"minItems":3,"items":{"enum":[1,2]}}},
           "required":["v"]})",
       "format.properties.v: no value can satisfy it"},
      {R"({"properties":{"v":{"type":"string","format":"date","pattern":"^0000"}},"required":["v"]})",
       "format.properties.v: no value can satisfy it"},
      {R"({"properties":{"a":{"minLength":3,"maxLength":2,"type":"string"}},"required":["a"]})",
       "format.properties.a: no value can satisfy it (\"minLength\" is greater than "
       "\"maxLength\")"},
      {R"({"properties":{"a":{"$ref":"#/$defs/b"}},"required":["a"],
           "$defs":{"b":{"properties":{"c d":{"enum":[]}},"required":["c d"]}}})",
       "format.$defs.b.properties[\"c d\"].enum: no value can satisfy it (the list is empty)"},
      {R"({"properties":{"a":{"type":[],"minLength":1}},"required":["a"]})",
       "format.properties.a.type: no value can satisfy it (the list is empty)"},
      {R"({"enum":[]})", "format.enum: no value can satisfy it (the list is empty)"},
      {R"({"type":"array","minItems":2,"prefixItems":[true,{"not":{}}]})",
       "format.prefixItems[1]: no value can satisfy it"},
      {R"({"type":"array","minItems":2,"items":{"const":1,"type":"string"}})",
       "format.items: no value can satisfy it"},
      {R"({"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"null"}}}],
           "required":["a"]})",
       "format.allOf[0].properties.a: no value can satisfy it beside "
       "format.allOf[1].properties.a"},
      {R"({"properties":{"a":{"$ref":"#"}},"required":["a"]})",
       "format.properties.a: no value can satisfy it"},
      {R"({"properties":{},"required":["a"],"additionalProperties":false})",
       "format.additionalProperties: no value can satisfy it, and \"a\" is required"},
      {R"({"properties":{"a":{"type":"null"},"b":false},"required":["a","b"]})",
       "format.properties.b: no value can satisfy it, and \"b\" is required"},
      {R"({"anyOf":[{"type":"string","const":1},{"properties":{"a":{"enum":[]}},"required":["a"]}]})",
       "format.anyOf[1].properties.a.enum: no value can satisfy it (the list is empty)"},
      {R"({"propertyNames":{"maxLength":1},"required":["ab"]})", "format: no value can satisfy it"},
      {R"({"properties":{"a":{"$ref":"#/$defs/b"}},"required":["a"],"$defs":{"b":{"$ref":"#/$defs/c"},
           "c":{"type":"string","minLength":5,"maxLength":1}}})",
       "format.properties.a: no value can satisfy it (\"minLength\" is greater than "
       "\"maxLength\")"},
      // What has no opposite is not to blame: without it there would be none either.
      {R"({"type":"object","properties":{"a":false,"l":{"type":"array"}},"required":["a"],
           "not":{"type":"object","patternProperties":{"^l":false},"minProperties":5}})",
       "format.properties.a: no value can satisfy it, and \"a\" is required"},
  }};
  for (const auto& [schema, message] : cases)
    EXPECT_EQ(message_of(json_from(schema)), message) << schema;
}

TEST(Satisfiable, APartThatIsTooDeepIsNamed) {
  Json deep = json_from(R"({"type":"object","properties":{}})");
  for (int i = 0; i < 70; ++i) {
    deep = {{"type", "object"}, {"properties", {{"x", deep}}}, {"required", Json::array({"x"})}};
  }
  const std::string message = message_of(deep);
  EXPECT_THAT(message, StartsWith("format.properties.x.properties.x"));
  EXPECT_THAT(message, HasSubstr(": its values are nested deeper than 59 levels"));
  Json parameters = with_argument("{}");
  parameters["properties"]["x"] = deep;
  const auto made = tool_of(parameters);
  ASSERT_TRUE(made) << made.message();
  ASSERT_EQ(made.value()->unenforced().size(), 1U);
  const std::string note = made.value()->unenforced()[0];
  EXPECT_THAT(note, StartsWith(std::string(kParameters) + ".properties.x.properties.x"));
  EXPECT_THAT(note, HasSubstr("its values are nested deeper than 58 levels, with those around it; "
                              "it is left free, and the rest holds"));
  EXPECT_TRUE(is_beyond_help(made.value()->unenforced(), kParameters));
  EXPECT_FALSE(takes_arguments(made.value(), "{n:4,x:{}}"));
  EXPECT_FALSE(takes_arguments(made.value(), "{n:14,x:{x:{}}}"));
}

// Of an argument that nothing satisfies the last keyword without which something does is left out.
TEST(Satisfiable, OneArgumentThatIsImpossibleDoesNotUnbindTheRest) {
  struct Case {
    const char* schema;
    const char* left_out;
    const char* taken;
    const char* refused;
  };
  const std::array<Case, 17> cases = {{
      {R"({"type":"integer","enum":["1","2"]})", R"(its "enum" is left out)", "7", "'1'"},
      {R"({"type":"string","enum":[1,2]})", R"(its "enum" is left out)", "'1'", "1"},
      {R"({"type":"boolean","enum":["true","false"]})", R"(its "enum" is left out)", "true",
       "'true'"},
      {R"({"const":"a","type":"integer"})", R"(its "const" is left out)", "1", "'a'"},
      {R"({"type":"string","enum":["a"],"pattern":"^b"})", R"(its "pattern" is left out)", "'a'",
       "'b'"},
      {R"({"type":"string","format":"date","enum":["today"]})", R"(its "enum" is left out)",
       "'2024-01-01'", "'today'"},
      {R"({"enum":["a"],"minLength":2})", R"(its "minLength" is left out)", "'a'", "'aa'"},
      {R"({"type":"string","format":"date","pattern":"^\\d{2}/\\d{2}/\\d{4}$"})",
       R"(its "pattern" is left out)", "'2024-01-01'", "'01/01/2024'"},
      {R"({"type":"string","format":"uuid","maxLength":10})", R"(its "maxLength" is left out)",
       "'123e4567-e89b-12d3-a456-426614174000'", "'1'"},
      {"false", R"(, and "x" is required; it is left free)", "7", nullptr},
      {R"({"not":{}})", R"(its "not" is left out)", "7", nullptr},
      {R"({"type":"integer","minimum":5,"maximum":3})",
       R"(("minimum" is greater than "maximum"); its "maximum" is left out)", "7", "4"},
      {R"({"properties":{"y":{"$ref":"#/properties/x"}},"required":["y"]})",
       R"(.properties.y: no value can satisfy it; its "$ref" is left out)", "{y:1}", "{}"},
      {R"({"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null","const":1}},
           "required":["a","b"]})",
       R"(.properties.b: no value can satisfy it; its "const" is left out)", "{a:null,b:null}",
       "{a:1,b:null}"},
      {R"({"type":"array","items":{"enum":[1,2]},"uniqueItems":true,"minItems":3})",
       R"(its "minItems" is left out)", "[1]", "[1,1]"},
      {R"({"type":"array","minItems":1,"items":{"type":"null","const":1}})",
       R"(.items: no value can satisfy it; its "const" is left out)", "[null]", "[]"},
      {R"({"type":"integer","enum":["a"],"const":"b"})", "it is left free", "1", "'a'"},
  }};
  for (const Case& one : cases) {
    const Json parameters = with_argument(one.schema);
    const auto made = tool_of(parameters);
    ASSERT_TRUE(made) << made.message();
    const auto& notes = made.value()->unenforced();
    ASSERT_EQ(notes.size(), 1U) << one.schema;
    EXPECT_THAT(notes[0], StartsWith(std::string(kParameters) + ".properties.x"));
    EXPECT_THAT(notes[0], HasSubstr(one.left_out));
    EXPECT_THAT(notes[0], testing::EndsWith(", and the rest holds"));
    const std::string x = one.taken;
    EXPECT_TRUE(takes_arguments(made.value(), "{n:4,x:" + x + "}")) << one.schema;
    EXPECT_FALSE(takes_arguments(made.value(), "{n:14,x:" + x + "}")) << one.schema;
    EXPECT_FALSE(takes_arguments(made.value(), "{x:" + x + "}")) << one.schema;
    if (one.refused) {
      EXPECT_FALSE(takes_arguments(made.value(), std::string("{n:4,x:") + one.refused + "}"))
          << one.schema;
    }
    EXPECT_TRUE(is_beyond_help(notes, kParameters)) << "no arguments are valid under the whole";

    const auto strict = tool_of(parameters, true);
    ASSERT_FALSE(strict) << one.schema;
    EXPECT_THAT(strict.message(), StartsWith(std::string(kParameters) + ".properties.x"));
    EXPECT_THAT(strict.message(), testing::EndsWith("so nothing may be left out)"));
    EXPECT_THAT(strict.message(), HasSubstr(": no value can satisfy it"));
  }
}

// Where nothing else helps: of what the same value is held to elsewhere, and its "type".
TEST(Satisfiable, WhatExcludesAPartIsLeftOutElsewhereOrIsItsType) {
  struct Case {
    const char* schema;
    const char* note;
    const char* taken;
  };
  const std::array<Case, 6> cases = {{
      {R"({"type":[]})", R"(.properties.x: no value can satisfy it; its "type" is left out)", "7"},
      {R"({"type":"object","properties":{"y":{"type":[]}},"required":["y"]})",
       R"(.properties.x.properties.y: no value can satisfy it; its "type" is left out)", "{y:1}"},
      {R"({"type":"array","items":{"type":[]},"minItems":1})",
       R"(.properties.x.items: no value can satisfy it; its "type" is left out)", "[1]"},
      {R"({"allOf":[{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]},
                    {"type":"object","properties":{"k":{"type":"integer"}},"required":["k"]}]})",
       R"(.properties.x.allOf[0].properties.k: no value can satisfy it beside tools[0].function.)"
       R"(parameters.properties.x.allOf[1].properties.k; its "type" is left out)",
       "{k:1}"},
      {R"({"allOf":[{"properties":{"k":{"type":"string"}},"required":["k"]},
                    {"properties":{"k":{"type":"string","enum":[1]}}}]})",
       R"(; the "enum" of tools[0].function.parameters.properties.x.allOf[1].properties.k is left out)",
       "{k:'a'}"},
      {R"({"allOf":[{"properties":{"k":{"type":"string"}},"required":["k"]},{"properties":{"k":false}}]})",
       R"(.properties.x.allOf[1].properties.k: no value can satisfy it, and "k" is required; it is left free)",
       "{k:'a'}"},
  }};
  for (const Case& one : cases) {
    const auto made = tool_of(with_argument(one.schema));
    ASSERT_TRUE(made) << made.message();
    const auto& notes = made.value()->unenforced();
    ASSERT_EQ(notes.size(), 1U) << one.schema;
    EXPECT_THAT(notes[0], HasSubstr(one.note));
    const std::string x = one.taken;
    EXPECT_TRUE(takes_arguments(made.value(), "{n:4,x:" + x + "}")) << one.schema;
    EXPECT_FALSE(takes_arguments(made.value(), "{n:14,x:" + x + "}")) << one.schema;
    EXPECT_TRUE(is_beyond_help(notes, kParameters)) << one.schema;
  }
}

// Some values do satisfy it; they are no arguments.
TEST(Satisfiable, OfWhatNoObjectSatisfiesThatIsSaid) {
  const auto made = tool_of(json_from(R"({"anyOf":[{"type":"string"},{"type":"array"}]})"));
  ASSERT_TRUE(made) << made.message();
  EXPECT_THAT(
      made.value()->unenforced(),
      ElementsAre(std::string(kParameters) +
                  R"(: no object can satisfy it; its "anyOf" is left out, and the rest holds)"));
  EXPECT_TRUE(is_beyond_help(made.value()->unenforced(), kParameters));
}

// A "not", an "oneOf" or a counted "contains" that refers to a part asks for no more where less of
// that is left.
TEST(Satisfiable, WhatIsLeftOutBehindAReferenceNarrowsNothing) {
  struct Case {
    const char* x;
    const char* taken;
  };
  const std::array<Case, 4> cases = {{
      {R"({"type":"string","not":{"$ref":"#/$defs/a"}})", "'a'"},
      {R"({"type":"string","if":{"$ref":"#/$defs/a"},"then":false})", "'a'"},
      {R"({"oneOf":[{"type":"string","maxLength":3},{"$ref":"#/$defs/a"}]})", "'a'"},
      {R"({"type":"array","items":{"type":"string"},"contains":{"$ref":"#/$defs/a"},
           "maxContains":1,"minItems":2})",
       "['a','b']"},
  }};
  for (const Case& one : cases) {
    Json parameters = with_argument(one.x);
    parameters["$defs"]["a"] = json_from(R"({"type":"string","minLength":null})");
    const auto made = tool_of(parameters);
    ASSERT_TRUE(made) << made.message();
    EXPECT_THAT(made.value()->unenforced(), ElementsAre(HasSubstr(".minLength: "))) << one.x;
    EXPECT_TRUE(takes_arguments(made.value(), std::string("{n:4,x:") + one.taken + "}")) << one.x;
    EXPECT_FALSE(takes_arguments(made.value(), std::string("{n:14,x:") + one.taken + "}")) << one.x;
    EXPECT_FALSE(is_beyond_help(made.value()->unenforced(), kParameters));
  }
}

TEST(Satisfiable, OfAnOneOfByReferencesAnyBranchMayHold) {
  Json parameters = with_argument(R"({"oneOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]})");
  parameters["$defs"] = json_from(
      R"({"A":{"type":"object","properties":{"a":{"type":"null"}},"required":["a"]},
          "B":{"type":"object","properties":{"a":{"type":"null"}},"required":["a"],
               "patternProperties":{"^x":{"type":"null"}}}})");
  parameters["properties"]["y"] = json_from(R"({"$ref":"#/$defs/B"})");
  const auto made = tool_of(parameters);
  ASSERT_TRUE(made) << made.message();
  EXPECT_THAT(made.value()->unenforced(),
              ElementsAre(HasSubstr("$defs.B.patternProperties: its opposite cannot be enforced")));
  EXPECT_TRUE(takes_arguments(made.value(), "{n:4,x:{a:null,x1:null}}"));
  EXPECT_TRUE(takes_arguments(made.value(), "{n:4,x:{a:null},y:{a:null,x1:null}}"));
  EXPECT_FALSE(takes_arguments(made.value(), "{n:4,x:{a:null},y:{a:null,x1:1}}"));
  EXPECT_FALSE(is_beyond_help(made.value()->unenforced(), kParameters));
}

// Wherever they are, as many as sixteen; and what excludes itself at the top.
TEST(Satisfiable, SeveralPartsAreLeftOutEachByItself) {
  Json parameters = with_argument(R"({"type":"integer","enum":["1"]})");
  parameters["properties"]["y"] = json_from(R"({"type":"string","const":1})");
  parameters["required"].push_back("y");
  parameters["not"] = json_from(R"({"required":["n"]})");
  const auto made = tool_of(parameters);
  ASSERT_TRUE(made) << made.message();
  EXPECT_THAT(made.value()->unenforced(),
              testing::UnorderedElementsAre(
                  HasSubstr(".properties.x: "), HasSubstr(".properties.y: "),
                  StartsWith(std::string(kParameters) +
                             ": no object can satisfy it; its \"not\" is left out")));
  EXPECT_TRUE(takes_arguments(made.value(), "{n:4,x:5,y:'a'}"));
  EXPECT_FALSE(takes_arguments(made.value(), "{n:14,x:5,y:'a'}"));

  Json many = json_from(R"({"type":"object","properties":{},"required":[]})");
  for (int i = 0; i < 17; ++i) {
    const std::string name = "a" + std::to_string(i);
    many["properties"][name] = json_from(R"({"type":"integer","enum":["1"]})");
    many["required"].push_back(name);
  }
  const auto too_many = tool_of(many);
  ASSERT_TRUE(too_many) << too_many.message();
  EXPECT_THAT(too_many.value()->unenforced(),
              ElementsAre(std::string(kParameters) + ": no arguments can satisfy it; its arguments "
                                                     "are held to no schema"));
}

// Each try pays for what it counts.
TEST(Satisfiable, ItemsAreCountedWithinTheBudget) {
  Json schema = json_from(R"({"type":"object","required":["dear","x"],"properties":{
      "dear":{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"array",
              "prefixItems":[{"$ref":"#/$defs/t5"},{"enum":[1,2]}],"items":false,"minItems":2}},
      "x":{"type":"integer","enum":["1"]}},"$defs":{"t0":{"const":"xxxxxxxx"}}})");
  for (int i = 1; i <= 5; ++i) {
    schema["$defs"]["t" + std::to_string(i)] = {
        {"type", "array"},
        {"items", {{"$ref", "#/$defs/t" + std::to_string(i - 1)}}},
        {"minItems", 10},
        {"maxItems", 10}};
  }
  const WantedValues wanted{.where = "format", .policy = {}, .types = kObject};
  std::vector<std::string> left_out;
  Json tried = schema;
  SchemaBudget budget;
  EXPECT_TRUE(make_satisfiable(tried, wanted, budget, 16, left_out));
  EXPECT_GT(budget.spent(), 1'000'000U);
  budget = SchemaBudget(200'000);
  tried = schema;
  left_out.clear();
  EXPECT_FALSE(make_satisfiable(tried, wanted, budget, 16, left_out)) << "it is not known";
  EXPECT_EQ(tried, schema);
  EXPECT_THAT(left_out, testing::IsEmpty());
  schema["properties"]["dear"].erase("minItems");
  EXPECT_TRUE(make_satisfiable(schema, wanted, budget = SchemaBudget(), 16, left_out));
  EXPECT_LT(budget.spent(), 10'000U);
  EXPECT_THAT(left_out, ElementsAre(HasSubstr("format.properties.x: no value can satisfy it")));
}

// That there is no value is not claimed where not all was tried.
TEST(Satisfiable, AnOppositeThatIsNotKnownIsNamedAsTheCause) {
  const std::string why = ": its opposite cannot be enforced, and without that no value is found";
  EXPECT_EQ(message_of(json_from(R"({"type":"object","properties":{"a":{"type":"null"}},
      "required":["a"],"not":{"type":"object","properties":{"a":{"type":"null"}},
      "additionalProperties":false}})")),
            "format.not.additionalProperties" + why);
  Json inside = json_from(R"({"type":"object","required":["u"]})");
  inside["properties"]["u"] = json_from(
      R"({"oneOf":[{"type":"object","properties":{"a":{}},"required":["a"]},
                   {"type":"object","properties":{"a":{}},"required":["a"],
                    "patternProperties":{"^x":{"type":"null"}}}]})");
  EXPECT_EQ(message_of(inside), "format.properties.u.oneOf[1].patternProperties" + why);
}

TEST(Satisfiable, OfAOneOfWithoutOppositesAnyBranchMayHold) {
  const std::string path = std::string(kParameters) + ".properties.x.oneOf[1].additionalProperties";
  const Json parameters = with_argument(
      R"({"oneOf":[{"type":"object","properties":{"a":{"type":"null"}},"required":["a"],
                    "additionalProperties":{"type":"integer"}},
                   {"type":"object","properties":{"a":{"type":"null"}},"required":["a"],
                    "additionalProperties":{"type":"integer"}}]})");
  const auto made = tool_of(parameters);
  ASSERT_TRUE(made) << made.message();
  ASSERT_EQ(made.value()->unenforced().size(), 1U);
  EXPECT_EQ(made.value()->unenforced()[0],
            path +
                ": its opposite cannot be enforced, and without that no value is found; this is "
                "left out, and the rest holds");
  EXPECT_TRUE(takes_arguments(made.value(), "{n:4,x:{a:null}}"));
  EXPECT_FALSE(takes_arguments(made.value(), "{n:4,x:{a:1}}"));
  EXPECT_FALSE(takes_arguments(made.value(), "{n:14,x:{a:null}}"));
  EXPECT_FALSE(is_beyond_help(made.value()->unenforced(), kParameters)) << "another call may be";
}

}  // namespace
}  // namespace pleiad::constrain
