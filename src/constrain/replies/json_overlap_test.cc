// Values of more than one branch of "oneOf".
#include <gmock/gmock.h>

#include <stdexcept>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"

namespace pleiad::constrain {
namespace {

std::shared_ptr<Grammar> overlap_grammar(const Json& format) {
  auto grammar = make_json_grammar(test_vocabulary().trie, format, Start::at_once);
  if (!grammar) throw std::runtime_error(grammar.message());
  return std::move(grammar).value();
}

Json variants(int n, bool are_open) {
  Json out = Json::array();
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    Json variant = {{"type", "object"}, {"required", Json::array({"a" + k})}};
    for (const char* name : {"a", "b", "c"}) variant["properties"][name + k] = {{"type", "string"}};
    if (are_open) variant["additionalProperties"] = true;
    out.push_back(std::move(variant));
  }
  return out;
}

// What a branch asks for and no other one lists keeps them apart.
TEST(JsonOverlap, OneOfManyObjectsWithoutADiscriminator) {
  for (const int n : {6, 60}) {
    const auto grammar = overlap_grammar({{"oneOf", variants(n, false)}});
    EXPECT_TRUE(grammar->unenforced().empty());
    EXPECT_LT(grammar->automaton().n_states(), 20'000U);
    EXPECT_TRUE(takes(*grammar, R"({"a0":"x"})"));
    EXPECT_TRUE(takes(*grammar, R"({"a5":"x","c5":"y"})"));
    EXPECT_FALSE(takes(*grammar, R"({"b5":"x"})"));
    EXPECT_FALSE(takes(*grammar, R"({"a0":"x","a5":"y"})"));
  }
  // Where it is listed elsewhere, they are not apart.
  const auto listed =
      overlap_grammar({{"type", "object"},
                       {"properties", {{"a0", Json::object()}, {"a1", Json::object()}}},
                       {"oneOf", variants(2, false)}});
  EXPECT_TRUE(takes(*listed, R"({"a0":"x"})"));
  EXPECT_TRUE(takes(*listed, R"({"a0":"x","a1":1})"));
  EXPECT_FALSE(takes(*listed, R"({"a0":"x","a1":"y"})"));
}

// That a schema denies another one is no reason not to deny it.
TEST(JsonOverlap, WhatMustNotHoldTogether) {
  const Json site = {{"required", Json::array({"site"})}};
  const Json app = {{"required", Json::array({"app"})}};
  const auto grammar =
      overlap_grammar({{"type", "object"},
                       {"properties", {{"site", Json::object()}, {"app", Json::object()}}},
                       {"not", {{"allOf", Json::array({site, app})}}}});
  EXPECT_TRUE(takes(*grammar, "{}"));
  EXPECT_TRUE(takes(*grammar, R"({"site":1})"));
  EXPECT_TRUE(takes(*grammar, R"({"app":1})"));
  EXPECT_FALSE(takes(*grammar, R"({"site":1,"app":1})"));
}

// That branches exclude each other is not known where ways of failing cannot be said.
TEST(JsonOverlap, WhereAnOppositeCannotBeSaidBranchesMayOverlap) {
  const auto format =
      overlap_grammar(json_from(R"({"oneOf":[{"not":{"type":"string","format":"regex"}},
                                             {"type":"string"}]})"));
  EXPECT_FALSE(takes(*format, R"("a(")")) << "it is valid under both";
  EXPECT_TRUE(takes(*format, R"("a+")"));
  EXPECT_TRUE(takes(*format, "1"));
  const auto twice = overlap_grammar(json_from(
      R"({"allOf":[{"type":"string"},{"not":{"not":{"type":"string","format":"regex"},
                                             "maxLength":50}}]})"));
  EXPECT_FALSE(takes(*twice, R"("a(")"));
  EXPECT_TRUE(takes(*twice, R"("a+")"));
  const auto closed = overlap_grammar(json_from(
      R"({"$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],
                        "additionalProperties":false}},
          "oneOf":[{"not":{"$ref":"#/$defs/A"}},
                   {"type":"object","properties":{"a":{"type":"string"}},"required":["a"],
                    "additionalProperties":true}]})"));
  EXPECT_FALSE(takes(*closed, R"({"a":"x","b":1})")) << "it is valid under both";
  EXPECT_TRUE(takes(*closed, R"({"a":"x"})"));
}

// Three ways in which each of seven others does not hold: one of them is enough to be apart.
TEST(JsonOverlap, CutsThatAreTooManyAreMadeInOneWay) {
  const auto grammar = overlap_grammar({{"oneOf", variants(8, true)}});
  EXPECT_TRUE(grammar->unenforced().empty());
  EXPECT_TRUE(takes(*grammar, R"({"a7":"x","more":1})"));
  EXPECT_TRUE(takes(*grammar, R"({"a7":"x","b7":"y"})"));
  EXPECT_FALSE(takes(*grammar, R"({"a7":"x","a0":"y"})"));
  EXPECT_FALSE(takes(*grammar, R"({"a7":1,"b7":1})"));
}

// What is required and has a value that is denied is one way: nine branches are apart exactly.
TEST(JsonOverlap, EachOfManyAsksForAPropertyOfItsOwn) {
  Json ways = Json::array();
  for (int i = 0; i < 9; ++i) {
    const std::string name = "is" + std::to_string(i);
    ways.push_back({{"type", "object"},
                    {"required", Json::array({name})},
                    {"properties", {{name, {{"type", "integer"}}}}},
                    {"additionalProperties", true}});
  }
  const auto grammar = overlap_grammar({{"oneOf", ways}});
  EXPECT_TRUE(grammar->unenforced().empty());
  EXPECT_TRUE(takes(*grammar, R"({"is3":1})"));
  EXPECT_TRUE(takes(*grammar, R"({"is3":1,"is4":"x"})"));
  EXPECT_FALSE(takes(*grammar, R"({"is3":1,"is4":2})"));
  EXPECT_FALSE(takes(*grammar, R"({"is3":"x"})"));
}

TEST(JsonOverlap, OverlapsThatAreTooManyAreTold) {
  constexpr int kTooMany = 600;
  const Json schema = {{"oneOf", variants(kTooMany, true)}};
  const auto grammar = overlap_grammar(schema);
  ASSERT_EQ(grammar->unenforced().size(), 1U);
  EXPECT_THAT(grammar->unenforced()[0], testing::StartsWith("format.oneOf: its branches overlap"));
  EXPECT_TRUE(takes(*grammar, R"({"a7":"x","more":1})"));
  EXPECT_FALSE(takes(*grammar, R"({"a7":1,"b7":1})"));
  SchemaPolicy policy;
  policy.refuse_overlaps = true;
  EXPECT_FALSE(make_json_grammar(test_vocabulary().trie, schema, Start::at_once, policy).ok());
}

// A question with many answers is not known; what is asked about is not refused for it.
TEST(JsonOverlap, BranchesOfManyBranchesEach) {
  Json ways = Json::array();
  for (const char* kind : {"a", "b"}) {
    Json way = Json::object();
    for (int i = 0; i < 46; ++i) {
      way["anyOf"].push_back({{"type", "object"},
                              {"properties", {{"k", {{"const", kind + std::to_string(i)}}}}},
                              {"required", Json::array({"k"})}});
    }
    ways.push_back(std::move(way));
  }
  const auto grammar = overlap_grammar({{"oneOf", ways}});
  EXPECT_TRUE(grammar->unenforced().empty());
  EXPECT_TRUE(takes(*grammar, R"({"k":"a45"})"));
  EXPECT_TRUE(takes(*grammar, R"({"k":"b0"})"));
  EXPECT_FALSE(takes(*grammar, R"({"k":"c0"})"));
}

}  // namespace
}  // namespace pleiad::constrain
