// Values of more than one branch of "oneOf".
#include <gmock/gmock.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/schema_check.h"

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

/// Objects told apart by a constant, each written where it stands or named.
Json kinds(int n, bool are_named) {
  Json out = {{"oneOf", Json::array()}};
  for (int i = 0; i < n; ++i) {
    const std::string k = "k" + std::to_string(i);
    Json kind = {{"type", "object"}, {"required", {"type"}}};
    kind["properties"] = {{"v", {{"type", "integer"}}}, {"type", {{"const", k}}}};
    if (i % 3 == 0) kind["properties"]["type"] = {{"enum", {k, k + "!"}}};
    out["oneOf"].push_back(are_named ? Json({{"$ref", "#/$defs/" + k}}) : kind);
    if (are_named) out["$defs"][k] = std::move(kind);
  }
  return out;
}

TEST(JsonOverlap, ADiscriminatorKeepsAsManyBranchesApartAsThereMayBe) {
  for (const bool are_named : {false, true}) {
    const auto grammar = overlap_grammar(kinds(547, are_named));
    EXPECT_TRUE(grammar->unenforced().empty());
    for (const char* text : {R"({"v":1,"type":"k546"})", R"({"type":"k3!"})"}) {
      EXPECT_TRUE(takes(*grammar, text)) << text;
    }
    for (const char* text : {R"({"v":1})", R"({"type":"k547"})", R"({"type":"k1!"})"}) {
      EXPECT_FALSE(takes(*grammar, text)) << text;
    }
  }
}

// Of each pair one value is of both branches, and so of none.
TEST(JsonOverlap, WhatLooksLikeADiscriminatorMayBeNone) {
  for (const auto& [schema, both] : {
           std::pair{R"({"oneOf":[{"properties":{"a":{"const":"x"}},"required":["a"]},
               {"properties":{"a":{"const":"y"}},"required":["a"]}]})",
                     "7"},
           std::pair{R"({"oneOf":[{"type":"object","properties":{"a":{"const":"x"}}},
               {"type":"object","properties":{"a":{"const":"y"}}}]})",
                     "{}"},
           std::pair{R"({"oneOf":[{"type":"object","properties":{"a":{"enum":["x","z"]}},
               "required":["a"]},{"type":"object","properties":{"a":{"enum":["y","z"]}}}]})",
                     R"({"a":"z"})"},
           std::pair{R"({"oneOf":[{"type":"object","properties":{"a":{"const":"x","nullable":true}},
               "required":["a"]},{"type":"object","properties":{"a":{"enum":["y",null]}}}]})",
                     R"({"a":null})"},
           std::pair{R"({"oneOf":[{"type":"object","nullable":true,"properties":{"a":{"const":"x"}},
               "required":["a"]},{"nullable":true,"type":"object","properties":{"a":{"const":"y"}},
               "required":["a"]}]})",
                     "null"},
       }) {
    const auto grammar = overlap_grammar(json_from(schema));
    EXPECT_FALSE(takes(*grammar, both)) << schema;
    EXPECT_TRUE(takes(*grammar, R"({"a":"x"})")) << schema;
    EXPECT_TRUE(takes(*grammar, R"({"a":"y"})")) << schema;
  }
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

/// Of "format", or why there is none.
std::string overlap_message(const char* format) {
  const auto made = make_json_grammar(test_vocabulary().trie, json_from(format), Start::at_once);
  return made ? "it was accepted" : made.message();
}

// What is no closed object with listed names has a name besides.
TEST(JsonOverlap, ClosedObjectsThatDifferInOptionalProperties) {
  struct Case {
    const char* format;
    std::vector<const char*> taken, refused;
  };
  const Case cases[] = {
      {R"({"oneOf":[{"type":"object","properties":{"name":{"type":"string"},"lives":{"type":"integer"}},
            "required":["name"],"additionalProperties":false},
           {"type":"object","properties":{"name":{"type":"string"},"pack":{"type":"boolean"}},
            "required":["name"],"additionalProperties":false}]})",
       {R"({"name":"a","lives":1})", R"({"name":"a","pack":true})"},
       {R"({"name":"a"})", R"({"name":"a","lives":1,"pack":true})", R"({"lives":1})"}},
      {R"({"oneOf":[{"type":"object","properties":{"a":{"type":"null"}},"required":["a"],
            "additionalProperties":false},
           {"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}},"required":["a"],
            "additionalProperties":false}]})",
       {R"({"a":null,"b":null})"},
       {R"({"a":null})", "{}"}},
      {R"({"oneOf":[{"type":"object","properties":{"a":{"type":"null"}},"additionalProperties":false},
           {"type":"object","properties":{"b":{"type":"null"}},"additionalProperties":false}]})",
       {R"({"a":null})", R"({"b":null})"},
       {"{}", R"({"a":null,"b":null})"}},
      {R"({"oneOf":[{"type":"object","properties":{"a":{"type":"null"}},"unevaluatedProperties":false},
           {"type":"object","properties":{"b":{"type":"null"}},"unevaluatedProperties":false}]})",
       {R"({"a":null})", R"({"b":null})"},
       {"{}", R"({"a":null,"b":null})"}},
      {R"({"oneOf":[{"type":"object","properties":{"a":{"type":"null"}},"additionalProperties":false,
            "minProperties":1},
           {"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}},"minProperties":1,
            "additionalProperties":false}]})",
       {R"({"b":null})", R"({"a":null,"b":null})"},
       {"{}", R"({"a":null})"}},
      // Names with a pattern, and others with values of a kind.
      {R"({"oneOf":[{"type":"object","properties":{"a1":{},"b":{}},"additionalProperties":false},
           {"type":"object","patternProperties":{"^a":{"type":"null"}},"additionalProperties":{"type":
            "integer"}}]})",
       {R"({"b":null})", R"({"a1":1})", R"({"a1":1,"b":1})"},
       {"{}", R"({"a1":null})", R"({"b":1})", R"({"a1":null,"b":1})"}},
      {R"({"oneOf":[{"type":"object","properties":{"a":{},"long":{}},"additionalProperties":false},
           {"type":"object","propertyNames":{"maxLength":1}}]})",
       {R"({"long":1})", R"({"a":1,"long":1})"},
       {"{}", R"({"a":1})"}},
  };
  for (const Case& one : cases) {
    for (const bool is_nested : {false, true}) {
      const Json schema = json_from(one.format);
      const Json nested = {
          {"type", "object"}, {"properties", {{"v", schema}}}, {"required", Json::array({"v"})}};
      const auto grammar = overlap_grammar(is_nested ? nested : schema);
      const auto text = [&](const char* value) {
        return is_nested ? std::string(R"({"v":)") + value + "}" : std::string(value);
      };
      for (const char* value : one.taken) {
        EXPECT_TRUE(takes(*grammar, text(value))) << one.format << value;
      }
      for (const char* value : one.refused) {
        EXPECT_FALSE(takes(*grammar, text(value))) << one.format << value;
      }
      EXPECT_TRUE(grammar->unenforced().empty()) << one.format;
    }
  }
  // All are a part of another one.
  EXPECT_EQ(overlap_message(
                R"({"oneOf":[{"type":"object","properties":{"a":{}},"additionalProperties":false},
                             {"type":"object","properties":{"a":{}},"additionalProperties":false}]})"),
            "format: no value can satisfy it");
}

/// A closed object of some of the names "a1", "b" and "c", or, where it is `open`, one of others.
Json random_branch(std::mt19937& random, bool open) {
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  const auto value = [&] {
    return json_from(one_in(3) ? "{}" : one_in(2) ? R"({"type":"integer"})" : R"({"type":"null"})");
  };
  Json out = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  for (const char* name : {"a1", "b", "c"}) {
    if (one_in(3)) continue;
    out["properties"][name] = value();
    if (one_in(4)) out["required"].push_back(name);
  }
  if (one_in(6)) out["minProperties"] = 1;
  if (!open) {
    out["additionalProperties"] = false;
    return out;
  }
  if (one_in(3)) out["patternProperties"] = {{one_in(2) ? "^a" : "^[bc]$", value()}};
  if (one_in(3)) out["propertyNames"] = {{"maxLength", 1}};
  if (!one_in(3)) out["additionalProperties"] = value();
  return out;
}

// What is taken is valid, and where all branches list their names all that is valid is taken.
TEST(JsonOverlap, RandomBranchesAgainstAnIndependentCheck) {
  std::mt19937 random(17);
  int n_valid = 0, n_refused = 0;
  for (int round = 0; round < 400; ++round) {
    const bool is_open = round % 2 == 1;
    Json schema = {{"oneOf", Json::array()}};
    const unsigned n = 2 + random() % 2;
    for (unsigned i = 0; i < n; ++i) {
      schema["oneOf"].push_back(random_branch(random, is_open && i > 0));
    }
    const SchemaCheck check(schema);
    const auto made = make_json_grammar(test_vocabulary().trie, schema, Start::at_once);
    bool is_possible = false;
    for (int code = 0; code < 64; ++code) {
      Json value = Json::object();
      int rest = code;
      for (const char* name : {"a1", "b", "c"}) {
        if (rest % 4 > 0)
          value[name] = json_from(rest % 4 == 1 ? "null" : rest % 4 == 2 ? "1" : "true");
        rest /= 4;
      }
      const bool is_valid = check.valid(value);
      is_possible = is_possible || is_valid;
      n_valid += is_valid ? 1 : 0;
      const bool is_taken = made && takes(*made.value(), to_text(value));
      EXPECT_FALSE(is_taken && !is_valid) << to_text(schema) << to_text(value);
      if (!is_open) {
        EXPECT_EQ(is_taken, is_valid) << to_text(schema) << to_text(value);
      }
    }
    if (made) continue;
    ++n_refused;
    const bool claims_none = made.message().ends_with("no value can satisfy it");
    EXPECT_FALSE(claims_none && is_possible) << to_text(schema) << made.message();
    EXPECT_TRUE(claims_none || is_open) << to_text(schema) << made.message();
  }
  EXPECT_GT(n_valid, 2000);
  EXPECT_GT(n_refused, 3);
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
  EXPECT_EQ(
      grammar->unenforced()[0],
      "format.oneOf: its branches are too many to be compared: more than one of them may hold");
  EXPECT_TRUE(takes(*grammar, R"({"a7":"x","more":1})"));
  EXPECT_FALSE(takes(*grammar, R"({"a7":1,"b7":1})"));
  SchemaPolicy policy;
  policy.refuse_overlaps = true;
  EXPECT_FALSE(make_json_grammar(test_vocabulary().trie, schema, Start::at_once, policy).ok());
}

// A question with many answers is not known; what is asked about is not refused for it.
/// Of each of n pairs of properties one.
Json either_or(int n) {
  Json schema = {{"type", "object"}, {"allOf", Json::array()}};
  for (int i = 0; i < n; ++i) {
    const std::string a = "a" + std::to_string(i);
    const std::string b = "b" + std::to_string(i);
    for (const std::string& name : {a, b}) schema["properties"][name] = {{"type", "null"}};
    schema["allOf"].push_back({{"oneOf", Json::array({{{"required", Json::array({a})}},
                                                      {{"required", Json::array({b})}}})}});
  }
  return schema;
}

// The figures of docs/structured-output.md.
TEST(JsonOverlap, PairsThatAreAskedOfOneObjectMultiply) {
  const auto exact = overlap_grammar(either_or(8));
  EXPECT_THAT(exact->unenforced(), testing::IsEmpty());
  const std::string one_of_each =
      R"("a1":null,"a2":null,"a3":null,"a4":null,"a5":null,"a6":null,"a7":null)";
  EXPECT_TRUE(takes(*exact, R"({"a0":null,)" + one_of_each + "}"));
  EXPECT_FALSE(takes(*exact, R"({"a0":null,"b0":null,)" + one_of_each + "}"));
  const auto told = overlap_grammar(either_or(9));
  EXPECT_EQ(told->unenforced().size(), 9U);
  EXPECT_TRUE(takes(*told, R"({"a0":null,"b0":null,)" + one_of_each + R"(,"a8":null})"));
  EXPECT_EQ(overlap_grammar(either_or(10))->unenforced().size(), 10U);
  const auto refused =
      make_json_grammar(test_vocabulary().trie, either_or(11), Start::at_once, {}, "format");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.message(), testing::HasSubstr("each with each, are too many"));
}

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
