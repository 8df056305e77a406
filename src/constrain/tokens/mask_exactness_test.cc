// Masks beside a slow obvious matcher, token by token, over a vocabulary whose subtrees are large
// enough to be taken as a whole: forms that allow all plain characters, some kinds of them, parts
// of a kind, and all but a few words.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/testing/json.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/tool_constraint.h"
#include "constrain/testing/slow_matcher.h"
#include "constrain/tokens/dense_vocabulary_test_data.h"
#include "constrain/tokens/sparse_vocabulary_test_data.h"

namespace pleiad::constrain {
namespace {

/// Replies of random tokens, of which each mask is what the slow matcher says.
template <typename Vocabulary>
void expect_exact_masks(const Vocabulary& test, const std::shared_ptr<Grammar>& grammar,
                        std::uint32_t seed, int n_replies) {
  std::mt19937 random(seed);
  for (int i = 0; i < n_replies; ++i) {
    GrammarConstraint constraint(grammar);
    SlowMatcher slow(grammar->automaton());
    for (int step = 0; step < 10; ++step) {
      std::vector<std::uint64_t> allowed((test.vocabulary->size() + 63) / 64);
      if (random() % 2 == 0) constraint.prepare();
      constraint.allowed_next(allowed);
      std::vector<text::TokenId> all;
      for (std::size_t at = 0; at < test.vocabulary.size(); ++at) {
        const auto token = static_cast<text::TokenId>(at);
        const bool is_allowed = (allowed[at / 64] >> (at % 64) & 1) != 0;
        ASSERT_EQ(is_allowed, slow.allows(test.trie->spelling(token)))
            << test.vocabulary.pieces()[at] << " at step " << step << " of reply " << i;
        if (is_allowed) all.push_back(token);
      }
      ASSERT_FALSE(all.empty());
      const text::TokenId token = all[random() % all.size()];
      if (token == test.end) break;
      constraint.accept(token);
      slow.accept(test.trie->spelling(token));
    }
  }
}

void expect_exact_schema(std::string_view text, Start start = Start::at_once,
                         const SchemaPolicy& policy = {}) {
  SCOPED_TRACE(text);
  const Json format = json_from(text);
  auto grammar = make_json_grammar(dense().trie, format, start, policy);
  ASSERT_TRUE(grammar) << grammar.message();
  expect_exact_masks(dense(), grammar.value(), 5, 4);
}

void expect_exact_pattern_of_words(std::string_view pattern, int most_characters = 100) {
  SCOPED_TRACE(pattern);
  const Json format = {{"type", "string"}, {"pattern", pattern}, {"maxLength", most_characters}};
  auto grammar = make_json_grammar(sparse().trie, format, Start::at_once);
  ASSERT_TRUE(grammar) << grammar.message();
  expect_exact_masks(sparse(), grammar.value(), 5, 3);
}

TEST(MaskExactness, StringsOfAllCharacters) {
  expect_exact_schema(R"({"type":"string"})");
  expect_exact_schema(R"({"type":"array","items":{"type":"string"}})");
  expect_exact_schema(R"({"type":"string"})", Start::after_thought);
  expect_exact_schema(R"("json")");
}

TEST(MaskExactness, StringsOfBoundedLength) {
  for (int most = 0; most <= 6; ++most) {
    expect_exact_schema(fmt::format(R"({{"type":"string","maxLength":{}}})", most));
    expect_exact_schema(
        fmt::format(R"({{"type":"string","minLength":{},"maxLength":{}}})", most, most + 2));
  }
  expect_exact_schema(R"({"type":"string","minLength":3})");
  expect_exact_schema(R"({"type":"string","maxLength":3000})");
}

TEST(MaskExactness, PatternsThatSetCharactersApart) {
  for (const char* pattern :
       {"^[a-z]+$", "^[a-z][a-z0-9-]*$", "^\\\\S+$", "^.*$", "^[^-]*$", "^[^a]{2,3}$", "^[a-y]+$",
        "^(ab)*$", "ab7", "Z.*-", "^a{3}[^a]", "^[^ ]+ [^ ]+$", "^[\\u00c0-\\u00ff]+$", "^a", "b$",
        "^(a|b|Z){1,5}$", "^[A-Za-z0-9_]{1,3}$", "^\\\\w+( \\\\w+)*$"}) {
    expect_exact_schema(fmt::format(R"({{"type":"string","pattern":"{}"}})", pattern));
  }
  expect_exact_schema(R"({"type":"string","pattern":"^[a-z]+$","maxLength":3})");
  expect_exact_schema(
      R"({"anyOf":[{"type":"string","maxLength":2},{"type":"string","pattern":"^a+$"}]})");
}

TEST(MaskExactness, PatternsWithPlacesForAnyCharacter) {
  for (const char* pattern : {"^..-", "^...-..", "^.7.-", "^[^-]{2}-[^7]", "^.{2}([ab]{2})?$",
                              "^..?-.b", "^(..-)+$", "^...\\u00e9", "^.[ab7].*-$", "^.(-b.)*$"}) {
    expect_exact_schema(fmt::format(R"({{"type":"string","pattern":"{}"}})", pattern));
    expect_exact_schema(
        fmt::format(R"({{"type":"string","pattern":"{}","maxLength":6}})", pattern));
    expect_exact_schema(fmt::format(
        R"({{"anyOf":[{{"type":"string","pattern":"{}"}},{{"enum":["ab-b","Z"]}}]}})", pattern));
  }
}

TEST(MaskExactness, PatternsOfWhichFewWordsHaveWhatTheyAskFor) {
  for (const char* pattern :
       {"^....-..-", "^..7.-", "^...(-.)?$", "^.....\u00e9", "^(..-.)*$", "^...-|^..7..$"}) {
    expect_exact_pattern_of_words(pattern);
  }
}

TEST(MaskExactness, TextsOfWhichOnlyTheLongAreSetApart) {
  for (const int most_characters : {8, 9, 10, 11}) {
    expect_exact_pattern_of_words("[0-9a-f]", most_characters);
    expect_exact_pattern_of_words("7.*b", most_characters);
  }
}

TEST(MaskExactness, WordsThatMustNotStandAnywhere) {
  for (const char* pattern :
       {"^((?!abc).)*$", "^((?!ab|7-|xyz).)*$", "^((?!(a|b)(c|d)7).)*$", "^((?!a).)*$",
        "^((?!abcd|bca).){0,9}$", "^((?!\u00e9a).)*$", "^((?! ab|de ).)*-$"}) {
    expect_exact_pattern_of_words(pattern);
  }
}

TEST(MaskExactness, Formats) {
  for (const char* format : {"email", "uri", "uuid", "hostname", "date-time"}) {
    expect_exact_schema(fmt::format(R"({{"type":"string","format":"{}"}})", format));
  }
}

TEST(MaskExactness, AllButSomeWords) {
  expect_exact_schema(R"({"type":"object","properties":{"ab":{"type":"string"},"a7":{}},
      "additionalProperties":{"type":"string","maxLength":1}})");
  expect_exact_schema(R"({"type":"string","not":{"enum":["ab","ba-"]}})");
  expect_exact_schema(R"({"enum":["ab","abZ","7",77,true,null]})");
}

TEST(MaskExactness, WordsSomewhereOrNowhere) {
  expect_exact_schema(R"({"oneOf":[{"type":"string","pattern":"ab"},
      {"type":"string","pattern":"b7-"},{"type":"string","pattern":"Z"}]})");
  // Each alternative allows nearly all tokens, and the others what it leaves out.
  constexpr std::string_view kOneWord = R"({"oneOf":[{"type":"string","pattern":"ab"},
      {"type":"string","pattern":"bba"},{"type":"string","pattern":"baaa"}]})";
  expect_exact_schema(kOneWord);
  expect_exact_schema(fmt::format(R"({{"type":"array","items":{}}})", kOneWord));
  for (const char* pattern :
       {"^((?!ab|b7).)*$", "^((?!a b).)*b$", "^(?!.*7.*7)", "^(?=.*a)(?=.*7).*$",
        "^[ab]*(ab|7Z).*$", "^.{3}7?$", "^(\\\\w+=\\\\S+)*(\\\\s\\\\w+=\\\\S+)*$"}) {
    expect_exact_schema(fmt::format(R"({{"type":"string","pattern":"{}"}})", pattern));
    expect_exact_schema(
        fmt::format(R"({{"type":"string","pattern":"{}","maxLength":5}})", pattern));
  }
  expect_exact_schema(R"({"anyOf":[{"type":"string"},{"type":"string","pattern":"^a*$"},
      {"enum":["ab\n","b"]}]})");
}

TEST(MaskExactness, PropertiesInAnyOrder) {
  SchemaPolicy policy;
  policy.order = PropertyOrder::any;
  for (const char* others : {"false", "true", "{\"maxLength\":1}"}) {
    expect_exact_schema(fmt::format(R"({{"type":"object","properties":{{"a":{{"type":"string"}},
        "ab":{{"enum":["a","7"]}},"b":{{"$ref":"#"}}}},"required":["ab"],
        "additionalProperties":{}}})",
                                    others),
                        Start::at_once, policy);
  }
}

TEST(MaskExactness, OptionalPropertiesInTheirOrder) {
  for (const char* others : {"false", "true", "{\"maxLength\":1}"}) {
    for (const char* required : {"", "\"ab\"", "\"Z\""}) {
      expect_exact_schema(fmt::format(R"({{"type":"object","properties":{{"a":{{"type":"string"}},
          "ab":{{"enum":["a","7"]}},"b":{{"$ref":"#"}},"7":{{}},"Z":{{"type":"integer"}}}},
          "required":[{}],"additionalProperties":{}}})",
                                      required, others));
    }
  }
}

TEST(MaskExactness, NestedAlternativesThatBeginAlike) {
  for (const char* more : {"", R"(,"maxItems":2)", R"(,"minItems":1)"}) {
    for (const char* others : {"true", "false"}) {
      const auto kind = [&](char name) {
        return fmt::format(R"({{"type":"object","properties":{{"a":{{"type":"array",
            "items":{{"$ref":"#"}}{}}},"b":{{"const":"{}"}}}},"required":["a","b"],
            "additionalProperties":{}}})",
                           more, name, others);
      };
      expect_exact_schema(fmt::format(R"({{"anyOf":[{},{},{},{{"const":"7"}}]}})", kind('a'),
                                      kind('b'), kind('Z')));
    }
  }
  expect_exact_schema(R"({"anyOf":[{"type":"array","items":{"$ref":"#"},"maxItems":2},
      {"type":"array","items":{"$ref":"#"}},{"type":"array","prefixItems":[{"$ref":"#"}],
      "items":{"enum":["a","b"]},"minItems":1}]})");
}

TEST(MaskExactness, CallsOfTools) {
  const Json tools = json_from(R"([{"type":"function","function":{"name":"f","parameters":
      {"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","maxLength":3}}}}}])");
  auto grammar = make_tool_grammar(dense().trie, tools, {}, Start::at_once);
  ASSERT_TRUE(grammar) << grammar.message();
  expect_exact_masks(dense(), grammar.value(), 5, 8);
}

}  // namespace
}  // namespace pleiad::constrain
