// What is told of parts of a schema that are never written, though values satisfy the whole.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/reply_forms.h"
#include "constrain/replies/tool_constraint.h"

namespace pleiad::constrain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Notes = std::vector<std::string>;

Notes told_of(const Json& schema) {
  const auto made = make_json_grammar(test_vocabulary().trie, schema, Start::at_once, {}, "format");
  EXPECT_TRUE(made) << made.message();
  return made ? made.value()->notes() : Notes();
}

/// Of the part at `path`, which no value satisfies anywhere, or none `there`.
std::string never(const std::string& path, const std::string& why = {}) {
  return "format" + path + ": no value can satisfy it" + why + ", so none is written";
}
std::string never_there(const std::string& path) {
  return "format" + path + ": no value that is valid there can satisfy it, so none is written";
}

TEST(UnwrittenParts, OptionalPropertiesItemsAndBranchesAreTold) {
  const std::string bounds = R"( ("minLength" is greater than "maxLength"))";
  const std::vector<std::pair<const char*, std::string>> cases = {
      {R"({"properties":{"a":{"type":"null"},"u":{"type":"string","minLength":5,"maxLength":2}},
           "required":["a"]})",
       never(".properties.u", bounds)},
      {R"({"properties":{"u":{"enum":[]}}})", never(".properties.u")},
      {R"({"properties":{"u":{"type":"array","enum":["on","off"]}}})", never(".properties.u")},
      {R"({"properties":{"u":{"type":"string","format":"date","pattern":"^\\d\\d/"}}})",
       never(".properties.u")},
      {R"({"type":"array","items":{"type":"integer","enum":["1"]}})", never(".items")},
      {R"({"type":"array","prefixItems":[true,{"const":"b","pattern":"^a"}]})",
       never(".prefixItems[1]")},
      {R"({"type":"object","additionalProperties":{"const":"b","pattern":"^a"}})",
       never(".additionalProperties")},
      {R"({"properties":{"v":{"type":"array","uniqueItems":true,"minItems":3,
                              "items":{"enum":[1,2]}}}})",
       never(".properties.v")},
      {R"({"anyOf":[{"type":"integer","enum":["1"]},{"type":"null"}]})", never_there(".anyOf[0]")},
      {R"({"anyOf":[{"allOf":[{"type":"string"},{"type":"integer"}]},{"type":"null"}]})",
       never_there(".anyOf[0]")},
      {R"({"oneOf":[{"type":"number"},{"type":"integer"}]})", never_there(".oneOf[1]")},
      {R"({"type":"object","allOf":[{"properties":{"a":{"type":"string"}}},
                                    {"properties":{"a":{"type":"null"}}}]})",
       never_there(".allOf[0].properties.a")},
      {R"({"properties":{"kind":{"enum":["a","b"]}},"required":["kind"],
           "anyOf":[{"properties":{"kind":{"const":"a"}}},{"properties":{"kind":{"const":"c"}}}]})",
       never_there(".anyOf[1].properties.kind")},
  };
  for (const auto& [schema, note] : cases) {
    EXPECT_THAT(told_of(json_from(schema)), ElementsAre(note)) << schema;
  }
}

TEST(UnwrittenParts, WhatOthersNeedIsToldAndNotTheseToo) {
  EXPECT_THAT(told_of(json_from(R"({"properties":{"u":{"anyOf":[{"$ref":"#/$defs/o"},
                                                               {"type":"null"}]},
                                                 "w":{"$ref":"#/$defs/o"}},
      "$defs":{"o":{"properties":{"k":{"type":"array","items":{"$ref":"#/$defs/i"},"minItems":1}},
                    "required":["k"]},
               "i":{"type":"object","properties":{"n":{"type":"null","const":1}},
                    "required":["n"]}}})")),
              ElementsAre(never(".$defs.i.properties.n")));
  // What a property that may not be there makes impossible is told itself.
  EXPECT_THAT(told_of(json_from(R"({"properties":{"z":{"properties":{"k":false},
                                                       "required":["k"]}}})")),
              ElementsAre(never(".properties.z")));
  // Of a circle one part.
  EXPECT_THAT(told_of(json_from(R"({"properties":{"u":{"$ref":"#/$defs/a"}},"$defs":{
      "a":{"properties":{"b":{"$ref":"#/$defs/b"}},"required":["b"]},
      "b":{"properties":{"a":{"$ref":"#/$defs/a"}},"required":["a"]}}})")),
              SizeIs(1));
}

TEST(UnwrittenParts, TypesThatAPartNamesAreToldWhereOthersAreLeft) {
  EXPECT_THAT(told_of(json_from(R"({"properties":{"a":{"type":["string","null"],
                                                       "minLength":5,"maxLength":2}}})")),
              ElementsAre("format.properties.a: no string can satisfy it (\"minLength\" is greater "
                          "than \"maxLength\"), so none is written"));
  EXPECT_THAT(
      told_of(json_from(R"({"type":["array","object","null"],"minItems":1,"items":false})")),
      ElementsAre("format: no array can satisfy it, so none is written"));
}

TEST(UnwrittenParts, WhatIsMeantOrWrittenSomewhereIsNotTold) {
  for (const char* schema : {
           R"({"properties":{"a":false,"b":{"not":{}},"c":{"not":true},"d":{"type":"null"}}})",
           R"({"type":"array","items":false})",
           R"({"anyOf":[false,{"type":"null"}]})",
           R"({"type":["string","null"],"enum":["a",null,1]})",
           R"({"allOf":[{"type":["string","null"]},{"type":"string"}]})",
           R"({"properties":{"kind":{"const":"a"}},"required":["kind"],
               "if":{"properties":{"kind":{"const":"c"}}},"then":{"required":["z"]}})",
           R"({"oneOf":[{"properties":{"t":{"const":"a"},"x":{"type":"null"}},"required":["t"]},
                        {"properties":{"t":{"const":"b"},"x":{"enum":[1]}},"required":["t"]}]})",
           // The same definition, where it has values and where it has none.
           R"({"properties":{"a":{"$ref":"#/$defs/s"},"b":{"allOf":[{"$ref":"#/$defs/s"},
               {"type":["string","null"]}]}},"$defs":{"s":{"type":["integer","null"]}}})",
           R"({"not":{"properties":{"a":{"type":"integer","enum":["1"]}}},"properties":{"a":{}}})",
       }) {
    EXPECT_THAT(told_of(json_from(schema)), IsEmpty()) << schema;
  }
}

TEST(UnwrittenParts, NumbersOfMoreDigitsThanAreWrittenAreToldSo) {
  EXPECT_THAT(told_of(json_from(R"({"properties":{"u":{"type":"number","exclusiveMinimum":0,
                                                       "maximum":1e-300}}})")),
              ElementsAre("format.properties.u: only numbers of more digits than are written "
                          "satisfy it, so none is written"));
}

TEST(UnwrittenParts, ManyAreCounted) {
  Json schema = {{"type", "object"}};
  for (int i = 0; i < 30; ++i) {
    schema["properties"]["p" + std::to_string(i)] = {{"type", "string"}, {"enum", {i}}};
  }
  const Notes notes = told_of(schema);
  ASSERT_THAT(notes, SizeIs(9));
  EXPECT_EQ(notes.front(), never(".properties.p0"));
  EXPECT_EQ(notes.back(), "format: 22 more of its parts may have no value that can be written");
}

// As the standard has it, and seldom meant.
TEST(UnwrittenParts, WhatHasToBeThereSoThatOthersDoNotHoldIsTold) {
  EXPECT_THAT(told_of(json_from(R"({"oneOf":[
      {"properties":{"t":{"type":"string"},"v":{"enum":[1]}},"required":["t"]},
      {"properties":{"t":{"type":"string"},"u":{"enum":[1]}},"required":["t"]}]})")),
              ElementsAre("format.oneOf[1].properties.u: \"u\" has to be written, though nothing "
                          "lists it there, so that this does not hold"));
  EXPECT_THAT(told_of(json_from(R"({"type":"object","not":{"properties":{"u":{"enum":[1]}}}})")),
              SizeIs(1));
  for (const char* schema : {
           R"({"oneOf":[{"properties":{"t":{"const":"a"},"v":{"enum":[1]}},"required":["t"]},
                        {"properties":{"t":{"const":"b"},"u":{"enum":[1]}},"required":["t"]}]})",
           R"({"oneOf":[{"properties":{"a":{"type":"null"}},"required":["a"]},
                        {"properties":{"b":{"type":"null"}},"required":["b"]}]})",
           R"({"properties":{"u":{}},"not":{"properties":{"u":{"enum":[1]}}}})",
       }) {
    EXPECT_THAT(told_of(json_from(schema)), IsEmpty()) << schema;
  }
}

TEST(UnwrittenParts, OfToolsToo) {
  const Json tools = json_from(R"([{"function":{"name":"f","strict":true,"parameters":{
      "type":"object","properties":{"a":{"type":"integer"},"u":{"type":"integer","enum":["1"]}},
      "required":["a"]}}},{"function":{"name":"g","parameters":{
      "type":"object","properties":{"a":{"type":"integer"}}}}}])");
  const auto made = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
  ASSERT_TRUE(made) << made.message();
  EXPECT_THAT(made.value()->unenforced(), IsEmpty());
  EXPECT_THAT(made.value()->notes(),
              ElementsAre("tools[0].function.parameters.properties.u: no value can satisfy it, so "
                          "none is written"));
}

}  // namespace
}  // namespace pleiad::constrain
