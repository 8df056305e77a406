#include "constrain/texts/substrings.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "constrain/texts/dfa_test_data.h"

namespace pleiad::constrain {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

std::vector<std::string> texts_within(const std::vector<std::string>& chunks) {
  std::size_t steps = 100'000;
  const std::optional<Dfa> dfa = substrings(chunks, steps);
  EXPECT_TRUE(dfa.has_value());
  std::vector<std::string> out;
  for (const auto& symbols : texts_of(*dfa)) out.emplace_back(symbols.begin(), symbols.end());
  return out;
}

TEST(Substrings, AreAllChunksThatFollowEachOther) {
  for (const std::vector<std::string>& chunks :
       std::vector<std::vector<std::string>>{{},
                                             {"a"},
                                             {"abc", "de", "fg"},
                                             {"ab", "a", "b", "ab"},
                                             {"a", "a", "a", ""},
                                             {"é", "è"}}) {
    std::set<std::string> expected = {""};
    for (std::size_t first = 0; first < chunks.size(); ++first) {
      std::string text;
      for (std::size_t i = first; i < chunks.size(); ++i) expected.insert(text += chunks[i]);
    }
    EXPECT_THAT(texts_within(chunks), ElementsAreArray(expected));
  }
}

TEST(Substrings, WhatTakesMoreStepsIsNotMade) {
  std::size_t steps = 10'000;
  EXPECT_FALSE(substrings(characters_of_text(std::string(1000, 'a')), steps));
  EXPECT_EQ(steps, 0);
  steps = 10'000;
  EXPECT_TRUE(substrings({"abc", "def"}, steps));
  EXPECT_LT(steps, 10'000);
  EXPECT_GT(steps, 9'000);
}

TEST(Substrings, TextsAreCutIntoWordsAndIntoCharacters) {
  EXPECT_THAT(words_of("foo bar. baz"), ElementsAre("foo", " ", "bar", ".", " ", "baz"));
  EXPECT_THAT(words_of("größe_1  \t№½-+日本　x"),
              ElementsAre("größe_1", "  \t", "№", "½", "-+", "日本", "　", "x"));
  EXPECT_THAT(words_of(""), ElementsAre());
  EXPECT_THAT(characters_of_text("aé😀"), ElementsAre("a", "é", "😀"));
}

}  // namespace
}  // namespace pleiad::constrain
