#include "constrain/texts/dfa.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "constrain/texts/dfa_test_data.h"
#include "constrain/texts/pattern.h"

namespace pleiad::constrain {
namespace {

using testing::ElementsAreArray;

TEST(Dfa, CountsAndListsItsTexts) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts[i].size() < 5; ++i) {
    for (const char c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
  }
  std::ranges::sort(texts);
  for (const char* pattern : {"^$", "^a$", "^(a|b){0,3}c?$", "^(ab|a)(b|bc)?$", "^(a?b?c?)(a?b)?$",
                              "^(?!.*bb)[ab]{2,5}$"}) {
    SCOPED_TRACE(pattern);
    std::size_t work = kPatternWork;
    const Result<Dfa> dfa = pattern_dfa(Syntax::json, pattern, {}, work);
    ASSERT_TRUE(dfa) << dfa.message();
    std::vector<std::string> expected;
    for (const std::string& text : texts) {
      if (accepts(dfa.value(), text)) expected.push_back(text);
    }
    std::vector<std::string> found;
    for (const std::vector<Symbol>& text : texts_of(dfa.value())) {
      found.emplace_back(text.begin(), text.end());
    }
    EXPECT_THAT(found, ElementsAreArray(expected));
    EXPECT_EQ(n_texts(dfa.value()), expected.size());
  }
}

TEST(Dfa, CountsManyTexts) {
  const auto count = [](const char* pattern) {
    std::size_t work = kPatternWork;
    return n_texts(pattern_dfa(Syntax::json, pattern, {}, work).value());
  };
  EXPECT_EQ(count("^[a-z]{5}[0-9]?$"), 26U * 26 * 26 * 26 * 26 * 11);
  EXPECT_EQ(count("^[ab]{31}$"), 1U << 31);
  EXPECT_EQ(count("^[ab]{32}$"), kManyTexts);
  EXPECT_EQ(count("^a+$"), kManyTexts);
  EXPECT_EQ(n_texts(dfa_of({})), 0U);
}

/// The inside of a string in which each pattern is found, or is not.
std::optional<Dfa> found_in(const std::vector<std::pair<const char*, bool>>& patterns,
                            std::size_t most) {
  std::vector<Dfa> dfas;
  for (const auto& [pattern, accepted] : patterns) {
    std::size_t work = kPatternWork;
    dfas.push_back(pattern_dfa(Syntax::json, pattern, {}, work).value());
  }
  std::vector<DfaCondition> conditions;
  for (std::size_t i = 0; i < dfas.size(); ++i)
    conditions.push_back({&dfas[i], patterns[i].second});
  return restricted(any_plain_text(Syntax::json), conditions, most);
}

TEST(Dfa, ManyDeniedPatternsTakeAsManyStatesAsTheirWordsHaveLetters) {
  const std::vector<std::pair<const char*, bool>> words = {
      {"alpha", false}, {"beta", false}, {"gamma", false}, {"delta", false},
      {"zeta", false},  {"eta", false},  {"theta", false}, {"iota", false}};
  const std::optional<Dfa> none = found_in(words, 400);
  ASSERT_TRUE(none);
  for (const char* text : {"", "alph", "bet a", "gam", "lamda", "zet"}) {
    EXPECT_TRUE(accepts(*none, text)) << text;
  }
  for (const char* text : {"alpha", "an alphabet", "xbeta", "theta", "the iota", "zzeta"}) {
    EXPECT_FALSE(accepts(*none, text)) << text;
  }
}

// What is denied may end again, and stand beside what is asked for.
TEST(Dfa, WhatIsDeniedInSomePlacesOnlyIsDeniedThere) {
  const std::optional<Dfa> found =
      found_in({{"^[ab]*$", true}, {"^a*$", false}, {"b$", false}, {"^(?=.*aba)", false}}, 1000);
  ASSERT_TRUE(found);
  for (const char* text : {"ba", "baa", "bba", "abba"}) EXPECT_TRUE(accepts(*found, text)) << text;
  for (const char* text : {"", "a", "aa", "b", "ab", "aba", "abab", "baba", "bca"}) {
    EXPECT_FALSE(accepts(*found, text)) << text;
  }
  EXPECT_TRUE(is_empty(*found_in({{"a", false}, {"^[^a]*$", false}}, 1000)));
}

// Each with each, in both ways, beside what each of them alone says of every short text.
TEST(Dfa, WhatIsAskedTogetherIsWhatEachAsksAlone) {
  const std::vector<const char*> patterns = {"ab",      "^a",    "b$",        "^(ab)*$",
                                             "^[ab]?$", "aa|bb", "^(?!.*bab)"};
  std::vector<Dfa> dfas;
  for (const char* pattern : patterns) {
    std::size_t work = kPatternWork;
    dfas.push_back(pattern_dfa(Syntax::json, pattern, {}, work).value());
  }
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts[i].size() < 5; ++i) {
    for (const char c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
  }
  std::size_t ways = 1;
  for (std::size_t i = 0; i < dfas.size(); ++i) ways *= 3;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<DfaCondition> conditions;
    for (std::size_t i = 0, rest = way; i < dfas.size(); ++i, rest /= 3) {
      if (rest % 3 > 0) conditions.push_back({&dfas[i], rest % 3 == 1});
    }
    const auto both = restricted(any_plain_text(Syntax::json), conditions, 20'000);
    ASSERT_TRUE(both) << way;
    for (const std::string& text : texts) {
      const bool expected = std::ranges::all_of(conditions, [&](const DfaCondition& condition) {
        return accepts(*condition.dfa, text) == condition.accepted;
      });
      ASSERT_EQ(accepts(*both, text), expected) << way << " " << text;
    }
  }
}

}  // namespace
}  // namespace pleiad::constrain
