// Values that a schema lists, beside what else it asks of them.
#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"

namespace pleiad::constrain {
namespace {

std::string answer_to(const char* schema, const char* text) {
  const auto made = make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once);
  if (!made.ok()) return made.message();
  return takes(*made.value(), text) ? "takes" : "refuses";
}

/// The first note where what cannot be enforced is left out, and that the text is taken then.
std::string note_of(const char* schema, const char* text) {
  SchemaPolicy policy;
  policy.refuse_unenforced = false;
  const auto made =
      make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once, policy);
  if (!made.ok()) return made.message();
  EXPECT_TRUE(takes(*made.value(), text)) << schema;
  const auto& notes = made.value()->unenforced();
  return notes.empty() ? "nothing" : notes.front();
}

// What cannot be worked out of a listed value is told, as it is of others.
TEST(JsonValues, WhatIsNotKnownOfThemIsTold) {
  struct Case {
    const char* schema;
    const char* text;
    const char* place;
  };
  for (const Case& one :
       {Case{R"({"enum":["abc"],"pattern":"a{5000}"})", R"("abc")", "format.pattern: "},
        Case{R"({"enum":["abc","xb"],"pattern":"(?<=x)b"})", R"("abc")", "format.pattern: "},
        Case{R"({"enum":["ab"],"not":{"pattern":"(?<=x)b"}})", R"("ab")", "format.not.pattern: "},
        Case{R"({"enum":[{"xb":1}],"patternProperties":{"(?<=x)b":{"type":"string"}}})",
             R"({"xb":1})", R"(format.patternProperties["(?<=x)b"]: )"},
        Case{R"({"enum":[[{"a":1}]],"items":{"disallow":"object"}})", R"([{"a":1}])",
             "format.items.disallow: this keyword is not supported"},
        Case{R"({"enum":[{"a":1,"b":2}],"allOf":[{"properties":{"a":{}}}],
                 "unevaluatedProperties":false})",
             R"({"a":1,"b":2})", "format.unevaluatedProperties: "},
        Case{R"({"propertyNames":{"enum":["a","b"],"pattern":"(?<=x)b"},"required":["a"]})",
             R"({"a":1})", "format.propertyNames.pattern: "},
        // Of a format that has more texts than are written.
        Case{R"({"enum":["root@localhost","x"],"not":{"format":"email"}})", R"("root@localhost")",
             "format.not.format: not all texts of this format are known"},
        Case{R"({"enum":["root@localhost","x"],"oneOf":[{"format":"email"},{"type":"string"}]})",
             R"("root@localhost")", "format.oneOf[0].format: not all texts of this format"},
        Case{R"({"const":"root@localhost","format":"email"})", R"("root@localhost")",
             "format.format: not all texts of this format are known"}}) {
    EXPECT_THAT(answer_to(one.schema, one.text), testing::StartsWith(one.place)) << one.schema;
    EXPECT_THAT(note_of(one.schema, one.text), testing::StartsWith(one.place)) << one.schema;
  }
}

TEST(JsonValues, WhatIsKnownOfThemHolds) {
  const auto expect = [](const char* schema, const char* good, const char* bad) {
    EXPECT_EQ(answer_to(schema, good), "takes") << schema;
    EXPECT_EQ(answer_to(schema, bad), "refuses") << schema;
  };
  // What is not known does not matter where something else decides.
  expect(R"({"enum":["ab",1],"anyOf":[{"type":"integer"},{"pattern":"(?<=x)b","minLength":3}]})",
         "1", R"("ab")");
  expect(R"({"enum":[{"a":1,"b":2},{"a":1}],"properties":{"a":{}},"unevaluatedProperties":false})",
         R"({"a":1})", R"({"a":1,"b":2})");
  expect(R"({"enum":[[1,2],[1]],"prefixItems":[{}],"unevaluatedItems":false})", "[1]", "[1,2]");
  expect(R"({"enum":[[{"a":1}],[{"a":1,"b":1}]],"items":{"dependencies":{"a":"b"}}})",
         R"([{"a":1,"b":1}])", R"([{"a":1}])");
  expect(R"({"enum":[10000000001,10000000010],"multipleOf":10})", "10000000010", "10000000001");
  expect(R"({"enum":[0.3,0.35],"multipleOf":0.1})", "0.3", "0.35");
  // As decimals: divided as doubles 0.3 comes to less than 3.
  expect(R"({"type":"number","multipleOf":0.1})", "0.3", "0.35");
  expect(R"({"type":"number","multipleOf":0.01})", "19.99", "19.995");
  expect(R"({"oneOf":[{"enum":[10000000001]},{"type":"integer","not":{"multipleOf":10}}]})",
         "10000000002", "10000000001");
  // Beyond what a signed number holds, beside one that is negative.
  expect(R"({"enum":[18446744073709551615,-2],"maximum":-1})", "-2", "18446744073709551615");
  expect(R"({"enum":[9223372036854775808,-20],"minimum":-10})", "9223372036854775808", "-20");
  expect(R"({"enum":[18446744073709551615,-1],"not":{"const":-1}})", "18446744073709551615", "-1");
  expect(R"({"type":"integer","allOf":[{"maximum":9223372036854775808},{"maximum":-5}]})", "-6",
         "7");
  expect(R"({"type":"integer","minimum":-5,"exclusiveMinimum":9223372036854775808})",
         "9223372036854775809", "9223372036854775808");
  // As far as 64 bits go.
  expect(R"({"type":"integer"})", "1789012345678901234", "9223372036854775808");
  expect(R"({"type":"integer","format":"int64"})", "-9223372036854775808", "9223372036854775808");
  expect(R"({"type":"integer","format":"uint64"})", "18446744073709551615", "-1");
  // Objects are the same in any order of their names.
  expect(R"({"enum":[[{"a":1,"b":[2]},{"b":[2],"a":1}],[{"a":1},{"a":2}]],"uniqueItems":true})",
         R"([{"a":1},{"a":2}])", R"([{"a":1,"b":[2]},{"b":[2],"a":1}])");
  expect(R"({"enum":[{"a":1,"b":2},{"a":2,"b":1}],"allOf":[{"const":{"b":2.0,"a":1}}]})",
         R"({"a":1,"b":2})", R"({"a":2,"b":1})");
  // Null stands beside what is listed.
  expect(R"({"oneOf":[{"enum":["a"],"nullable":true},{"type":"null"}]})", R"("a")", "null");
}

// References lead as far as they like; of what applies schemas within schemas an end is told.
TEST(JsonValues, NumbersAreComparedExactly) {
  const auto expect = [](const char* schema, const char* good, const char* bad) {
    EXPECT_EQ(answer_to(schema, good), "takes") << schema << good;
    EXPECT_EQ(answer_to(schema, bad), "refuses") << schema << bad;
  };
  // 2^53 + 1 is no double.
  for (
      const char* schema :
      {R"({"type":"integer","allOf":[{"maximum":9007199254740993},{"maximum":9007199254740992.0}]})",
       R"({"type":"integer","allOf":[{"maximum":9007199254740992.0},{"maximum":9007199254740993}]})",
       R"({"enum":[9007199254740992,9007199254740993],"maximum":9007199254740992.5})"}) {
    expect(schema, "9007199254740992", "9007199254740993");
  }
  expect(R"({"type":"integer","minimum":9007199254740992,"maximum":9007199254740999,
             "allOf":[{"minimum":9007199254740992.0},{"minimum":9007199254740993}]})",
         "9007199254740993", "9007199254740992");
  expect(R"({"enum":[9007199254740993,1],"not":{"const":1.0}})", "9007199254740993", "1");
  expect(R"({"enum":[9007199254740993,7],"not":{"const":9007199254740992.0}})", "9007199254740993",
         "9007199254740992");
  expect(R"({"enum":[-9007199254740993,-3],"minimum":-9007199254740992.0})", "-3",
         "-9007199254740993");
  expect(R"({"enum":[18446744073709551615,9],"maximum":18446744073709551616.0})",
         "18446744073709551615", "18446744073709551616");
  expect(R"({"enum":[[9007199254740993,9007199254740992],[1,1.0]],"uniqueItems":true})",
         "[9007199254740993,9007199254740992]", "[1,1.0]");
}

TEST(JsonValues, FormatsOfNumbersBoundThem) {
  EXPECT_EQ(answer_to(R"({"enum":[300,3],"type":"integer","format":"uint8"})", "3"), "takes");
  EXPECT_EQ(answer_to(R"({"enum":[300,3],"type":"integer","format":"uint8"})", "300"), "refuses");
  EXPECT_EQ(answer_to(R"({"enum":[-1,3],"format":"uint64"})", "-1"), "refuses");
  EXPECT_EQ(answer_to(R"({"enum":["300",3],"format":"uint8"})", "\"300\""), "takes");
}

TEST(JsonValues, HowDeepSchemasOfThemAre) {
  const auto chain = [](const char* step, int n) {
    Json schema = json_from(R"({"enum":[["x"],[1]],"items":{"$ref":"#/d/0"},"d":[]})");
    for (int i = 1; i <= n; ++i) {
      const Json on = {{"$ref", "#/d/" + std::to_string(i)}};
      schema["d"].push_back(*step == '\0' ? on : Json{{step, Json::array({on})}});
    }
    schema["d"].push_back({{"type", "integer"}});
    return to_text(schema);
  };
  EXPECT_EQ(answer_to(chain("", 3000).c_str(), "[1]"), "takes");
  EXPECT_EQ(answer_to(chain("", 3000).c_str(), R"(["x"])"), "refuses");
  EXPECT_THAT(answer_to(chain("allOf", 110).c_str(), "[1]"), testing::HasSubstr("more than 100"));
  EXPECT_THAT(answer_to(R"({"enum":[[1]],"items":{"$ref":"#/items"}})", "[1]"),
              testing::HasSubstr("in a circle"));
}

// Properties may be called as keywords of values are: what stands below them are schemas.
TEST(JsonValues, PropertiesMayBeCalledAsKeywordsAre) {
  for (const char* name : {"example", "examples", "default", "enum", "const", "properties"}) {
    const std::string schema = std::string(R"({"properties":{")") + name +
                               R"(":{"$anchor":"x","type":"integer"},"b":{"$ref":"#x"}}})";
    EXPECT_EQ(answer_to(schema.c_str(), R"({"b":1})"), "takes") << name;
    EXPECT_EQ(answer_to(schema.c_str(), R"({"b":"x"})"), "refuses") << name;
  }
  EXPECT_THAT(answer_to(R"({"example":{"$anchor":"x"},"properties":{"b":{"$ref":"#x"}}})", "{}"),
              testing::HasSubstr("there is no \"#x\""));
}

// JSON's whole numbers are read in 64 bits, and as doubles beyond: the digits that these lose are
// not written, of which a remark tells, whatever else is refused.
TEST(JsonValues, WholeNumbersBeyond64BitsAreTold) {
  const auto notes_of = [](const char* schema, bool refuses) {
    SchemaPolicy policy;
    policy.refuse_unenforced = refuses;
    const auto made = make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once,
                                        policy, "format");
    EXPECT_TRUE(made) << made.message();
    return made ? made.value()->unenforced() : std::vector<std::string>{made.message()};
  };
  const std::string why =
      ": whole numbers beyond 64 bits are read as doubles: 1.2345678901234568e+20 is written";
  for (const bool refuses : {true, false}) {
    EXPECT_THAT(notes_of(R"({"const":123456789012345678901})", refuses),
                testing::ElementsAre("format.const" + why));
    EXPECT_THAT(notes_of(R"({"properties":{"a":{"enum":[1,-5,123456789012345678901]}}})", refuses),
                testing::ElementsAre("format.properties.a.enum" + why));
    EXPECT_THAT(notes_of(R"({"enum":[[{"a":123456789012345678901}],"x"]})", refuses),
                testing::ElementsAre("format.enum" + why));
    EXPECT_THAT(notes_of(R"({"const":-9223372036854775809})", refuses),
                testing::ElementsAre("format.const: whole numbers beyond 64 bits are read as "
                                     "doubles: -9.223372036854776e+18 is written"));
    // None that is written, or that is beyond.
    for (const char* schema :
         {R"({"enum":[18446744073709551615,-9223372036854775808,1.5,1e15,0.1,-2.0]})",
          R"({"enum":["123456789012345678901",5]})",
          R"({"enum":[123456789012345678901,5],"maximum":9})",
          R"({"not":{"const":123456789012345678901}})"}) {
      EXPECT_THAT(notes_of(schema, refuses), testing::IsEmpty()) << schema;
    }
  }
  const auto made = make_json_grammar(
      test_vocabulary().trie, json_from(R"({"const":123456789012345678901})"), Start::at_once);
  ASSERT_TRUE(made) << made.message();
  EXPECT_TRUE(takes(*made.value(), "1.2345678901234568e+20"));
}

}  // namespace
}  // namespace pleiad::constrain
