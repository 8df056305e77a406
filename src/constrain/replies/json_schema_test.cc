#include <fmt/format.h>
#include <gmock/gmock.h>

#include <ostream>
#include <stdexcept>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/schema_check.h"

// Replies under schemas of all kinds, against a checker of its own.
namespace pleiad::constrain {
namespace {

std::shared_ptr<Grammar> schema_grammar(const Json& format) {
  auto grammar = make_json_grammar(test_vocabulary().trie, format, Start::at_once);
  if (!grammar) throw std::runtime_error(grammar.message());
  return std::move(grammar).value();
}

struct SchemaCase {
  const char* name;
  const char* schema;
  std::vector<const char*> valid;    // as a reply would write them
  std::vector<const char*> invalid;  // what no reply may be
};

void PrintTo(const SchemaCase& schema_case, std::ostream* out) { *out << schema_case.name; }

const std::vector<SchemaCase>& schema_cases() {
  static const std::vector<SchemaCase> cases = {
      {"Anything",
       R"({})",
       {"1", "\"x\"", "[]", "{}", "null", "-0.5e-7"},
       {"", "x", "-0", "1.", "nul"}},
      {"Person",
       R"({"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"},
           "tags":{"type":"array","items":{"type":"string"}}},"required":["name","age"]})",
       {R"({"name":"A","age":3})", R"({"name": "", "age": -7, "tags": ["x", "y"]})",
        R"({"name":"A","age":3,"tags":[]})"},
       {R"({"name":"A"})", R"({"age":3,"name":"A"})", R"({"name":"A","age":3.5})",
        R"({"name":"A","age":3,"more":1})", R"({"name":"A","age":3,})", R"({})"}},
      {"AllOptional",
       R"({"type":"object","properties":{"a":{"type":"null"},"b":{"type":"boolean"},"c":{}}})",
       {"{}", R"({"a":null})", R"({"b":true})", R"({"c":[1]})", R"({"a": null, "c": {"x":1}})"},
       {R"({"b":true,"a":null})", R"({,"a":null})", R"({"a":null)"}},
      {"OthersOfOneSchema",
       R"({"type":"object","properties":{"name":{"type":"string"}},
           "additionalProperties":{"type":"integer"}})",
       {"{}", R"({"x":1})", R"({"name":"n","nam":2,"names":3})", R"({"n\"\\\n":1})"},
       {R"({"x":"1"})", R"({"name":1})", R"({"x":1,"name":"n"})", R"({"n\u0061me":1})"}},
      {"RequiredButNotDeclared",
       R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["b"],
           "additionalProperties":{"type":"boolean"}})",
       {R"({"b":true})", R"({"a":1,"b":false,"c":true})"},
       {R"({"a":1})", R"({"b":1})"}},
      {"Tuple",
       R"({"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":false,
           "minItems":1})",
       {"[1]", R"([1,"x"])"},
       {"[]", R"(["x"])", R"([1,"x",2])"}},
      {"TupleAndMore",
       R"({"type":"array","prefixItems":[{"type":"null"}],"items":{"type":"integer"},
           "minItems":3,"maxItems":4})",
       {"[null,1,2]", "[null, 1, 2, 3]"},
       {"[null,1]", "[null,1,2,3,4]", "[1,2,3]"}},
      {"BoundedItems",
       R"({"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":3})",
       {"[true,false]", "[\n  true,\n  true,\n  true\n]"},
       {"[]", "[true]", "[true,true,true,true]", "[true\n]"}},
      {"NoItems", R"({"type":"array","maxItems":0})", {"[]"}, {"[1]"}},
      {"Enum",
       R"({"enum":["red","green",12,1,null,{"a":[1,2]},"q\"é"]})",
       {"\"red\"", "12", "1", "null", R"({"a":[1,2]})", R"("q\"é")"},
       {"\"re\"", "2", "121", "\"reds\""}},
      {"EnumOfType", R"({"type":"string","enum":["a",1,"b"]})", {"\"a\"", "\"b\""}, {"1"}},
      {"Const", R"({"const":{"k":"v"}})", {R"({"k":"v"})"}, {R"({"k":"w"})", "{}"}},
      {"AnyOf",
       R"({"anyOf":[{"type":"integer","minimum":0},{"type":"string","maxLength":3},{"type":"null"}]})",
       {"5", "\"abc\"", "null", "\"\""},
       {"-1", "\"abcd\"", "true"}},
      {"AnyOfBesideProperties",
       R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
           "anyOf":[{"required":["a"]},{"required":["b"]}]})",
       {R"({"a":1})", R"({"b":1})", R"({"a":1,"b":2})"},
       {"{}"}},
      {"AllOf",
       R"({"allOf":[{"type":"object","properties":{"a":{"type":"integer","minimum":2}},"required":["a"]},
           {"properties":{"a":{"maximum":4},"b":{"type":"string"}},"required":["b"]}]})",
       {R"({"a":2,"b":""})", R"({"a":4,"b":"x"})"},
       {R"({"a":5,"b":"x"})", R"({"a":1,"b":"x"})", R"({"a":3})"}},
      {"TypeList",
       R"({"type":["string","null"],"minLength":2})",
       {"\"ab\"", "null"},
       {"\"a\"", "1"}},
      {"Tree",
       R"({"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{
           "value":{"type":"integer"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},
           "required":["value","children"],"additionalProperties":false}}})",
       {R"({"value":1,"children":[]})",
        R"({"value":1,"children":[{"value":2,"children":[{"value":3,"children":[]}]}]})"},
       {R"({"value":1})", R"({"value":1,"children":[{}]})"}},
      {"ReferenceWithMore",
       R"({"$defs":{"s":{"type":"string","minLength":1}},
           "properties":{"x":{"$ref":"#/$defs/s","maxLength":2,"description":"d"}},"required":["x"],
           "type":"object"})",
       {R"({"x":"a"})", R"({"x":"ab"})"},
       {R"({"x":""})", R"({"x":"abc"})"}},
      {"Lengths",
       R"({"type":"string","minLength":2,"maxLength":3})",
       {"\"ab\"", "\"日本語\"", R"("\n\u00e9\ud83d\ude00")", "\"é😀\""},
       {"\"a\"", "\"abcd\"", "\"日\"", R"("\n")"}},
      {"Pattern",
       R"({"type":"string","pattern":"^[A-Z]{2}-\\d+(a|bc)?$"})",
       {"\"AB-1\"", "\"ZZ-007bc\""},
       {"\"AB-\"", "\"aB-1\"", "\"AB-1b\"", "\"xAB-1\""}},
      {"PatternAnywhere",
       R"({"type":"string","pattern":"b[\"\\\\]c","maxLength":5})",
       {R"("b\"c")", R"("xb\\cy")"},
       {R"("bc")", R"("xxxb\"c")", R"("b\u0022c")"}},
      {"PatternAndLength",
       R"({"type":"string","pattern":"^(ab)*$","minLength":3,"maxLength":7})",
       {"\"abab\"", "\"ababab\""},
       {"\"ab\"", "\"aba\"", "\"abababab\""}},
      {"PatternAndManyCharacters",
       R"({"type":"string","pattern":"^([a-z]+-){0,9}[a-z]+$","maxLength":40,"minLength":2})",
       {"\"ab\"", "\"a-b-c\"", "\"a-bcdefghijklmnopqrstuvwxyz-abcdefghijkl\""},
       {"\"a\"", "\"a-\"", "\"a-bcdefghijklmnopqrstuvwxyz-abcdefghijklm\""}},
      {"PatternWithABeginning",
       R"({"type":"string","pattern":"^data:(png|jpeg),[a-z]*$","maxLength":30})",
       {"\"data:png,\"", "\"data:jpeg,abcdefghijklmnopqrst\""},
       {"\"data:\"", "\"data:jpeg,abcdefghijklmnopqrstu\""}},
      {"Integers",
       R"({"type":"integer","minimum":-3,"exclusiveMaximum":12})",
       {"-3", "0", "9", "10", "11"},
       {"-4", "12", "-0", "99", "1.0", "-10"}},
      {"Multiples",
       R"({"type":"integer","multipleOf":7,"minimum":10,"maximum":50})",
       {"14", "21", "49"},
       {"7", "15", "56"}},
      {"Numbers",
       R"({"type":"number","minimum":-1.5,"maximum":2.25})",
       {"-1.5", "-1.49", "0", "0.001", "2.25", "2.2", "1.999999", "2.250"},
       {"-1.51", "2.26", "2.2500001", "3", "-2", "1e0"}},
      {"Cents",
       R"({"type":"number","multipleOf":0.01,"minimum":0})",
       {"0", "1.5", "19.99"},
       {"1.999", "-1", "1.5e3"}},
      {"Nullable", R"({"type":"integer","nullable":true,"minimum":1})", {"1", "null"}, {"0"}},
      {"WholeMultiples",
       R"({"type":"number","multipleOf":1})",
       {"0", "-3", "12", "5.0"},
       {"-0.01", "1.5", "1e1"}},
      {"PatternProperties",
       R"({"type":"object","patternProperties":{"^x-":{"type":"integer"},"y$":{"type":"number","minimum":2}},
           "additionalProperties":false})",
       {"{}", R"({"x-a":1})", R"({"ay":2.5})", R"({"x-y":2})"},
       {R"({"x-a":1.5})", R"({"ay":1})", R"({"x-y":1})", R"({"b":1})"}},
      {"PatternPropertiesAlone",
       R"({"type":"object","patternProperties":{"^k[0-9]$":{"type":"number"}},"minProperties":1})",
       {R"({"k1":1})", R"({"k1":1,"k2":2})"},
       {"{}", R"({"true":[true]})", R"({"k1":1,"b":2})"}},
      {"PatternPropertiesThatOnlyForbid",
       R"({"type":"object","patternProperties":{"^_":false}})",
       {"{}", R"({"a":[true]})"},
       {R"({"_a":1})"}},
      {"PatternPropertiesBesideOthers",
       R"({"type":"object","properties":{"xa":{"type":"boolean"}},
           "patternProperties":{"^x":{}},"additionalProperties":{"type":"null"}})",
       {R"({"xa":true,"xb":1,"c":null})"},
       {R"({"xa":1})", R"({"c":1})"}},
      {"NamesOfProperties",
       R"({"type":"object","propertyNames":{"pattern":"^[a-c]+$","maxLength":3},
           "additionalProperties":{"type":"integer"}})",
       {"{}", R"({"abc":1,"a":2})"},
       {R"({"abca":1})", R"({"d":1})"}},
      {"ListedNames",
       R"({"type":"object","propertyNames":{"enum":["a","bc"]},
           "additionalProperties":{"type":"integer"}})",
       {R"({"bc":1,"a":2})"},
       {R"({"b":1})"}},
      {"AtMostSoManyProperties",
       R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},
           "c":{"type":"integer"}},"required":["c"],"maxProperties":2})",
       {R"({"c":1})", R"({"a":1,"c":2})", R"({"b":1,"c":2})"},
       {R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":2})"}},
      {"AtLeastSoManyProperties",
       R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},
           "c":{"type":"integer"}},"minProperties":2})",
       {R"({"a":1,"b":1})", R"({"a":1,"c":1})", R"({"a":1,"b":2,"c":3})"},
       {"{}", R"({"a":1})", R"({"c":1})"}},
      {"SoManyOthers",
       R"({"type":"object","properties":{"a":{"type":"integer"}},"maxProperties":2,
           "minProperties":1,"additionalProperties":{"type":"integer"}})",
       {R"({"a":1})", R"({"a":1,"x":2})", R"({"x":1,"y":2})"},
       {"{}", R"({"a":1,"x":2,"y":3})", R"({"x":1,"y":2,"z":3})"}},
      {"Dependent",
       R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},
           "c":{"type":"integer"}},"dependentRequired":{"a":["c"],"c":["b"]}})",
       {"{}", R"({"b":1})", R"({"a":1,"b":1,"c":1})", R"({"b":1,"c":1})"},
       {R"({"a":1})", R"({"a":1,"c":1})", R"({"c":1})", R"({"a":1,"b":1})"}},
      {"DependentSchemas",
       R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
           "dependentSchemas":{"a":{"properties":{"b":{"minimum":5}}}}})",
       {R"({"b":1})", R"({"a":1,"b":5})", R"({"a":1})"},
       {R"({"a":1,"b":4})"}},
      {"IfThenElse",
       R"({"type":"object","properties":{"kind":{"enum":["circle","square"]},
           "radius":{"type":"integer"},"side":{"type":"integer"}},"required":["kind"],
           "if":{"properties":{"kind":{"const":"circle"}}},
           "then":{"required":["radius"]},"else":{"required":["side"]}})",
       {R"({"kind":"circle","radius":1})", R"({"kind":"square","side":1})",
        R"({"kind":"square","radius":1,"side":1})"},
       {R"({"kind":"circle"})", R"({"kind":"circle","side":1})",
        R"({"kind":"square","radius":1})"}},
      {"NotAType",
       R"({"not":{"type":["object","array","number"]}})",
       {"\"x\"", "null", "true"},
       {"1", "1.5", "{}", "[]"}},
      {"NotTheseWords",
       R"({"type":"string","not":{"enum":["no","never"]},"maxLength":6})",
       {"\"n\"", "\"nope\"", "\"yes\"", "\"\""},
       {"\"no\"", "\"never\"", R"("\u006eo")"}},
      {"NotThesePatterns",
       R"({"type":"string","pattern":"^[a-z]*$","not":{"pattern":"^x"}})",
       {"\"abc\"", "\"\"", "\"ax\""},
       {"\"xa\"", "\"A\""}},
      {"NotTheseNumbers",
       R"({"type":"number","minimum":0,"maximum":10,"not":{"enum":[3,4.5]}})",
       {"0", "3.1", "4", "4.50001", "10"},
       {"3", "3.0", "4.5", "4.500", "11"}},
      {"NotAMultiple",
       R"({"type":"integer","not":{"multipleOf":3}})",
       {"1", "-2", "100"},
       {"0", "3", "-99"}},
      {"NotRequired",
       R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
           "not":{"required":["a","b"]}})",
       {"{}", R"({"a":1})", R"({"b":1})"},
       {R"({"a":1,"b":1})"}},
      {"NotWithin", R"({"not":{"minimum":3},"type":"number"})", {"2.99", "-1"}, {"3", "3.01"}},
      {"ExactlyOneOfTwoNumbers",
       R"({"oneOf":[{"type":"integer","multipleOf":2},{"type":"integer","multipleOf":3}]})",
       {"2", "3", "4", "9"},
       {"1", "6", "0", "12"}},
      {"ExactlyOneIsRequired",
       R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
           "oneOf":[{"required":["a"]},{"required":["b"]}]})",
       {R"({"a":1})", R"({"b":1})"},
       {"{}", R"({"a":1,"b":1})"}},
      {"ExactlyOneByItsKind",
       R"({"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"integer"}},
           "required":["kind"]},{"type":"object","properties":{"kind":{"const":"b"},
           "y":{"type":"integer"}},"required":["kind"]}]})",
       {R"({"kind":"a","x":1})", R"({"kind":"b","y":1})"},
       {R"({"kind":"a","y":1})", R"({"kind":"c"})", "{}"}},
      {"OldTuple",
       R"({"type":"array","items":[{"type":"integer"},{"type":"string"}],
           "additionalItems":{"type":"null"}})",
       {"[]", "[1]", R"([1,"x"])", R"([1,"x",null,null])"},
       {R"(["x"])", R"([1,"x",1])"}},
      {"OldTupleAlone",
       R"({"type":"array","items":[{"type":"integer"}],"additionalItems":false})",
       {"[]", "[1]"},
       {"[1,2]"}},
      {"Contains",
       R"({"type":"array","items":{"type":"integer"},"contains":{"minimum":5},"maxItems":3})",
       {"[5]", "[1,7]", "[9,1,1]", "[1,1,5]"},
       {"[]", "[1]", "[1,1,1]", "[5,1,1,1]"}},
      {"EnumBesideOthers",
       R"({"enum":["a","abc",1,5,null,[1],{"b":1}],"minLength":2,"maximum":3,"minItems":2})",
       {"\"abc\"", "1", "null", R"({"b":1})"},
       {"\"a\"", "5", "[1]"}},
      {"RequiredOfNoProperty",
       R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["b","a"]})",
       {R"({"a":1,"b":[2]})"},
       {R"({"a":1})", R"({"b":2})"}},
      {"CountedPattern",
       R"({"type":"string","pattern":"^[a-z0-9]{1,1000}$","minLength":2,"maxLength":4})",
       {"\"ab\"", "\"a1b2\""},
       {"\"a\"", "\"abcde\"", "\"aB\""}},
      {"CountedPatternThatLooksAhead",
       R"({"type":"string",
           "pattern":"^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[^\\w])[ -~]{8,64}$"})",
       {"\"aB3 aB3 \"", "\"Correct1-horse\""},
       {"\"aB3 aB3\"", "\"correct1-horse\"", "\"Correcthorse\"", "\"Correct1horse\""}},
      {"PatternBesideFormat",
       R"({"type":"string","pattern":"^2024","format":"date"})",
       {"\"2024-02-29\""},
       {"\"2023-01-01\"", "\"2024\""}},
      {"Deep",
       R"({"type":"array","items":{"type":"array","items":{"type":"object","properties":{
           "a":{"anyOf":[{"type":"array","items":{"type":"number"}},{"type":"string"}]}}}}})",
       {R"([[{"a":[1.5,2]}],[]])", R"([[{"a":"x"},{}]])"},
       {R"([{"a":1}])"}},
  };
  return cases;
}

class JsonSchema : public testing::TestWithParam<SchemaCase> {};

TEST_P(JsonSchema, RandomRepliesAreValid) {
  const Json schema = json_from(GetParam().schema);
  const auto grammar = schema_grammar(schema);
  const SchemaCheck check(schema);
  std::mt19937 random(7);
  int finished = 0;
  for (int round = 0; round < 120; ++round) {
    const auto reply = random_reply(*grammar, random, round < 12);
    if (HasFatalFailure()) return;
    if (!reply) continue;
    ++finished;
    const std::string text = text_of(*reply);
    const Json value = json_or_discarded(text);
    ASSERT_FALSE(value.is_discarded()) << text;
    EXPECT_TRUE(check.valid(value)) << text;
  }
  EXPECT_GT(finished, 30);
}

TEST_P(JsonSchema, ValidDocumentsCanBeWritten) {
  const Json schema = json_from(GetParam().schema);
  const auto grammar = schema_grammar(schema);
  const SchemaCheck check(schema);
  for (const char* text : GetParam().valid) {
    EXPECT_TRUE(takes(*grammar, text)) << text;
    EXPECT_TRUE(check.valid(json_from(text))) << text;
  }
  for (const char* text : GetParam().invalid) EXPECT_FALSE(takes(*grammar, text)) << text;
}

TEST(ExclusiveBounds, HoldOfTheDoublesOfTheirNumbers) {
  const auto allows = [](const char* bounds, const char* text) {
    const Json schema = json_from(fmt::format(R"({{"type":"number",{}}})", bounds));
    return takes(*schema_grammar(schema), text);
  };
  struct Case {
    const char* bounds;
    const char* same;  // as the bound, when it is read
    const char* beyond;
  };
  for (const Case& one :
       {Case{R"("exclusiveMaximum":100)", "99.999999999999995", "99.9999999999999"},
        Case{R"("exclusiveMaximum":128)", "127.999999999999999", "127.999999999999"},
        Case{R"("exclusiveMaximum":12345.678)", "12345.677999999999", "12345.6779999999"},
        Case{R"("exclusiveMinimum":-100)", "-99.999999999999999", "-99.9999999999999"},
        Case{R"("exclusiveMinimum":16)", "16.000000000000001", "16.0000000000001"},
        Case{R"("minimum":16,"exclusiveMinimum":true)", "16.000000000000001", "16.0000000000001"},
        Case{R"("exclusiveMinimum":1e17)", "100000000000000001.5", "100000000000000016"},
        Case{R"("exclusiveMinimum":0)", "0.0", "0.00000000000001"}}) {
    EXPECT_FALSE(allows(one.bounds, one.same)) << one.bounds;
    EXPECT_TRUE(allows(one.bounds, one.beyond)) << one.bounds;
  }
}

TEST(PatternOfPasswords, CountsCharactersBehindFourConditions) {
  const auto grammar = schema_grammar(json_from(
      R"({"type":"string","pattern":"^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[^\\w]).{8,64}$"})"));
  const auto password = [](std::size_t n) {
    std::string text = "\"aB3";
    for (std::size_t i = 3; i < n; ++i) text += "\u00e9";
    return text + '"';
  };
  for (const std::size_t n : {8, 9, 63, 64}) EXPECT_TRUE(takes(*grammar, password(n))) << n;
  for (const std::size_t n : {3, 7, 65, 100}) EXPECT_FALSE(takes(*grammar, password(n))) << n;
}

INSTANTIATE_TEST_SUITE_P(Schemas, JsonSchema, testing::ValuesIn(schema_cases()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace pleiad::constrain
