#include "constrain/schema/leave_out.h"

#include <gtest/gtest.h>

#include "base/testing/json.h"

namespace pleiad::constrain {
namespace {

/// What is left; null where nothing was taken out.
Json left_of(const char* schema, const char* pointer, const char* keyword) {
  const Json before = json_from(schema);
  Json left = before;
  SchemaBudget budget;
  if (leave_out(left, {pointer, keyword, false}, budget)) return left;
  EXPECT_EQ(left, before);
  return nullptr;
}

TEST(LeaveOut, OneKeywordOrAllOfAPart) {
  const char* schema = R"({"type":"object","properties":{"a":{"type":"float","minimum":1},"b":5}})";
  EXPECT_EQ(left_of(schema, "/properties/a", "type"),
            json_from(R"({"type":"object","properties":{"a":{"minimum":1},"b":5}})"));
  EXPECT_EQ(
      left_of(schema, "/properties/b", ""),
      json_from(R"({"type":"object","properties":{"a":{"type":"float","minimum":1},"b":true}})"));
  EXPECT_EQ(left_of(schema, "/properties/a", ""),
            json_from(R"({"type":"object","properties":{"a":{"type":"float"},"b":5}})"));
  EXPECT_EQ(left_of(schema, "", "type"),
            json_from(R"({"properties":{"a":{"type":"float","minimum":1},"b":5}})"));
  EXPECT_EQ(left_of(R"({"allOf":[{},{"a/b~c":1,"$ref":"#x"}]})", "/allOf/1", "$ref"),
            json_from(R"({"allOf":[{},{"a/b~c":1}]})"));
  EXPECT_EQ(left_of(R"({"properties":{"a/b~c":{"type":0}}})", "/properties/a~1b~0c", "type"),
            json_from(R"({"properties":{"a/b~c":{}}})"));
}

// Where a schema asks for less within these, what they say is more.
TEST(LeaveOut, AllOfWhatTurnsAPartAround) {
  for (const char* around : {"not", "if"}) {
    const std::string schema = std::string(R"({"minLength":1,")") + around +
                               R"(":{"properties":{"a":{"type":"any"}}},"then":false})";
    EXPECT_EQ(
        left_of(schema.c_str(), (std::string("/") + around + "/properties/a").c_str(), "type"),
        json_from(R"({"minLength":1,"then":false})"))
        << around;
  }
  EXPECT_EQ(left_of(R"({"type":"string","oneOf":[{"minLength":null},{"maxLength":3}]})", "/oneOf/0",
                    "minLength"),
            json_from(R"({"type":"string"})"));
  // These are names.
  EXPECT_EQ(left_of(R"({"properties":{"not":{"properties":{"if":{"type":7}}}}})",
                    "/properties/not/properties/if", "type"),
            json_from(R"({"properties":{"not":{"properties":{"if":{}}}}})"));
  EXPECT_EQ(left_of(R"({"$defs":{"oneOf":{"type":7}}})", "/$defs/oneOf", "type"),
            json_from(R"({"$defs":{"oneOf":{}}})"));
}

// Where a branch cannot be denied, the branches are no longer kept apart.
TEST(LeaveOut, OfAnOppositeThatOfOneOf) {
  SchemaBudget budget;
  Json schema = json_from(R"({"properties":{"a":{"oneOf":[{"type":"null"},{"pattern":"a"}]}}})");
  EXPECT_TRUE(leave_out(schema, {"/properties/a/oneOf/1", "pattern", true}, budget));
  EXPECT_EQ(schema,
            json_from(R"({"properties":{"a":{"anyOf":[{"type":"null"},{"pattern":"a"}]}}})"));
  Json both = json_from(R"({"oneOf":[{"pattern":"a"}],"anyOf":[{"pattern":"b"}]})");
  EXPECT_TRUE(leave_out(both, {"/oneOf/0", "pattern", true}, budget));
  EXPECT_EQ(both, json_from(R"({"anyOf":[{"pattern":"b"}]})"));
}

// By references, one behind the other, to a part that the fault's stands in.
TEST(LeaveOut, AllOfWhatTurnsAroundAPartThatItRefersTo) {
  EXPECT_EQ(
      left_of(
          R"({"$defs":{"a":{"properties":{"p":{"minLength":null}}},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},
                        "not":{"$ref":"#/$defs/b"},"if":{"items":{"$ref":"#/$defs/a"}},"then":{"$ref":"#/$defs/a"},
                        "oneOf":[{"$ref":"#/$defs/a/properties/p"},{"type":"null"}],
                        "properties":{"v":{"not":{"enum":[{"$ref":"#/$defs/a"}]}},"w":{"$ref":"#/$defs/b"}}})",
          "/$defs/a/properties/p", "minLength"),
      json_from(R"({"$defs":{"a":{"properties":{"p":{}}},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},
                          "then":{"$ref":"#/$defs/a"},
                          "properties":{"v":{"not":{"enum":[{"$ref":"#/$defs/a"}]}},"w":{"$ref":"#/$defs/b"}}})"));
  // One that refers to itself.
  EXPECT_EQ(
      left_of(R"({"maxLength":null,"properties":{"a":{"not":{"$ref":"#"}}}})", "", "maxLength"),
      json_from(R"({"properties":{"a":{}}})"));
  // By an anchor.
  EXPECT_EQ(left_of(R"({"$defs":{"a":{"$anchor":"x","type":7}},"not":{"$ref":"#x"}})", "/$defs/a",
                    "type"),
            json_from(R"({"$defs":{"a":{"$anchor":"x"}}})"));
}

// What cannot be denied may still be asked for.
TEST(LeaveOut, OfAnOppositeOnlyWhatDeniesIt) {
  Json schema = json_from(R"({"$defs":{"b":{"patternProperties":{"^x":{}}}},
                              "properties":{"u":{"oneOf":[{"type":"null"},{"$ref":"#/$defs/b"}]},
                                            "v":{"$ref":"#/$defs/b"}}})");
  SchemaBudget budget;
  EXPECT_TRUE(leave_out(schema, {"/$defs/b", "patternProperties", true}, budget));
  EXPECT_EQ(schema, json_from(R"({"$defs":{"b":{"patternProperties":{"^x":{}}}},
                                  "properties":{"u":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/b"}]},
                                                "v":{"$ref":"#/$defs/b"}}})"));
}

// Less would be counted there.
TEST(LeaveOut, ContainsWhereThereMayBeTooMany) {
  EXPECT_EQ(left_of(R"({"contains":{"minLength":null},"maxContains":1,"minItems":2})", "/contains",
                    "minLength"),
            json_from(R"({"maxContains":1,"minItems":2})"));
  EXPECT_EQ(left_of(R"({"contains":{"minLength":null},"minItems":2})", "/contains", "minLength"),
            json_from(R"({"contains":{},"minItems":2})"));
  EXPECT_EQ(
      left_of(R"({"contains":{"type":"null"},"minContains":null,"minItems":2})", "", "minContains"),
      json_from(R"({"minItems":2})"));
}

// They see what is evaluated in place, and of nothing else.
TEST(LeaveOut, WithWhatAsksOfUnevaluatedValues) {
  EXPECT_EQ(
      left_of(R"({"unevaluatedProperties":false,"allOf":[{"anyOf":[{"properties":7}]}],
                        "properties":{"a":{"unevaluatedItems":false}}})",
              "/allOf/0/anyOf/0", "properties"),
      json_from(R"({"allOf":[{"anyOf":[{}]}],"properties":{"a":{"unevaluatedItems":false}}})"));
  EXPECT_EQ(left_of(R"({"$defs":{"a":{"$ref":7},"b":{"then":{"$ref":"#/$defs/a"}}},
                        "properties":{"v":{"unevaluatedProperties":false,"$ref":"#/$defs/b"}},
                        "unevaluatedProperties":false})",
                    "/$defs/a", "$ref"),
            json_from(R"({"$defs":{"a":{},"b":{"then":{"$ref":"#/$defs/a"}}},
                          "properties":{"v":{"$ref":"#/$defs/b"}},"unevaluatedProperties":false})"));
  EXPECT_EQ(left_of(R"({"unevaluatedProperties":false,"anyOf":[{"minProperties":null}]})",
                    "/anyOf/0", "minProperties"),
            json_from(R"({"unevaluatedProperties":false,"anyOf":[{}]})"));
  EXPECT_EQ(
      left_of(
          R"({"unevaluatedProperties":false,"if":{"minProperties":null},"then":{"properties":{}}})",
          "/if", "minProperties"),
      json_from(R"({"then":{"properties":{}}})"));
}

TEST(LeaveOut, NothingThatCostsMoreThanThereIs) {
  SchemaBudget little(2);
  Json schema = json_from(R"({"allOf":[{"type":7},{"type":"null"}]})");
  const Json before = schema;
  EXPECT_FALSE(leave_out(schema, {"/allOf/0", "type"}, little));
  EXPECT_EQ(schema, before);
  SchemaBudget enough(100);
  EXPECT_TRUE(leave_out(schema, {"/allOf/0", "type"}, enough));
}

TEST(LeaveOut, WithWhatLooksAtWhatAKeywordLeavesOver) {
  EXPECT_EQ(left_of(R"({"properties":7,"additionalProperties":false,"required":["a"]})", "",
                    "properties"),
            json_from(R"({"required":["a"]})"));
  EXPECT_EQ(left_of(R"({"prefixItems":7,"items":false,"minItems":1})", "", "prefixItems"),
            json_from(R"({"minItems":1})"));
  EXPECT_EQ(left_of(R"({"items":7,"additionalItems":false,"minItems":1})", "", "items"),
            json_from(R"({"minItems":1})"));
  EXPECT_EQ(left_of(R"({"$ref":"#/nowhere","unevaluatedProperties":false,"maxProperties":1})", "",
                    "$ref"),
            json_from(R"({"maxProperties":1})"));
}

TEST(LeaveOut, NothingWhereNothingWouldBeLeft) {
  EXPECT_EQ(left_of(R"({"properties":{"a":true,"b":{"type":"null"}}})", "/properties/a", ""),
            nullptr);
  EXPECT_EQ(left_of(R"({"properties":{"a":true,"b":{"type":"null"}}})", "/properties/b", ""),
            nullptr);
  EXPECT_EQ(left_of(R"({"type":"object"})", "", ""), nullptr);
  EXPECT_EQ(left_of(R"({"type":"object"})", "", "required"), nullptr);
  for (const char* pointer : {"/properties/b", "/properties/a/type/0", "/allOf/0", "/allOf/x"}) {
    EXPECT_EQ(left_of(R"({"properties":{"a":{"type":"x"}},"allOf":[]})", pointer, "type"), nullptr)
        << pointer;
  }
}

}  // namespace
}  // namespace pleiad::constrain
