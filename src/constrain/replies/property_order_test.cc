// Objects whose properties come in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/schema_check.h"

namespace pleiad::constrain {
namespace {

std::shared_ptr<Grammar> any_order(const Json& schema) {
  SchemaPolicy policy;
  policy.order = PropertyOrder::any;
  auto made = make_json_grammar(test_vocabulary().trie, schema, Start::at_once, policy);
  if (!made) throw std::runtime_error(made.message());
  return std::move(made).value();
}

bool takes_value(std::string_view schema, std::string_view text) {
  return takes(*any_order(json_from(schema)), text);
}

constexpr std::string_view kThree = R"({"type":"object","properties":{
    "name":{"type":"string"},"age":{"type":"integer"},"nation":{"enum":["a","b"]}},
    "required":["age","name"]})";

TEST(PropertyOrder, EachComesOnceWhereverItLikes) {
  for (const char* text :
       {R"({"name":"x","age":1})", R"({"age":1,"name":"x"})",
        R"({"age":1,"nation":"b","name":"x"})", R"({"nation":"a","name":"x","age":1})",
        "{\n  \"age\": 1,\n  \"name\": \"x\"\n}"}) {
    EXPECT_TRUE(takes_value(kThree, text)) << text;
  }
  for (const char* text :
       {"{}", R"({"age":1})", R"({"name":"x","nation":"a"})", R"({"age":1,"age":2,"name":"x"})",
        R"({"age":1,"name":"x","name":"y"})", R"({"age":1,"name":"x",})", R"({"age":"x","name":1})",
        R"({"age":1,"name":"x","other":1})"}) {
    EXPECT_FALSE(takes_value(kThree, text)) << text;
  }
}

TEST(PropertyOrder, OtherNamesStandAmongThem) {
  constexpr std::string_view kOpen = R"({"type":"object","properties":{"a":{"type":"integer"}},
      "required":["a"],"patternProperties":{"^x":{"type":"boolean"}},"additionalProperties":false})";
  EXPECT_TRUE(takes_value(kOpen, R"({"x1":true,"a":1,"x2":false})"));
  EXPECT_TRUE(takes_value(kOpen, R"({"a":1})"));
  EXPECT_FALSE(takes_value(kOpen, R"({"x1":true,"x2":false})"));
  EXPECT_FALSE(takes_value(kOpen, R"({"x1":true,"a":1,"a":2})"));
  EXPECT_FALSE(takes_value(kOpen, R"({"y":true,"a":1})"));
}

// Where several properties decide together, where they are counted, and where they are more than
// are kept, the order is the schema's.
TEST(PropertyOrder, IsTheSchemasWhereWaysWouldBeTooMany) {
  constexpr std::string_view kDependent = R"({"type":"object","properties":{"a":{},"b":{}},
      "dependentRequired":{"a":["b"]}})";
  EXPECT_TRUE(takes_value(kDependent, R"({"a":1,"b":2})"));
  EXPECT_FALSE(takes_value(kDependent, R"({"b":2,"a":1})"));
  EXPECT_FALSE(takes_value(kDependent, R"({"a":1})"));
  constexpr std::string_view kCounted =
      R"({"type":"object","properties":{"a":{},"b":{}},"minProperties":1})";
  EXPECT_TRUE(takes_value(kCounted, R"({"a":1,"b":2})"));
  EXPECT_FALSE(takes_value(kCounted, "{}"));
  for (const std::size_t n : {Counter::kMostKeys, Counter::kMostKeys + 1}) {
    Json schema = {{"type", "object"}};
    std::string backwards;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string name = "p" + std::to_string(i);
      schema["properties"][name] = {{"type", "null"}};
      schema["required"].push_back(name);
      backwards = "\"" + name + "\":null" + (backwards.empty() ? "" : ",") + backwards;
    }
    EXPECT_EQ(takes(*any_order(schema), "{" + backwards + "}"), n == Counter::kMostKeys);
    std::string twice = backwards;
    twice.replace(0, twice.find(':'), "\"p0\"");
    EXPECT_FALSE(takes(*any_order(schema), "{" + twice + "}"));
  }
}

// A property that has to be there and whose value has no end leaves no object.
TEST(PropertyOrder, RequiredValuesCountForTheDepth) {
  constexpr std::string_view kEndless =
      R"({"type":"object","properties":{"a":{"$ref":"#"},"b":{}},"required":["a"]})";
  EXPECT_THROW(any_order(json_from(kEndless)), std::runtime_error);
  constexpr std::string_view kMayEnd =
      R"({"type":"object","properties":{"a":{"$ref":"#"},"b":{"type":"null"}}})";
  EXPECT_TRUE(takes_value(kMayEnd, R"({"b":null,"a":{"a":{}}})"));
}

TEST(PropertyOrder, MasksAreExactAndRepliesAreValid) {
  for (const std::string_view text :
       {kThree, std::string_view(R"({"type":"object","properties":{"name":{"type":"object",
            "properties":{"age":{"type":"boolean"},"abc":{"type":"null"}},"required":["abc"]},
            "true":{"type":"array","items":{"$ref":"#"}},"nam":{"maxLength":2,"type":"string"}},
            "required":["true"],"additionalProperties":false})")}) {
    const Json schema = json_from(text);
    const auto grammar = any_order(schema);
    const SchemaCheck check(schema);
    std::mt19937 random(3);
    int finished = 0;
    for (int round = 0; round < 120; ++round) {
      const auto reply = random_reply(*grammar, random, round < 10);
      if (HasFatalFailure()) return;
      if (!reply) continue;
      ++finished;
      EXPECT_TRUE(check.valid(json_or_discarded(text_of(*reply)))) << text_of(*reply);
    }
    EXPECT_GT(finished, 40);
  }
}

TEST(PropertyOrder, OfCallsToo) {
  const Json tools = json_from(R"([{"type":"function","function":{"name":"get","parameters":
      {"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["C","F"]},
       "days":{"type":"integer"}},"required":["city"]}}}])");
  const auto takes_call = [&](bool any, std::string_view text) {
    auto made =
        make_tool_grammar(test_vocabulary().trie, tools, {.any_order = any}, Start::at_once);
    EXPECT_TRUE(made) << made.message();
    GrammarConstraint constraint(made.value());
    for (const char c : text) {
      const text::TokenId token =
          c == '<'   ? test_vocabulary().tag(text::Tag::tool_call_open)
          : c == '>' ? test_vocabulary().tag(text::Tag::tool_call_close)
          : c == '"' ? test_vocabulary().tag(text::Tag::quote)
                     : test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(c));
      if (!constraint.allows(token)) return false;
      constraint.accept(token);
    }
    return true;
  };
  for (const char* call : {"<call:get{unit:\"C\",days:1,city:\"x\"}>", "<call:get{city:\"x\"}>"}) {
    EXPECT_TRUE(takes_call(true, call)) << call;
  }
  EXPECT_FALSE(takes_call(false, "<call:get{unit:\"C\",city:"));
  EXPECT_FALSE(takes_call(true, "<call:get{unit:\"C\",unit:"));
  EXPECT_FALSE(takes_call(true, "<call:get{unit:\"C\"}"));
}

TEST(PropertyOrder, WhereItIsKeptItIsTold) {
  Json many = {{"type", "object"}, {"properties", Json::object()}};
  for (int i = 0; i < 63; ++i) many["properties"]["p" + std::to_string(i)] = {{"const", 1}};
  const std::pair<Json, const char*> schemas[] = {
      {many,
       "format: its properties come in their order: it has 63, and 62 at most are remembered"},
      {json_from(R"({"properties":{"a":{"type":"object","minProperties":1,
          "properties":{"b":{},"c":{}}}}})"),
       "format.properties.a: its properties come in their order: how many there may be is bounded"},
      {json_from(R"({"type":"object","properties":{"b":{},"c":{}},"maxProperties":1})"),
       "format: its properties come in their order: how many there may be is bounded"},
      {json_from(
           R"({"type":"object","properties":{"b":{},"c":{}},"dependentRequired":{"c":["b"]}})"),
       "format: its properties come in their order: which of them there may be depends on others"}};
  const Json distinct = json_from(R"({"type":"array","uniqueItems":true,
      "items":{"type":"object","properties":{"b":{"type":"null"},"c":{"type":"null"}}}})");
  ASSERT_EQ(any_order(distinct)->unenforced().size(), 1U);
  EXPECT_EQ(
      any_order(distinct)->unenforced()[0],
      "format.items: its properties come in their order: items that differ have one spelling");
  for (const auto& [schema, told] : schemas) {
    const auto unenforced = any_order(schema)->unenforced();
    ASSERT_EQ(unenforced.size(), 1U) << schema;
    EXPECT_EQ(unenforced[0], told);
    const auto declared = make_json_grammar(test_vocabulary().trie, schema, Start::at_once);
    EXPECT_TRUE(declared.value()->unenforced().empty()) << "nobody asked for any order";
  }
  many["properties"].erase("p62");
  EXPECT_TRUE(any_order(many)->unenforced().empty());
  // There is one order.
  constexpr std::string_view kOne =
      R"({"type":"object","properties":{"a":{"const":1}},"minProperties":1})";
  EXPECT_TRUE(any_order(json_from(kOne))->unenforced().empty());
  EXPECT_TRUE(takes_value(kOne, R"({"a":1})"));
  EXPECT_FALSE(takes_value(kOne, "{}"));
}

}  // namespace
}  // namespace pleiad::constrain
