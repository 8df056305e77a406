#include "constrain/texts/dfa.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
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

}  // namespace
}  // namespace pleiad::constrain
