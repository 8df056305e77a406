// Alternatives that exclude each other are not multiplied: conditions on one property, bands of
// numbers and of sizes.
#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/schema_check.h"

namespace pleiad::constrain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<Grammar> conditions_grammar(const Json& format) {
  auto grammar = make_json_grammar(test_vocabulary().trie, format, Start::at_once);
  if (!grammar) throw std::runtime_error(grammar.message());
  return std::move(grammar).value();
}

/// For each of `n` countries, what a zip code looks like there.
Json zip_codes(int n, bool needs_country) {
  Json schema = json_from(R"({"type":"object","properties":{"country":{"type":"string"},
      "zip":{"type":"string","maxLength":3}},"required":["zip"]})");
  if (needs_country) schema["required"].push_back("country");
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    Json each = json_from(R"({"if":{"properties":{"country":{}}},
                              "then":{"properties":{"zip":{}}}})");
    each["if"]["properties"]["country"]["const"] = "c" + k;
    each["then"]["properties"]["zip"]["pattern"] = "^" + k + "[0-9]$";
    schema["allOf"].push_back(each);
  }
  return schema;
}

TEST(JsonConditions, OnTheValueOfOnePropertyAreAddedUp) {
  for (const bool needs_country : {true, false}) {
    const auto grammar = conditions_grammar(zip_codes(50, needs_country));
    EXPECT_LT(grammar->automaton().n_states(), 5000U);
    EXPECT_TRUE(takes(*grammar, R"({"country":"c7","zip":"71"})"));
    EXPECT_FALSE(takes(*grammar, R"({"country":"c7","zip":"81"})"));
    EXPECT_TRUE(takes(*grammar, R"({"country":"c49","zip":"493"})"));
    EXPECT_FALSE(takes(*grammar, R"({"country":"c49","zip":"49"})"));
    EXPECT_TRUE(takes(*grammar, R"({"country":"other","zip":"no"})"));
    EXPECT_FALSE(takes(*grammar, R"({"country":"other","zip":"none"})"));
    // Without a country all conditions hold, which no zip code meets.
    EXPECT_FALSE(takes(*grammar, R"({"zip":"71"})"));
  }
}

TEST(JsonConditions, OnTheBandOfOnePropertyAreAddedUp) {
  Json schema = json_from(R"({"type":"object","properties":{"n":{"type":"integer"},
      "s":{"type":"string"}},"required":["n","s"]})");
  for (int i = 0; i < 12; ++i) {
    Json each = json_from(R"({"if":{"properties":{"n":{"type":"integer"}}},
                              "then":{"properties":{"s":{}}}})");
    each["if"]["properties"]["n"]["minimum"] = 10 * i;
    each["if"]["properties"]["n"]["exclusiveMaximum"] = 10 * i + 10;
    each["then"]["properties"]["s"]["const"] = "s" + std::to_string(i);
    schema["allOf"].push_back(each);
  }
  const auto grammar = conditions_grammar(schema);
  EXPECT_LT(grammar->automaton().n_states(), 3000U);
  EXPECT_TRUE(takes(*grammar, R"({"n":39,"s":"s3"})"));
  EXPECT_FALSE(takes(*grammar, R"({"n":40,"s":"s3"})"));
  EXPECT_TRUE(takes(*grammar, R"({"n":120,"s":"any"})"));
}

TEST(JsonConditions, WhatThePropertyThatIsMissingLeavesOpenIsTaken) {
  Json schema = zip_codes(12, false);
  schema["required"] = Json::array();
  for (Json& each : schema["allOf"]) each["then"] = {{"required", Json::array({"zip"})}};
  const auto grammar = conditions_grammar(schema);
  EXPECT_LT(grammar->automaton().n_states(), 3000U);
  EXPECT_TRUE(takes(*grammar, R"({"zip":"71"})"));
  EXPECT_TRUE(takes(*grammar, R"({"country":"other"})"));
  EXPECT_FALSE(takes(*grammar, "{}"));
  EXPECT_FALSE(takes(*grammar, R"({"country":"c3"})"));
}

// What excludes the objects of one branch lets nothing else in.
TEST(JsonConditions, WhereNoTypeIsGivenValuesAreObjectsAllTheSame) {
  Json schema = zip_codes(4, true);
  schema.erase("type");
  const auto grammar = conditions_grammar(schema);
  EXPECT_TRUE(takes(*grammar, R"({"country":"c2","zip":"21"})"));
  for (const char* text : {"5", "\"abc\"", "null", "[1]", "true"}) {
    EXPECT_FALSE(takes(*grammar, text)) << text;
  }
  const auto numbers = conditions_grammar(json_from(R"({"allOf":[
      {"anyOf":[{"minimum":1},{"maximum":-1}]},{"anyOf":[{"minimum":10},{"maximum":20}]},
      {"anyOf":[{"minimum":30},{"maximum":0}]},{"anyOf":[{"minimum":-30},{"maximum":50}]}]})"));
  EXPECT_TRUE(takes(*numbers, "31"));
  EXPECT_TRUE(takes(*numbers, "-5"));
  for (const char* text : {"5", "\"abc\"", "null", "[1]", "{}"}) {
    EXPECT_FALSE(takes(*numbers, text)) << text;
  }
}

TEST(JsonConditions, BandsThatTouchAreExact) {
  Json numbers = {{"type", "integer"}};
  Json sizes = {{"type", "array"}, {"items", {{"type", "null"}}}};
  Json outside = {{"type", "integer"}};
  for (int i = 0; i < 12; ++i) {
    numbers["oneOf"].push_back({{"minimum", 10 * i}, {"maximum", 10 * i + 10}});
    sizes["oneOf"].push_back({{"minItems", 3 * i}, {"maxItems", 3 * i + 3}});
    outside["not"]["anyOf"].push_back({{"minimum", 10 * i}, {"maximum", 10 * i + 5}});
  }
  const auto of_numbers = conditions_grammar(numbers);
  const auto of_sizes = conditions_grammar(sizes);
  const auto of_outside = conditions_grammar(outside);
  Json items = Json::array();
  for (int i = 0; i <= 120; ++i) {
    const std::string text = std::to_string(i);
    EXPECT_EQ(takes(*of_numbers, text), i % 10 != 0 || i == 0 || i == 120) << i;
    EXPECT_EQ(takes(*of_outside, text), i % 10 > 5 || i == 120) << i;
    if (i <= 36) {
      EXPECT_EQ(takes(*of_sizes, to_text(items)), i % 3 != 0 || i == 0 || i == 36) << i;
    }
    items.push_back(nullptr);
  }
}

// Of alternatives that are too many those go that are one too many, and the rest holds.
TEST(JsonConditions, TooManyInAToolUnbindThemselvesAlone) {
  Json parameters = json_from(R"({"type":"object","properties":{
      "city":{"type":"string","maxLength":6}},"required":["city"]})");
  for (int i = 0; i < 16; ++i) {
    const std::string k = std::to_string(i);
    parameters["properties"]["p" + k] = {{"type", "integer"}, {"minimum", 0}, {"maximum", 9}};
    Json each = json_from(R"({"if":{"properties":{}},"then":{}})");
    each["if"]["properties"]["p" + k] = {{"const", 3}};
    each["if"]["required"] = Json::array({"p" + k});
    each["then"]["required"] = Json::array({"p" + std::to_string((i + 7) % 16)});
    parameters["allOf"].push_back(each);
  }
  const Json tools = Json::array({{{"function", {{"name", "f"}, {"parameters", parameters}}}}});
  const auto made = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
  ASSERT_TRUE(made) << made.message();
  const auto& notes = made.value()->unenforced();
  ASSERT_FALSE(notes.empty());
  for (const std::string& note : notes) {
    EXPECT_THAT(note, HasSubstr("].if: its alternatives, each with each, are too many; this is "
                                "left out, and the rest holds"));
  }
  EXPECT_FALSE(takes_call(made.value(), "<|tool_call>call:f{}<tool_call|>"));
  EXPECT_FALSE(
      takes_call(made.value(), "<|tool_call>call:f{city:<|\"|>Londons<|\"|>}<tool_call|>"));
  EXPECT_TRUE(takes_call(made.value(), "<|tool_call>call:f{city:<|\"|>Paris<|\"|>}<tool_call|>"));
}

}  // namespace
}  // namespace pleiad::constrain
