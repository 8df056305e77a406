// Objects that need more free names than have values of the least depth.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "constrain/constrain_test_data.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/schema_check.h"

namespace pleiad::constrain {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<std::shared_ptr<Grammar>> form_of(std::string_view schema) {
  return make_json_grammar(test_vocabulary().trie, parse_json(schema, "a test"), Start::at_once);
}

std::shared_ptr<Grammar> deep_grammar(std::string_view schema) {
  auto grammar = form_of(schema);
  if (!grammar) throw std::runtime_error(grammar.message());
  return std::move(grammar).value();
}

struct NamedValue {
  std::string name;
  std::string value;
};

/// All objects of these properties, each name once, in each order.
std::vector<std::string> all_objects(const std::vector<NamedValue>& properties) {
  std::vector<std::vector<std::size_t>> chosen = {{}};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::vector<std::size_t> at = chosen[i];
    std::string text;
    for (const std::size_t each : at) {
      text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", properties[each].name,
                          properties[each].value);
    }
    out.push_back("{" + text + "}");
    for (std::size_t next = 0; next < properties.size(); ++next) {
      const bool is_used = std::ranges::any_of(
          at, [&](std::size_t each) { return properties[each].name == properties[next].name; });
      if (is_used) continue;
      chosen.push_back(at);
      chosen.back().push_back(next);
    }
  }
  return out;
}

/// Names whose values need no level, one, two and more.
const std::vector<const char*>& deep_objects() {
  static const std::vector<const char*> all = {
      R"({"type":"object","patternProperties":{"^a$":{"type":"object"},"^b$":{"type":"integer"}},
          "additionalProperties":false,"minProperties":2})",
      R"({"type":"object","patternProperties":{"^a$":{"type":"array","maxItems":0},
          "^b$":{"type":"integer"},"^c$":{"type":"array","minItems":1,"maxItems":1,
          "items":{"type":"array","maxItems":0}}},"additionalProperties":false,"minProperties":3})",
      R"({"type":"object","patternProperties":{"^a$":{"type":"array","maxItems":0},
          "^b$":{"type":"integer"},"^c$":{"type":"array","minItems":1,"maxItems":1,
          "items":{"type":"array","maxItems":0}}},"additionalProperties":false,"minProperties":2,
          "maxProperties":2})",
      R"({"type":"object","properties":{"a":{"type":"integer"}},"patternProperties":{
          "^[bc]$":{"type":"array","items":{"type":"null"},"minItems":1}},
          "additionalProperties":false,"minProperties":2})",
      R"({"type":"object","propertyNames":{"enum":["a","b","c"]},"patternProperties":{
          "^[ab]$":{"type":"integer"}},"additionalProperties":{"type":"array","minItems":1,
          "items":{"type":"array"}},"minProperties":3})",
      // Objects within themselves: one that has to be there has no end, one that may does.
      R"({"anyOf":[{"type":"null"},{"type":"object","patternProperties":{"^a$":{"$ref":"#"},
          "^b$":{"type":"integer"}},"additionalProperties":false,"minProperties":2}]})",
      R"({"type":"object","patternProperties":{"^a$":{"$ref":"#"},"^[bc]$":{"type":"integer"}},
          "additionalProperties":false,"minProperties":2})",
      R"({"type":"object","patternProperties":{"^a$":{"$ref":"#"},"^b$":{"type":"integer"},
          "^c$":{"type":"array","minItems":1,"items":{"type":"array"}}},
          "additionalProperties":false,"minProperties":2})",
  };
  return all;
}

TEST(NameHeights, EveryObjectIsTakenOrRefusedAsItIsValid) {
  std::vector<NamedValue> properties;
  for (const char* name : {"a", "b", "c"}) {
    for (const char* value : {"1", "{}", "[]", "[[]]", "[null]", "null", R"({"b":1,"c":2})",
                              R"({"a":null,"b":1})", R"({"b":1,"c":[[]]})"}) {
      properties.push_back({name, value});
    }
  }
  std::vector<std::string> texts = all_objects(properties);
  for (const char* schema : deep_objects()) {
    SCOPED_TRACE(schema);
    const auto grammar = deep_grammar(schema);
    const Json document = json_from(schema);
    const SchemaCheck check(document);
    const bool has_listed = document.contains("properties");  // they come first
    int n_valid = 0;
    for (const std::string& text : texts) {
      if (has_listed && text.find(",\"a\"") != std::string::npos) continue;
      const bool is_valid = check.valid(json_from(text));
      n_valid += is_valid ? 1 : 0;
      ASSERT_EQ(takes(*grammar, text), is_valid) << text;
    }
    EXPECT_GT(n_valid, 0);
  }
}

TEST(NameHeights, RandomRepliesAreValidAndNeverStuck) {
  std::mt19937 random(41);
  for (const char* text : deep_objects()) {
    SCOPED_TRACE(text);
    const auto grammar = deep_grammar(text);
    const Json schema = json_from(text);
    int n_whole = 0;
    for (int i = 0; i < 25; ++i) {
      const auto reply = random_reply(*grammar, random, i < 5);
      if (HasFatalFailure()) return;
      if (!reply) continue;
      ++n_whole;
      EXPECT_TRUE(SchemaCheck(schema).valid(json_from(text_of(*reply)))) << text_of(*reply);
    }
    EXPECT_GE(n_whole, 8);
  }
}

// Where the text must end soon no object is begun that needs one more value that is too deep.
TEST(NameHeights, AtTheGreatestDepthThereIsAWayToTheEnd) {
  const auto grammar = deep_grammar(
      R"({"type":"object","properties":{"n":{"$ref":"#"}},"patternProperties":{
          "^a$":{"type":"array","minItems":1,"items":{"type":"array","minItems":1,
          "items":{"type":"array"}}},"^b$":{"type":"integer"}},
          "additionalProperties":false,"minProperties":2})");
  std::string before;
  while (GrammarConstraint(grammar).begin_with(before + R"({"n":{)")) before += R"({"n":)";
  const std::size_t n_open = before.size() / 5;
  EXPECT_GT(n_open, 15U);
  const std::string inner = R"({"a":[[[]]],"b":1})";
  std::string text = before + inner;
  for (std::size_t i = 0; i < n_open; ++i) text += R"(,"b":1})";
  EXPECT_TRUE(takes(*grammar, text)) << text;
  // Behind the shallow name only the deep one is left, which fits.
  EXPECT_TRUE(GrammarConstraint(grammar).begin_with(before + R"({"b":1,"a":[[[)"));
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    GrammarConstraint reply(grammar);
    ASSERT_TRUE(reply.begin_with(before + "{"));
    for (int step = 0; step < 60; ++step) {
      const Bits bits = allowed_by(reply);
      std::vector<text::TokenId> all;
      for (std::size_t token = 0; token < test_vocabulary().vocabulary->size(); ++token) {
        if (has(bits, static_cast<text::TokenId>(token))) {
          all.push_back(static_cast<text::TokenId>(token));
        }
      }
      ASSERT_FALSE(all.empty()) << "nothing may follow";
      reply.accept(all[random() % all.size()]);
    }
  }
}

TEST(NameHeights, TooFewOfAnyHeightAreNoObject) {
  for (const char* schema :
       {R"({"type":"object","patternProperties":{"^a$":{"type":"object"},"^b$":{"type":"integer"}},
            "additionalProperties":false,"minProperties":3})",
        // The other value is an object of this kind again, without end.
        R"({"type":"object","patternProperties":{"^a$":{"$ref":"#"},"^b$":{"type":"integer"}},
            "additionalProperties":false,"minProperties":2})",
        R"({"type":"object","patternProperties":{"^a$":{"$ref":"#/$defs/o"},
            "^b$":{"type":"integer"}},"additionalProperties":false,"minProperties":2,
            "$defs":{"o":{"type":"object","patternProperties":{"^a$":{"$ref":"#"},
            "^b$":{"type":"integer"}},"additionalProperties":false,"minProperties":2}}})"}) {
    const auto made = form_of(schema);
    ASSERT_FALSE(made) << schema;
    EXPECT_THAT(made.message(), HasSubstr("no value can satisfy it")) << schema;
  }
}

TEST(NameHeights, ManyNamesAreCountedToTheLast) {
  const auto is_possible = [](const char* names, int least) {
    return static_cast<bool>(
        form_of(fmt::format(R"({{"type":"object","propertyNames":{},"additionalProperties":
                                {{"type":"null"}},"minProperties":{}}})",
                            names, least)));
  };
  EXPECT_TRUE(is_possible(R"({"pattern":"^[a-z]{5}$"})", 11'881'376));
  EXPECT_FALSE(is_possible(R"({"pattern":"^[a-z]{5}$"})", 11'881'377));
  EXPECT_TRUE(is_possible(R"({"pattern":"^[a-z]{9}$"})", 1'900'000'000)) << "more than are counted";
  EXPECT_TRUE(is_possible(R"({"pattern":"^a+$"})", 1'900'000'000));
  // 6 * 6 * 6 and 23 * 23 * 23, of which 27 are in both.
  const char* both = R"({"anyOf":[{"pattern":"^[a-f]{3}$"},{"pattern":"^[d-z]{3}$"}]})";
  EXPECT_TRUE(is_possible(both, 12'356));
  EXPECT_FALSE(is_possible(both, 12'357));
}

/// Objects of so many names, of which each has one of the patterns.
std::string names_of(const std::vector<std::string>& patterns, int least) {
  return fmt::format(R"({{"type":"object","additionalProperties":{{"type":"null"}},
                          "minProperties":{},"propertyNames":{{"anyOf":[{{"pattern":"{}"}}]}}}})",
                     least, fmt::join(patterns, R"("},{"pattern":")"));
}

// All names of 24 letters but one, told by where an 'a' stands in them.
TEST(NameHeights, SetsThatOverlapAreCountedOnce) {
  constexpr int kAll = (1 << 24) - 1;
  std::vector<std::string> patterns;
  for (int i = 0; i < 24; ++i) {
    patterns.push_back(fmt::format("^[ab]{{{}}}a[ab]{{{}}}$", i, 23 - i));
  }
  EXPECT_TRUE(form_of(names_of(patterns, kAll)));
  EXPECT_FALSE(form_of(names_of(patterns, kAll + 1)));
}

/// Names of 30 letters of which one in the first half is that in its place in the second one: sets
/// that overlap in so many ways that they are not counted to the last.
std::string names_in_many_ways(int least) {
  std::vector<std::string> patterns;
  for (int i = 0; i < 15; ++i) {
    patterns.push_back(
        fmt::format("^[ab]{{{0}}}(a[ab]{{14}}a|b[ab]{{14}}b)[ab]{{{1}}}$", i, 14 - i));
  }
  return names_of(patterns, least);
}

TEST(NameHeights, WhatIsNotCountedIsRefusedWithThatReason) {
  constexpr int kAll = (1 << 30) - (1 << 15);  // but those that differ in all places
  EXPECT_TRUE(form_of(names_in_many_ways(kAll / 8 * 7))) << "a few of them are enough";
  const auto made = form_of(names_in_many_ways(kAll));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.message(), HasSubstr("too many steps"));
  EXPECT_THAT(made.message(), Not(HasSubstr("no value")));
  // A tool is held to no schema then, which is told.
  const Json tools =
      parse_json(fmt::format(R"([{{"type":"function","function":{{"name":"f","parameters":{}}}}}])",
                             names_in_many_ways(kAll)),
                 "a test");
  const auto calls = make_tool_grammar(test_vocabulary().trie, tools, {}, Start::at_once);
  ASSERT_TRUE(calls) << calls.message();
  ASSERT_EQ(calls.value()->unenforced().size(), 1U);
  EXPECT_THAT(calls.value()->unenforced()[0], HasSubstr("too many steps"));
}

}  // namespace
}  // namespace pleiad::constrain
