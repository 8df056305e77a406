// "uniqueItems".
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/schema_check.h"
#include "constrain/tokens/word_tokenizer_test_data.h"
#include "text/reply_parser.h"

namespace pleiad::constrain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Result<std::shared_ptr<Grammar>> made(const Json& schema) {
  return make_json_grammar(test_vocabulary().trie, schema, Start::at_once);
}

std::shared_ptr<Grammar> distinct_grammar(const char* schema) {
  auto grammar = made(json_from(schema));
  if (!grammar) throw std::runtime_error(grammar.message());
  EXPECT_TRUE(grammar.value()->unenforced().empty());
  return std::move(grammar).value();
}

struct Verdicts {
  const char* schema;
  std::vector<const char*> taken, refused;
};

void expect_taken(const Verdicts& of) {
  SCOPED_TRACE(of.schema);
  const auto grammar = distinct_grammar(of.schema);
  for (const char* text : of.taken) EXPECT_TRUE(takes(*grammar, text)) << text;
  for (const char* text : of.refused) EXPECT_FALSE(takes(*grammar, text)) << text;
}

TEST(DistinctItems, Strings) {
  expect_taken(
      {.schema = R"({"type":"array","items":{"type":"string"},"uniqueItems":true})",
       .taken = {"[]", R"(["a"])", R"(["a","b","c"])", R"(["","a"])", R"(["a","aa"])",
                 R"(["aa","a","aaa"])", R"([ "a", "b" ])", R"(["a,","a"])",
                 "[\n  \"a\",\n  \"b\"\n]", R"(["\n","n","\\n"])", R"(["A","a"])",
                 "[\"\xC3\xA9\",\"\xC3\xA8\"]"},
       .refused = {R"(["a","a"])", R"(["a","b","a"])", R"(["a","b","b"])", R"(["",""])",
                   R"(["a", "a"])", R"(["a","\u0061"])", R"(["\n","\u000a"])", R"(["\/","/"])",
                   "[\"\xC3\xA9\",\"\xC3\xA9\"]", "[\"\xC3\xA9\",\"\\u00e9\"]", R"(["a",])"}});
}

TEST(DistinctItems, Numbers) {
  expect_taken({.schema = R"({"type":"array","items":{"type":"number"},"uniqueItems":true})",
                .taken = {"[1,2]", "[1,11,111]", "[1,-1]", "[0,0.5,5]", "[1.5,1.25]", "[10,1]"},
                .refused = {"[1,1]", "[1,1.0]", "[1.0,1]", "[1.5,1.50]", "[1e1,10]", "[10,1e1]",
                            "[0,-0]", "[0,-0.0]", "[1,2,1]", "[0.5,0.5]", "[1,]"}});
  expect_taken({.schema = R"({"type":"array","items":{"type":"integer","minimum":1,"maximum":3},
                                 "uniqueItems":true})",
                .taken = {"[1,2,3]", "[3,1]", "[ 2 ]"},
                .refused = {"[1,1]", "[1,2,3,", "[1,2,3,4]", "[1,2,3,1]"}});
}

TEST(DistinctItems, ListedValues) {
  expect_taken(
      {.schema =
           R"({"type":"array","items":{"enum":["a","ab",1,1.0,null,true]},"uniqueItems":true})",
       .taken = {R"(["a","ab",1,null,true])", R"(["ab","a"])", "[]"},
       .refused = {R"(["a","a"])", "[1,1]", "[1,1.0]", "[null,null]",
                   R"(["a","ab",1,null,true,)"}});
  expect_taken({.schema = R"({"type":"array","items":{"type":"boolean"},"uniqueItems":true,
                                 "minItems":2})",
                .taken = {"[true,false]", "[false,true]"},
                .refused = {"[true]", "[true,true]", "[true,false,", "[]"}});
  expect_taken({.schema = R"({"type":"array","items":{"anyOf":[{"const":1.5},{"type":"number"},
                                 {"const":"a"},{"type":"string"}]},"uniqueItems":true})",
                .taken = {R"([1.5,"a",1,"1.5"])"},
                .refused = {"[1.5,1.5]", R"(["a","a"])"}});
}

TEST(DistinctItems, Counts) {
  expect_taken({.schema = R"({"type":"array","items":{"type":"string"},"uniqueItems":true,
                                 "minItems":2,"maxItems":3})",
                .taken = {R"(["a","b"])", R"(["a","b","c"])"},
                .refused = {R"(["a"])", R"(["a","a"])", R"(["a","b","c","d"])"}});
  expect_taken({.schema = R"({"type":"array","items":{"type":"string"},"uniqueItems":true,
                                 "maxItems":1})",
                .taken = {R"(["a"])", "[\"\\u0061\"]"},
                .refused = {R"(["a","b"])"}});
}

// What an earlier item goes on with is not begun where nothing else is left behind it.
TEST(DistinctItems, TextsThatRunOut) {
  expect_taken(
      {.schema = R"({"type":"array","items":{"type":"string","pattern":"^(x|yy?)$"},
                                 "uniqueItems":true})",
       .taken = {R"(["x","y","yy"])", R"(["yy","y","x"])"},
       .refused = {R"(["x","x)", R"(["x","y","yy",)", R"(["y","yy","y)", R"(["yy","y","yy)"}});
  expect_taken({.schema = R"({"type":"array","items":{"type":"string","maxLength":0},
                                 "uniqueItems":true})",
                .taken = {R"([""])", "[]"},
                .refused = {R"(["",)", R"(["" ,)"}});
}

TEST(DistinctItems, Objects) {
  expect_taken(
      {.schema = R"({"type":"array","uniqueItems":true,"items":{"type":"object","properties":{
                     "id":{"type":"integer"},"tag":{"type":"string"}},"required":["id"]}})",
       .taken = {R"([{"id":1},{"id":2}])", R"([{"id":1},{"id":1,"tag":"a"},{"id":1,"tag":"b"}])",
                 R"([ {"id":1}, {"id":11} ])", R"([{"id": 1}, { "id": 11, "tag": "a" }])",
                 "[\n  {\n    \"id\": 1\n  },\n  {\n    \"id\": 2\n  }\n]"},
       .refused = {R"([{"id":1},{"id":1}])", R"([{"id":1,"tag":"a"},{"id":1,"tag":"a"}])",
                   R"([{"id":1}, {"id": 1}])", R"([{"id": 1},{ "id":1}])",
                   "[{\"id\":1},{\n  \"id\": 1\n}]",
                   R"([{"id":1,"tag":"a"},{"tag":"a","id":1}])"}});
  expect_taken(
      {.schema = R"({"type":"array","uniqueItems":true,"items":{"type":"object","properties":{
                     "a":{"type":"boolean"}},"required":["a"]}})",
       .taken = {R"([{"a":true},{"a":false}])"},
       .refused = {R"([{"a":true},{"a":t)", R"([{"a":true},{"a":false},)"}});
}

// Branches that list the same properties in another order write them in one.
TEST(DistinctItems, ObjectsOfSeveralBranches) {
  expect_taken(
      {.schema = R"({"type":"array","uniqueItems":true,"items":{"anyOf":[
          {"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"integer"}},
           "required":["a","b"]},
          {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},
           "c":{"type":"integer"}},"required":["a"]}]}})",
       .taken = {R"([{"a":1,"b":2},{"a":2,"b":1}])"},
       .refused = {R"([{"a":1,"b":2},{"a":1,"b":2}])", R"([{"b":2,"a":1},{"a":1,"b":2}])"}});
  expect_taken({.schema = R"({"type":"array","uniqueItems":true,"items":{"anyOf":[
          {"type":"array","items":{"type":"object","properties":{"b":{"type":"integer"},
           "a":{"type":"integer"}}}},
          {"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"},
           "b":{"type":"integer"},"c":{"type":"integer"}}}}]}})",
                .taken = {R"([[{"a":1,"b":2}],[{"a":2,"b":1}]])"},
                .refused = {R"([[{"b":2,"a":1}],[{"a":1,"b":2}]])"}});
}

TEST(DistinctItems, ArraysOfArrays) {
  expect_taken({.schema = R"({"type":"array","items":{"type":"array","items":{"type":"string"},
                                 "uniqueItems":true}})",
                .taken = {R"([["a"],["a"]])", R"([["a","b"],["b","a"],["a","b"]])"},
                .refused = {R"([["a","a"]])", R"([["a"],["b","c","b"]])"}});
  expect_taken({.schema = R"({"type":"array","uniqueItems":true,"items":{"type":"array",
                                 "items":{"type":"integer"}}})",
                .taken = {"[[1],[1,1],[]]", "[[1,2],[2,1]]"},
                .refused = {"[[1],[1]]", "[[],[]]", "[[1,1],[1, 1]]", "[[1,1],[1,1]]", "[[],[ ]]",
                            "[[1,\n1],[ 1, 1 ]]"}});
  expect_taken(
      {.schema = R"({"type":"array","uniqueItems":true,"items":{"type":"array",
                                 "uniqueItems":true,"items":{"type":"boolean"}}})",
       .taken = {"[[true],[false],[true,false],[false,true],[]]",
                 "[ [ true ], [ false ], [ true, false ], [ ] ]"},
       .refused = {"[[true],[true]]", "[[true,true]]",
                   "[[true],[false],[true,false],[false,true],[],", "[[true],[false,true, ",
                   "[[],[ true,false ],[true, true]]", "[[true,false],[true,false]]"}});
  expect_taken({.schema = R"({"type":"object","properties":{"a":{"$ref":"#/$defs/s"},
                                 "b":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"array",
                                 "items":{"enum":["x","y"]},"uniqueItems":true}}})",
                .taken = {R"({"a":["x"],"b":["x","y"]})"},
                .refused = {R"({"a":["x"],"b":["x","x"]})"}});
}

TEST(DistinctItems, ValuesWithinThemselves) {
  expect_taken(
      {.schema = R"({"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{
                     "name":{"type":"string"},"children":{"type":"array","uniqueItems":true,
                     "items":{"$ref":"#/$defs/node"}}},"required":["name"]}}})",
       .taken = {R"({"name":"r","children":[{"name":"a"},{"name":"b","children":[{"name":"a"}]}]})",
                 R"({"name":"r","children":[{"name":"a"},{"name":"a","children":[]}]})"},
       .refused = {
           R"({"name":"r","children":[{"name":"a"},{"name":"a"}]})",
           R"({"name":"r","children":[{"name":"a","children":[{"name":"x"},{"name":"x"}]}]})"}});
}

TEST(DistinctItems, TooFewValuesAreNoValue) {
  const auto message = [](const char* schema) { return made(json_from(schema)).message(); };
  for (const char* schema :
       {R"({"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":3})",
        R"({"type":"array","items":{"enum":[1,1.0,2]},"uniqueItems":true,"minItems":3})",
        R"({"type":"array","items":{"type":"string","pattern":"^[ab]$"},"uniqueItems":true,
            "minItems":3})",
        R"({"type":"array","items":{"type":"array","items":{"type":"null"},"maxItems":1},
            "uniqueItems":true,"minItems":3})"}) {
    EXPECT_THAT(message(schema), StartsWith("format: no value can satisfy it")) << schema;
  }
  for (const char* schema :
       {R"({"type":"array","items":{"type":"integer","minimum":1,"maximum":9},"uniqueItems":true,
            "minItems":9})",
        R"({"type":"array","items":{"type":"string"},"uniqueItems":true,"minItems":1000})",
        R"({"type":"array","items":{"type":"string","minLength":300},"uniqueItems":true,
            "minItems":200})"}) {
    EXPECT_TRUE(made(json_from(schema)).ok()) << schema;
  }
  const auto other = distinct_grammar(
      R"({"anyOf":[{"type":"array","items":{"type":"null"},"uniqueItems":true,"minItems":2},
                   {"type":"array","items":{"type":"null"},"uniqueItems":true}]})");
  EXPECT_TRUE(takes(*other, "[null]"));
  EXPECT_FALSE(takes(*other, "[null,"));
}

// Behind two letters all texts are alike for a long time, and a hundredth of the steps is this
// one's.
TEST(DistinctItems, WhatIsNotCountedIsRefusedWithThatReason) {
  Json schema = json_from(R"({"type":"object","required":["dear"],"properties":{"dear":{
      "type":"array","items":{"anyOf":[{"type":"string","pattern":"^[a-z]{2}(x{100}){4}[a-z]$"},
      {"type":"string","pattern":"^[a-z]{2}(x{100}){4}[0-9]$"}]},"uniqueItems":true,
      "minItems":1000}}})");
  EXPECT_TRUE(made(schema));
  for (int i = 0; i < 99; ++i) {
    schema["properties"][fmt::format("cheap{}", i)] =
        json_from(R"({"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":2})");
  }
  const auto alone = made(schema);
  ASSERT_FALSE(alone);
  EXPECT_THAT(
      alone.message(),
      StartsWith(
          "format.properties.dear: no value can satisfy it (or an array whose items differ has"));
  const Json tools = json_from(fmt::format(
      R"([{{"type":"function","function":{{"name":"f","parameters":{}}}}}])", schema.dump()));
  const auto calls = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
  ASSERT_TRUE(calls) << calls.message();
  ASSERT_EQ(calls.value()->unenforced().size(), 1U);
  EXPECT_THAT(calls.value()->unenforced()[0], HasSubstr("too many steps to count"));
}

TEST(DistinctItems, WhatIsNotHeldIsNamed) {
  const auto message = [](const char* schema) { return made(json_from(schema)).message(); };
  EXPECT_THAT(
      message(R"({"type":"array","uniqueItems":true})"),
      StartsWith("format.uniqueItems: it cannot be enforced where items can have any value"));
  EXPECT_THAT(
      message(R"({"type":"array","uniqueItems":true,"items":{"type":"object"}})"),
      StartsWith("format.uniqueItems: it cannot be enforced where items can have any value"));
  EXPECT_THAT(
      message(R"({"type":"array","uniqueItems":true,"items":{"type":"object",
                          "properties":{"a":{}}}})"),
      StartsWith("format.uniqueItems: it cannot be enforced where items can have any value"));
  EXPECT_THAT(message(R"({"type":"array","uniqueItems":true,"items":{"enum":[[1],[2]]}})"),
              StartsWith("format.uniqueItems: it cannot be enforced where items"));
  EXPECT_THAT(message(R"({"type":"array","uniqueItems":true,"items":{"enum":[1e-7,2]}})"),
              StartsWith("format.uniqueItems: it cannot be enforced where items"));
  EXPECT_THAT(message(R"({"type":"array","uniqueItems":true,"items":{"type":"string"},
                          "contains":{"const":"a"}})"),
              StartsWith("format.uniqueItems: it cannot be enforced beside \"contains\""));
  EXPECT_THAT(message(R"({"type":"array","uniqueItems":true,"prefixItems":[{"type":"string"}]})"),
              StartsWith("format.uniqueItems: it cannot be enforced where items have schemas"));
  EXPECT_THAT(message(R"({"type":"array","uniqueItems":true,"items":{"type":"string"},
                          "minItems":1001})"),
              StartsWith("format.uniqueItems: it cannot be enforced beside such a large"));
  EXPECT_THAT(
      message(R"({"type":"array","uniqueItems":true,"minItems":2,"items":{"anyOf":[
                          {"type":"null"},{"$ref":"#"}]}})"),
      StartsWith("format.uniqueItems: it cannot be enforced beside \"minItems\" in arrays"));
}

// What is not held leaves the rest as it is, white space too.
TEST(DistinctItems, WhereItMayBeLeftOutTheRestHolds) {
  SchemaPolicy policy;
  policy.refuse_unenforced = false;
  const auto grammar = make_json_grammar(
      test_vocabulary().trie,
      json_from(R"({"type":"array","uniqueItems":true,"items":{"type":"object","properties":{
                    "a":{"type":"integer"}},"additionalProperties":{"type":"string"}}})"),
      Start::at_once, policy);
  ASSERT_TRUE(grammar.ok());
  ASSERT_EQ(grammar.value()->unenforced().size(), 1U);
  EXPECT_TRUE(takes(*grammar.value(), R"([{"a":1},{"a":1}])"));
  EXPECT_TRUE(takes(*grammar.value(), R"([{"a":1,"b":"x"},{"a":1,"b":"x"}])"));
  EXPECT_FALSE(takes(*grammar.value(), R"([{"a":"x"}])"));
}

bool all_differ(const Json& value) {
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (nlohmann::json(value[i]) == nlohmann::json(value[k])) return false;
      }
    }
  }
  return !value.is_structured() || std::ranges::all_of(value, all_differ);
}

/// Of which all arrays have "uniqueItems", and few values, so that equal ones would come.
const std::vector<const char*>& narrow_schemas() {
  static const std::vector<const char*> all = {
      R"({"type":"array","items":{"enum":["a","ab","b","a,b"]},"uniqueItems":true,"minItems":2})",
      R"({"type":"array","items":{"type":"integer","minimum":-1,"maximum":12},"uniqueItems":true,
          "minItems":9})",
      R"({"type":"array","items":{"type":"number","multipleOf":0.5,"minimum":0,"maximum":2},
          "uniqueItems":true,"minItems":4})",
      R"({"type":"array","items":{"type":"string","pattern":"^[ab]{0,2}$"},"uniqueItems":true,
          "minItems":5})",
      R"({"type":"array","items":{"type":"string","maxLength":1},"uniqueItems":true,"minItems":4})",
      R"({"type":"array","items":{"type":["boolean","null"]},"uniqueItems":true,"minItems":2})",
      R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"boolean"},
          "b":{"enum":[1,12]}}},"uniqueItems":true,"minItems":6})",
      R"({"type":"array","items":{"type":"array","items":{"type":"boolean"},"uniqueItems":true},
          "uniqueItems":true,"minItems":3})",
      R"({"type":"array","items":{"type":"array","items":{"enum":[1,2,12]},"uniqueItems":true,
          "minItems":1,"maxItems":2},"uniqueItems":true,"minItems":4})",
      R"({"type":"object","properties":{"x":{"type":"array","items":{"enum":["a","b"]},
          "uniqueItems":true},"y":{"type":"array","items":{"enum":[1,2,3,12,123]},
          "uniqueItems":true,"minItems":3}},"required":["x","y"]})",
      R"({"type":"array","items":{"type":"string","pattern":"^(ab?|c*|[xy])$"},
          "uniqueItems":true,"minItems":6})",
      R"({"type":"array","items":{"anyOf":[{"enum":["a",1]},{"type":"string","pattern":"^b*$"}]},
          "uniqueItems":true,"minItems":4})",
      R"({"anyOf":[{"type":"array","items":{"type":"integer","minimum":0,"maximum":3},
          "uniqueItems":true,"minItems":2},{"type":"array","items":{"enum":[1,2,"a"]},
          "uniqueItems":true,"minItems":2}]})",
  };
  return all;
}

// At each place the mask is what trying each token says, some token may come, and what was written
// is valid in the end.
TEST(DistinctItems, RandomRepliesAreValid) {
  std::mt19937 random(29);
  for (const char* text : narrow_schemas()) {
    SCOPED_TRACE(text);
    const Json schema = json_from(text);
    const SchemaCheck check(schema);
    const auto grammar = distinct_grammar(text);
    int n_whole = 0;
    for (int i = 0; i < 40; ++i) {
      const auto reply = random_reply(*grammar, random, i < 8);
      if (HasFatalFailure()) return;
      if (!reply) continue;
      ++n_whole;
      const Json value = json_from(text_of(*reply));
      EXPECT_TRUE(check.valid(value) && all_differ(value)) << text_of(*reply);
    }
    EXPECT_GE(n_whole, 20);
  }
}

// Lists of different values in any order are taken, and no longer ones.
TEST(DistinctItems, AllOrdersAreTaken) {
  std::mt19937 random(7);
  const std::vector<std::pair<const char*, std::vector<std::string>>> all = {
      {narrow_schemas()[3], {"\"\"", "\"a\"", "\"b\"", "\"aa\"", "\"ab\"", "\"ba\"", "\"bb\""}},
      {narrow_schemas()[2], {"0", "0.5", "1", "1.5", "2"}},
      {narrow_schemas()[6],
       {"{}", R"({"a":true})", R"({"a":false})", R"({"b":1})", R"({"b":12})", R"({"a":true,"b":1})",
        R"({"a":true,"b":12})", R"({"a":false,"b":1})", R"({"a":false,"b":12})"}},
      {narrow_schemas()[7], {"[]", "[true]", "[false]", "[true,false]", "[false,true]"}}};
  for (auto [schema, items] : all) {
    SCOPED_TRACE(schema);
    const auto grammar = distinct_grammar(schema);
    for (int i = 0; i < 50; ++i) {
      std::ranges::shuffle(items, random);
      std::string text = "[" + items[0];
      for (std::size_t k = 1; k < items.size(); ++k) text += "," + items[k];
      EXPECT_TRUE(takes(*grammar, text + "]")) << text;
      EXPECT_FALSE(takes(*grammar, text + ",")) << text;
      const std::string& again = items[random() % items.size()];
      EXPECT_FALSE(takes(*grammar, "[" + again + "," + again + "]")) << again;
    }
  }
}

TEST(DistinctItems, ManyOfThem) {
  const auto grammar =
      distinct_grammar(R"({"type":"array","items":{"type":"integer"},"uniqueItems":true})");
  const auto numbers = [](int n) {
    std::string text = "[0";
    for (int i = 1; i < n; ++i) text += "," + std::to_string(i * 7);
    return text;
  };
  EXPECT_FALSE(takes(*grammar, numbers(1000) + ",700]"));
  EXPECT_TRUE(takes(*grammar, numbers(1000) + ",701]"));
  EXPECT_TRUE(takes(*grammar, numbers(5000) + "]")) << "lists of those before are not all kept";
}

// A token may end an item, and be the next one.
TEST(DistinctItems, TokensOfSeveralItems) {
  const TestVocabulary& test = test_vocabulary();
  const auto token = [&](std::string_view piece) {
    return static_cast<text::TokenId>(std::ranges::find(test.pieces, piece) - test.pieces.begin());
  };
  const char* schema = R"({"type":"array","items":{"type":"integer"},"uniqueItems":true})";
  for (const bool is_prepared : {false, true}) {
    GrammarConstraint reply(distinct_grammar(schema));
    reply.accept(token("["));
    if (is_prepared) reply.prepare();
    EXPECT_TRUE(has(allowed_by(reply), token("1,2,3,")));
    reply.accept(token("3"));
    if (is_prepared) reply.prepare();
    EXPECT_TRUE(has(allowed_by(reply), token("1,2,3,"))) << "31 is another number";
    reply.accept(token(","));
    if (is_prepared) reply.prepare();
    EXPECT_FALSE(has(allowed_by(reply), token("1,2,3,")));
    EXPECT_TRUE(has(allowed_by(reply), token("3")));
    expect_exact(reply, allowed_by(reply));
  }
  GrammarConstraint whole(distinct_grammar(
      R"({"type":"array","items":{"type":"string","maxLength":1},"uniqueItems":true})"));
  for (const char* piece : {"[\"", "\",\""}) whole.accept(token(piece));
  EXPECT_FALSE(has(allowed_by(whole), token("\"")));
  EXPECT_FALSE(has(allowed_by(whole), token("\",\"")));
  whole.accept(token("a"));
  EXPECT_TRUE(has(allowed_by(whole), token("\",\"")));
  whole.accept(token("\",\""));
  EXPECT_FALSE(has(allowed_by(whole), token("a")));
  EXPECT_TRUE(has(allowed_by(whole), token("b")));
}

TEST(DistinctItems, AReplyThatIsBegun) {
  const auto grammar =
      distinct_grammar(R"({"type":"array","items":{"enum":["a","b"]},"uniqueItems":true})");
  GrammarConstraint reply(grammar);
  ASSERT_TRUE(reply.begin_with(R"(["b",)"));
  for (const char c : std::string("\"a\"]")) {
    const auto token = test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(c));
    EXPECT_TRUE(has(allowed_by(reply), token));
    reply.accept(token);
  }
  EXPECT_TRUE(reply.may_end());
  GrammarConstraint wrong(grammar);
  EXPECT_FALSE(wrong.begin_with(R"(["b","b)"));
}

// What is left where the others are used up comes by itself.
TEST(DistinctItems, TheLastValueIsForced) {
  const auto reply = words().json(
      R"({"type":"array","items":{"enum":["age","name"]},"uniqueItems":true,"minItems":2})");
  for (const char* piece : {"[", "\""}) words().accept(*reply, piece);
  EXPECT_THAT(words().forced(*reply), IsEmpty());
  for (const char* piece : {"na", "me", "\"", ",", "\""}) words().accept(*reply, piece);
  EXPECT_THAT(words().forced(*reply), ElementsAre("age", "\""));
}

TEST(DistinctItems, OfCalls) {
  const Json tools = json_from(R"([{"type":"function","function":{"name":"f","strict":true,
      "parameters":{"type":"object","properties":{"a":{"type":"array","uniqueItems":true,
      "items":{"type":"string"}},"n":{"type":"array","uniqueItems":true,"items":{
      "type":"object","properties":{"y":{"type":"integer"},"x":{"type":"integer"}}}}}}}}])");
  const TestVocabulary& test = test_vocabulary();
  for (const bool any_order : {false, true}) {
    const auto grammar =
        make_tool_grammar(test.trie, tools, {.any_order = any_order}, Start::at_once);
    ASSERT_TRUE(grammar.ok()) << grammar.message();
    const bool keeps_order = !grammar.value()->unenforced().empty();  // which is told
    EXPECT_EQ(keeps_order, any_order);
    const auto is_taken = [&](std::string_view arguments) {
      GrammarConstraint reply(grammar.value());
      std::string text = "<|tool_call>call:f" + std::string(arguments) + "<tool_call|>";
      while (!text.empty()) {
        text::TokenId token = test.vocabulary->byte_piece(static_cast<std::uint8_t>(text[0]));
        std::size_t n = 1;
        for (const text::Tag tag :
             {text::Tag::tool_call_open, text::Tag::tool_call_close, text::Tag::quote}) {
          if (!text.starts_with(text::tag_text(tag))) continue;
          token = test.tag(tag);
          n = text::tag_text(tag).size();
        }
        if (!has(allowed_by(reply), token)) return false;
        reply.accept(token);
        text.erase(0, n);
      }
      return reply.may_end();
    };
    EXPECT_TRUE(is_taken(R"({a:[<|"|>x<|"|>,<|"|>y<|"|>]})"));
    EXPECT_FALSE(is_taken(R"({a:[<|"|>x<|"|>,<|"|>x<|"|>]})"));
    EXPECT_EQ(is_taken("{n:[{x:1,y:2},{x:2,y:1}]}"), !any_order);
    EXPECT_EQ(is_taken("{n:[{y:1,x:2},{y:2,x:1}]}"), any_order) << "the schema's own";
    EXPECT_FALSE(is_taken("{n:[{x:1,y:2},{x:1,y:2}]}"));
    EXPECT_FALSE(is_taken("{n:[{y:2,x:1},{y:2,x:1}]}"));
    EXPECT_FALSE(is_taken("{n:[{x:1,y:2},{y:2,x:1}]}"));
  }
}

}  // namespace
}  // namespace pleiad::constrain
