// Items that are counted, and values that differ from one in some part.
#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/schema_check.h"

namespace pleiad::constrain {
namespace {

/// As requests read schemas; what cannot be enforced is a Failure.
std::shared_ptr<Grammar> items_grammar(const char* schema) {
  auto grammar = make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once);
  if (!grammar) throw std::runtime_error(schema + grammar.message());
  return std::move(grammar).value();
}

struct ItemsCase {
  const char* schema;
  std::vector<const char*> valid;
  std::vector<const char*> invalid;
};

/// What is written at random is valid too.
void expect_items(const std::vector<ItemsCase>& cases) {
  for (const auto& [schema, valid, invalid] : cases) {
    SCOPED_TRACE(schema);
    const auto grammar = items_grammar(schema);
    const Json document = json_from(schema);
    const SchemaCheck check(document);
    EXPECT_TRUE(grammar->unenforced().empty());
    for (const char* text : valid) {
      EXPECT_TRUE(takes(*grammar, text)) << text;
      EXPECT_TRUE(check.valid(json_from(text))) << text;
    }
    for (const char* text : invalid) {
      EXPECT_FALSE(takes(*grammar, text)) << text;
      EXPECT_FALSE(check.valid(json_from(text))) << text;
    }
    std::mt19937 random(3);
    int finished = 0;
    for (int round = 0; round < 40; ++round) {
      const auto reply = random_reply(*grammar, random, round < 8);
      if (testing::Test::HasFatalFailure()) return;
      if (!reply) continue;
      ++finished;
      EXPECT_TRUE(check.valid(json_from(text_of(*reply)))) << text_of(*reply);
    }
    EXPECT_GT(finished, 5);
  }
}

TEST(JsonItems, SoManyThatContainsFinds) {
  expect_items({
      {R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":9},
           "contains":{"minimum":5},"minContains":2,"maxContains":3})",
       {"[5,5]", "[1,5,1,6,7,1]", "[9,1,1,9]"},
       {"[]", "[5]", "[1,5,1]", "[5,5,5,5]", "[5,6,1,7,8]"}},
      {R"({"type":"array","items":{"enum":[1,2,3]},"contains":{"const":1},"maxContains":1})",
       {"[1]", "[2,1,3]", "[3,3,3,1]"},
       {"[]", "[2,3]", "[1,1]", "[1,2,1]"}},
      {R"({"type":"array","items":{"enum":[1,2]},"contains":{"const":1},"minContains":0,"maxContains":1})",
       {"[]", "[2,2]", "[2,1]"},
       {"[1,1]", "[1,2,1]"}},
      // With bounds on all items.
      {R"({"type":"array","items":{"enum":[1,2]},"contains":{"const":1},"minContains":2,"maxItems":3})",
       {"[1,1]", "[2,1,1]", "[1,2,1]", "[1,1,1]"},
       {"[1,2]", "[1,2,2]", "[1,1,1,1]", "[2,2,1,1]"}},
      {R"({"type":"array","items":{"enum":[1,2]},"contains":{"const":1},"maxContains":1,"minItems":4})",
       {"[1,2,2,2]", "[2,2,2,2,1,2]"},
       {"[1,2,2]", "[2,2,2,2]", "[1,2,2,1]"}},
      {R"({"type":"array","items":{"enum":[1,2]},"contains":{"const":1},"minContains":2,"minItems":5})",
       {"[1,1,2,2,2]", "[2,2,2,2,2,1,1]"},
       {"[1,1]", "[1,2,2,2,2]"}},
      {R"({"type":"array","items":{"enum":[1,2]},"contains":{"const":1},"maxItems":1000})",
       {"[1]", "[2,2,1,2]"},
       {"[]", "[2,2]"}},
      // Where every item is one of them.
      {R"({"type":"array","items":{"type":"boolean"},"contains":true,"minContains":2,"maxContains":3})",
       {"[true,true]", "[true,false,true]"},
       {"[true]", "[true,true,true,true]"}},
      // Behind items with schemas of their own.
      {R"({"type":"array","prefixItems":[{"type":"null"},{"enum":[1,2]}],"items":{"enum":[1,3]},
           "contains":{"const":1},"minContains":2,"maxContains":2})",
       {"[null,1,1]", "[null,2,1,3,1]"},
       {"[null,1]", "[null,2,1]", "[null,1,1,1]"}},
  });
}

// Numbers are meant where nothing but bounds is said, and nothing is within these: all items are
// what is wanted, however few of them suffice.
TEST(JsonItems, WhatIsWantedComesAgainWhereNothingElseMay) {
  expect_items({
      {R"({"type":"array","minItems":3,"items":{"minimum":9,"maximum":-0.5},
           "contains":{"type":"null"}})",
       {"[null,null,null]", "[null,null,null,null]"},
       {"[null]", "[null,null]", "[]", "[null,null,1]"}},
      {R"({"type":"array","minItems":2,"items":{"minimum":9},"contains":{"type":"null"}})",
       {"[null,null]", "[9,null]", "[null,10]"},
       {"[null]", "[9,9]", "[null,8]"}},
      {R"({"type":"array","minItems":3,"prefixItems":[{"maximum":-0.5,"minimum":9}],
           "items":{"minimum":9,"maximum":-0.5},"contains":{"type":["null","boolean"]}})",
       {"[null,true,null]"},
       {"[null,true]", "[1,true,true]"}},
  });
}

TEST(JsonItems, SeveralKindsAtATime) {
  expect_items({
      {R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":20},
           "allOf":[{"contains":{"multipleOf":2}},{"contains":{"multipleOf":3}}]})",
       {"[6]", "[2,3]", "[1,3,5,2]"},
       {"[]", "[2]", "[3,9]", "[1,5]"}},
      {R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":20},
           "allOf":[{"contains":{"multipleOf":2},"maxContains":2},
                    {"contains":{"multipleOf":3},"minContains":2}]})",
       {"[6,12]", "[2,3,9]", "[6,3,9,5,2]"},
       {"[6]", "[6,12,0]", "[2,4,3,3,8]", "[3,9]"}},
      // The same one twice.
      {R"({"type":"array","items":{"enum":[1,2]},"$defs":{"one":{"const":1}},
           "allOf":[{"contains":{"$ref":"#/$defs/one"},"minContains":2},
                    {"contains":{"$ref":"#/$defs/one"},"maxContains":3}]})",
       {"[1,1]", "[1,2,1,1]"},
       {"[1]", "[1,1,1,1]"}},
      {R"({"oneOf":[{"type":"array","items":{"type":"integer"}},
                    {"type":"array","items":{"type":"array","items":{"type":"integer"}},"minItems":1},
                    {"type":"array","items":{"type":"boolean"},"minItems":1}]})",
       {"[]", "[1,2]", "[[1],[]]", "[true]"},
       {"[1,true]", "[[1],true]"}},
  });
}

TEST(JsonItems, WhatMustNotBeFound) {
  expect_items({
      {R"({"type":"array","items":{"enum":[1,2]},
           "not":{"contains":{"const":1},"minContains":2,"maxContains":3}})",
       {"[]", "[1]", "[2,1]", "[1,1,1,1]"},
       {"[1,1]", "[1,2,1,1]"}},
      {R"({"type":"array","items":{"enum":[1,2,3]},"not":{"prefixItems":[{"const":1},{"const":2}]}})",
       {"[2]", "[1,1]", "[3,2]", "[1,3,3]"},
       {"[]", "[1]", "[1,2]", "[1,2,3]"}},
      {R"({"type":"array","maxItems":4,"items":{"enum":[1,2]},
           "not":{"prefixItems":[true],"items":{"const":1}}})",
       {"[1,2]", "[2,1,2]"},
       {"[]", "[2]", "[2,1,1]"}},
      {R"({"type":"array","items":{"enum":[1,2]},
           "not":{"items":[true,true],"additionalItems":{"const":1}}})",
       {"[1,1,2]", "[1,1,1,2]"},
       {"[]", "[2,2]", "[2,2,1]"}},
      {R"({"not":{"type":["array","boolean","integer","number","null","object"]}})",
       {R"("x")"},
       {"1"}},
  });
}

TEST(JsonItems, ObjectsAndListsThatMustNotBe) {
  expect_items({
      {R"({"type":"array","items":{"enum":["a","b"]},"not":{"enum":[["a"],["a","b"]]}})",
       {"[]", R"(["b"])", R"(["b","b"])", R"(["a","b","a"])"},
       {R"(["a"])", R"(["a","b"])"}},
      {R"({"type":"array","items":{"enum":["a","b"]},"not":{"const":[]}})", {R"(["a"])"}, {"[]"}},
      {R"({"type":"object","properties":{"a":{"enum":[1,2]},"b":{"enum":[1,2]}},
           "not":{"const":{"a":1}}})",
       {"{}", R"({"a":2})", R"({"b":1})", R"({"a":1,"b":1})"},
       {R"({"a":1})"}},
      {R"({"type":"object","properties":{"a":{"type":"array","items":{"enum":[1,2]}}},
           "additionalProperties":{"type":"null"},"not":{"enum":[{"a":[1]},{},3]}})",
       {R"({"a":[]})", R"({"a":[2]})", R"({"a":[1],"x":null})", R"({"x":null})"},
       {"{}", R"({"a":[1]})"}},
      {R"({"enum":[{"a":1},[1],2],"not":{"const":{"a":1}}})", {"[1]", "2"}, {R"({"a":1})"}},
  });
}

TEST(JsonItems, WhereAListWithinAForbiddenOneStands) {
  const auto failure = [](const Json& schema) {
    return make_json_grammar(test_vocabulary().trie, schema, Start::at_once).message();
  };
  Json large = Json::array();
  for (int i = 0; i < 65; ++i) large.push_back(i);
  const auto denied = [](const char* keyword, const Json& rule) {
    return Json{{"properties", {{"p", {{"not", {{keyword, rule}}}}}}}};
  };
  EXPECT_THAT(failure(denied("const", Json::array({large}))),
              testing::StartsWith("format.properties.p.not.const: "));
  EXPECT_THAT(failure(denied("enum", Json::array({Json::array({Json::array({large})})}))),
              testing::StartsWith("format.properties.p.not.enum: "));
}

// A date with the year 0 is one to others.
TEST(JsonItems, FormatsThatMustNotBe) {
  const auto date = items_grammar(R"({"type":"string","not":{"format":"date"}})");
  for (const char* text : {R"("")", R"("2024-02-1")", R"("on 2024-02-01")"}) {
    EXPECT_TRUE(takes(*date, text)) << text;
  }
  for (const char* text : {R"("2024-02-01")", R"("0000-01-01")"}) {
    EXPECT_FALSE(takes(*date, text)) << text;
  }
  const auto address = items_grammar(
      R"({"oneOf":[{"type":"string","format":"ipv4"},{"type":"string","maxLength":9}]})");
  for (const char* text : {R"("1.2.3.4")", R"("1.2.3")", R"("100.100.100.100")"}) {
    EXPECT_EQ(takes(*address, text), std::string_view(text) != R"("1.2.3.4")") << text;
  }
}

TEST(JsonItems, WhatIsFoundIsEvaluated) {
  const auto grammar = items_grammar(
      R"({"type":"array","prefixItems":[{"type":"string"}],"contains":{"type":"integer","maximum":9},
          "unevaluatedItems":{"type":"null"}})");
  for (const char* text : {"[\"x\",1]", "[\"x\",null,3,4,null]"}) {
    EXPECT_TRUE(takes(*grammar, text)) << text;
  }
  for (const char* text : {"[\"x\"]", "[\"x\",null]", "[\"x\",1,true]", "[\"x\",1,10]"}) {
    EXPECT_FALSE(takes(*grammar, text)) << text;
  }
}

// Drafts up to 7 know no bounds of "contains".
TEST(JsonItems, BoundsThatTheDraftDoesNotKnow) {
  for (const char* rest : {R"("items":{"enum":[1,2]}})", R"("enum":[[],[1],[1,1],[2]]})"}) {
    const std::string schema =
        R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"array",
            "contains":{"const":1},"minContains":0,"maxContains":1,)" +
        std::string(rest);
    const auto grammar = items_grammar(schema.c_str());
    for (const char* text : {"[1]", "[1,1]"}) EXPECT_TRUE(takes(*grammar, text)) << text;
    for (const char* text : {"[]", "[2]"}) EXPECT_FALSE(takes(*grammar, text)) << text;
  }
}

TEST(JsonItems, TooManyToBeCountedAreTold) {
  const auto failure = [](const char* schema) {
    return make_json_grammar(test_vocabulary().trie, json_from(schema), Start::at_once).message();
  };
  EXPECT_EQ(failure(R"({"type":"array","contains":{"const":1},"maxContains":100000})"),
            "format.contains: to count so many items takes too many states");
  EXPECT_EQ(failure(R"({"type":"array","not":{"anyOf":[
             {"contains":{"const":1},"minContains":0,"maxContains":4294967294},
             {"contains":{"const":2},"minContains":0,"maxContains":4294967294}]}})"),
            "format.not.anyOf[0].contains: to count so many items takes too many states");
  EXPECT_EQ(failure(R"({"type":"array","allOf":[{"contains":{"const":1}},{"contains":{"const":2}},
             {"contains":{"const":3}},{"contains":{"const":4}},{"contains":{"const":5}},
             {"contains":{"const":6}},{"contains":{"const":7}}]})"),
            "format.allOf[0].contains: more than six kinds of items cannot be counted");
}

}  // namespace
}  // namespace pleiad::constrain
