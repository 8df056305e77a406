// What depends on where a schema stands: what it leaves unevaluated, and what its references name.
#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"

namespace pleiad::constrain {
namespace {

/// As the standard reads schemas.
Result<std::shared_ptr<Grammar>> standard_grammar(const char* schema) {
  SchemaPolicy policy;
  policy.closed_objects = policy.implied_types = false;
  return make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once, policy);
}

struct ScopeCase {
  const char* schema;
  std::vector<const char*> valid;
  std::vector<const char*> invalid;
};

void expect_scopes(const std::vector<ScopeCase>& cases) {
  for (const auto& [schema, valid, invalid] : cases) {
    const auto grammar = standard_grammar(schema);
    ASSERT_TRUE(grammar) << schema << grammar.message();
    EXPECT_TRUE(grammar.value()->unenforced().empty()) << schema;
    for (const char* text : valid) EXPECT_TRUE(takes(*grammar.value(), text)) << schema << text;
    for (const char* text : invalid) EXPECT_FALSE(takes(*grammar.value(), text)) << schema << text;
  }
}

TEST(JsonScopes, NamesByPatternsLeaveOthersOpenToTheStandard) {
  expect_scopes({{R"({"type":"object","patternProperties":{"^k":{"type":"number"}}})",
                  {"{}", R"({"k":1})", R"({"k":1,"true":[true]})"},
                  {R"({"k":"1"})"}}});
}

// What others evaluate that the same schema applies, however deep, and no others.
TEST(JsonScopes, WhatIsUnevaluated) {
  expect_scopes({
      {R"({"allOf":[{"properties":{"a":true},"unevaluatedProperties":false}],
           "anyOf":[{"properties":{"b":true}}]})",
       {"{}", R"({"a":1})"},
       {R"({"b":1})", R"({"a":1,"b":1})"}},
      {R"({"allOf":[{"unevaluatedProperties":false},{"properties":{"a":true}}]})",
       {"{}"},
       {R"({"a":1})"}},
      {R"({"$ref":"#/$defs/x","properties":{"b":true},"unevaluatedProperties":false,
           "$defs":{"x":{"allOf":[{"$ref":"#/$defs/y"}]},"y":{"patternProperties":{"^a":true}}}})",
       {R"({"b":1,"a1":1})", R"({"b":1})"},
       {R"({"c":1})"}},
      // A part of two schemas, of which one sees it.
      {R"({"$defs":{"x":{"properties":{"a":true}}},"allOf":[{"$ref":"#/$defs/x"},
           {"$ref":"#/$defs/x","unevaluatedProperties":{"type":"null"}}]})",
       {R"({"a":1,"b":null})"},
       {R"({"a":1,"b":1})"}},
      // One below another one leaves it nothing.
      {R"({"allOf":[{"unevaluatedProperties":{"type":"string"}}],"unevaluatedProperties":false})",
       {R"({"a":"x"})"},
       {R"({"a":1})"}},
      {R"({"properties":{"a":{"type":"string"}},
           "not":{"not":{"properties":{"b":{"const":"b"}},"required":["b"]}},
           "unevaluatedProperties":{"type":"string"}})",
       {R"({"a":"x","b":"b"})"},
       {R"({"a":"x","b":"c"})", R"({"a":"x"})"}},
      // Of several ways all that hold count.
      {R"({"anyOf":[{"properties":{"a":true},"required":["a"]},
                    {"properties":{"b":true},"required":["b"]}],"unevaluatedProperties":false})",
       {R"({"a":1})", R"({"b":1})", R"({"a":1,"b":1})"},
       {"{}", R"({"a":1,"c":1})"}},
      {R"({"if":{"properties":{"a":{"const":1}},"required":["a"]},
           "then":{"properties":{"b":true}},"else":{"properties":{"c":true}},
           "unevaluatedProperties":false})",
       {R"({"a":1,"b":2})", R"({"c":2})", "{}"},
       {R"({"a":1,"c":2})", R"({"a":2})", R"({"b":2})"}},
      {R"({"if":{"properties":{"a":{"const":"x"}},"required":["a"]},"unevaluatedProperties":false})",
       {"{}", R"({"a":"x"})"},
       {R"({"a":"y"})", R"({"a":"x","b":1})"}},
      {R"({"dependentSchemas":{"a":{"properties":{"b":true,"a":true}}},
           "unevaluatedProperties":false})",
       {"{}", R"({"b":1,"a":1})"},
       {R"({"b":1})"}},
      {R"({"allOf":[{"unevaluatedItems":{"type":"integer"},"prefixItems":[true]},
                    {"prefixItems":[true,true]}]})",
       {R"(["x",1,2])"},
       {R"(["x","x"])"}},
      {R"({"prefixItems":[{"const":"x"}],"not":{"not":{"prefixItems":[true,{"const":1}]}},
           "unevaluatedItems":{"type":"integer"}})",
       {R"(["x",1,2])", R"(["x"])"},
       {R"(["x","y"])", R"(["x",1,"y"])"}},
  });
}

// Where all ways in which several hold are too many, those are left in which one does.
TEST(JsonScopes, OfTooManyWaysOneEachIsEnough) {
  Json schema = {{"type", "object"}, {"unevaluatedProperties", false}};
  for (int i = 0; i < 4; ++i) {
    Json ways = Json::object();
    for (int k = 0; k < 4; ++k) {
      const std::string name = "p" + std::to_string(i) + std::to_string(k);
      ways["anyOf"].push_back(
          {{"properties", {{name, {{"const", k}}}}}, {"required", Json::array({name})}});
    }
    schema["allOf"].push_back(std::move(ways));
  }
  const auto grammar = standard_grammar(to_text(schema).c_str());
  ASSERT_TRUE(grammar) << grammar.message();
  EXPECT_TRUE(takes(*grammar.value(), R"({"p00":0,"p11":1,"p22":2,"p33":3})"));
  EXPECT_FALSE(takes(*grammar.value(), R"({"p00":0,"p11":1,"p22":2})"));
  EXPECT_FALSE(takes(*grammar.value(), R"({"p00":0,"p11":1,"p22":2,"p33":3,"q":1})"));
}

TEST(JsonScopes, NamesAreKnownBeforeItIsAskedWhatTheyDeny) {
  const auto grammar = standard_grammar(R"({"oneOf":[
      {"properties":{"c":{"const":0}},"required":["b"]},{"unevaluatedProperties":{"const":1}},
      {"properties":{"a":true}},{"required":["b"]}]})");
  ASSERT_TRUE(grammar) << grammar.message();
  EXPECT_TRUE(takes(*grammar.value(), R"({"c":2})"));
  EXPECT_FALSE(takes(*grammar.value(), R"({"c":1})"));
}

// In the question whether two exclude each other, too.
TEST(JsonScopes, SeveralBranchesEvaluateTogether) {
  const std::string open = R"({"type":"object","anyOf":[{"properties":{"a":true}},
      {"properties":{"b":true}}],"unevaluatedProperties":false})";
  const std::string both = R"({"type":"object","required":["a","b"]})";
  const auto one = standard_grammar((R"({"oneOf":[)" + open + "," + both + "]}").c_str());
  ASSERT_TRUE(one) << one.message();
  EXPECT_FALSE(takes(*one.value(), R"({"a":1,"b":1})"));
  EXPECT_TRUE(takes(*one.value(), R"({"a":1})"));
  std::string conditions;
  for (const char* name : {"w", "y", "z"}) {
    conditions += std::string(R"(,{"if":{"properties":{")") + name +
                  R"(":{"const":1}}},"then":{"required":["y"]}})";
  }
  const auto many =
      standard_grammar((R"({"type":"object","required":["x"],"properties":{"x":)" + open +
                        R"(},"allOf":[{"properties":{"x":)" + both + "}}" + conditions + "]}")
                           .c_str());
  ASSERT_TRUE(many) << many.message();
  EXPECT_TRUE(takes(*many.value(), R"({"x":{"a":1,"b":1},"y":2})"));
}

TEST(JsonScopes, BranchesThatDifferInOptionalPropertiesAreApart) {
  for (const int n : {5, 8, 20}) {
    Json schema;
    for (int i = 0; i < n; ++i) {
      const std::string k = std::to_string(i);
      Json branch = json_from(R"({"type":"object","required":["id"],
          "unevaluatedProperties":false,"properties":{"id":{"type":"string"}}})");
      branch["properties"]["x" + k] = {{"type", "string"}};
      branch["properties"]["y" + k] = {{"type", "integer"}};
      schema["oneOf"].push_back(std::move(branch));
    }
    const auto grammar = standard_grammar(to_text(schema).c_str());
    ASSERT_TRUE(grammar) << grammar.message();
    EXPECT_TRUE(grammar.value()->unenforced().empty()) << n;
    EXPECT_FALSE(takes(*grammar.value(), R"({"id":"a"})"));
    EXPECT_TRUE(takes(*grammar.value(), R"({"id":"a","x1":"b"})"));
    EXPECT_FALSE(takes(*grammar.value(), R"({"id":"a","x1":"b","y2":2})"));
  }
}

TEST(JsonScopes, WhatReferencesName) {
  expect_scopes({
      // Anchors belong to the resource that they stand in.
      {R"({"$id":"http://x/all","$ref":"child1#n","$defs":{"A":{"$id":"child1","allOf":[
           {"$id":"child2","$anchor":"n","type":"number"},{"$anchor":"n","type":"string"}]}}})",
       {R"("a")"},
       {"1"}},
      // The root's dynamic anchor comes before others of that name, wherever one is asked for.
      {R"({"$ref":"list","$defs":{"item":{"$dynamicAnchor":"T","type":"integer"},
           "list":{"$id":"list","type":"array","items":{"$dynamicRef":"#T"},
                   "$defs":{"any":{"$dynamicAnchor":"T"}}}}})",
       {"[1,2]"},
       {R"([1,"x"])"}},
      {R"({"$recursiveAnchor":true,"type":"object","properties":{"x":{"$ref":"inner"}},
           "additionalProperties":{"type":"null"},
           "$defs":{"i":{"$id":"inner","$recursiveAnchor":true,"properties":{"y":{"$recursiveRef":"#"}}}}})",
       {R"({"x":{"y":{"z":null}}})"},
       {R"({"x":{"y":{"z":1}}})"}},
      // Addresses are seen from where they stand, as RFC 3986 has it.
      {R"({"$id":"http://x/a/all.json","type":"array","items":{"$ref":"../b/./s.json"},
           "$defs":{"s":{"$id":"/b/c/../s.json","type":"string"}}})",
       {R"(["a"])"},
       {"[1]"}},
      {R"({"$id":"http://x/all.json?v=1","$ref":"?v=2#/a",
           "$defs":{"v":{"$id":"./all.json?v=2","a":{"type":"string"}}}})",
       {R"("a")"},
       {"1"}},
      {R"({"$ref":"./s.json","$defs":{"s":{"$id":"s.json","type":"string"}}})", {R"("a")"}, {"1"}},
      // Other keywords beside "$ref" count in all drafts.
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a",
           "maxLength":3,"definitions":{"a":{"type":"string","minLength":2}}})",
       {R"("ab")", R"("abc")"},
       {R"("a")", R"("abcd")"}},
      // "$id" beside "$ref" counts from draft 2019-09 on.
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://x/a/","definitions":{
           "s":{"$id":"http://x/s.json","type":"string"},"n":{"$id":"s.json","type":"number"}},
           "allOf":[{"$id":"http://x/","$ref":"s.json"}]})",
       {"1"},
       {R"("a")"}},
      {R"({"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"http://x/a/","definitions":{
           "s":{"$id":"http://x/s.json","type":"string"},"n":{"$id":"s.json","type":"number"}},
           "allOf":[{"$id":"http://x/","$ref":"s.json"}]})",
       {R"("a")"},
       {"1"}},
  });
}

TEST(JsonScopes, ReferencesOfWhichTheTargetIsNotCertainAreRefused) {
  const auto failure = [](const char* schema) { return standard_grammar(schema).message(); };
  EXPECT_THAT(
      failure(R"({"$id":"http://x/a/","definitions":{"s":{"$id":"http://x/s.json","type":"string"},
                  "n":{"$id":"s.json","type":"number"}},"allOf":[{"$id":"http://x/","$ref":"s.json"}]})"),
      testing::StartsWith("format.allOf[0].$ref: what it names depends on whether the \"$id\""));
  EXPECT_THAT(
      failure(R"({"if":{"type":"array"},"then":{"$ref":"n"},"else":{"$ref":"s"},"$defs":{
           "g":{"$id":"g","$dynamicRef":"#T","$defs":{"any":{"$dynamicAnchor":"T"}}},
           "n":{"$id":"n","$ref":"g","$defs":{"t":{"$dynamicAnchor":"T","type":"array"}}},
           "s":{"$id":"s","$ref":"g","$defs":{"t":{"$dynamicAnchor":"T","type":"string"}}}}})"),
      testing::StartsWith("format.$defs.g.$dynamicRef: what it names depends on the way to it"));
  EXPECT_THAT(failure(R"({"$defs":{"a":{"$id":"a","x":{"$anchor":"n","type":"string"}},
                                   "b":{"$id":"b","x":{"$anchor":"n","type":"number"}}},"$ref":"#n"})"),
              testing::StartsWith("format.$ref: there is no \"#n\""));
}

}  // namespace
}  // namespace pleiad::constrain
