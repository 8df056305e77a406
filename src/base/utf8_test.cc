#include "base/utf8.h"

#include <gtest/gtest.h>

namespace pleiad {

TEST(Utf8Length, AcceptsOnlyWellFormedCharacters) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("é"), 2U);
  EXPECT_EQ(utf8_length("▁"), 3U);
  EXPECT_EQ(utf8_length("😀x"), 4U);
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("\xC0\x80"), 0U) << "overlong";
  EXPECT_EQ(utf8_length("\xED\xA0\x80"), 0U) << "surrogate";
  EXPECT_EQ(utf8_length("\xF4\x90\x80\x80"), 0U) << "above U+10FFFF";
  EXPECT_EQ(utf8_length("\xE2\x96"), 0U) << "cut off";
}

TEST(Utf8Count, PiecesOfATextAddUpToTheWhole) {
  const std::string_view text = "aé▁😀";
  EXPECT_EQ(utf8_count(text), 4U);
  for (std::size_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(utf8_count(text.substr(0, at)) + utf8_count(text.substr(at)), 4U) << at;
  }
  EXPECT_EQ(utf8_count(""), 0U);
}

TEST(Utf8IsIncomplete, TellsACutCharacterFromABrokenOne) {
  EXPECT_TRUE(utf8_is_incomplete("\xE2"));
  EXPECT_TRUE(utf8_is_incomplete("\xE2\x96"));
  EXPECT_TRUE(utf8_is_incomplete("\xF0\x9F\x98"));
  EXPECT_FALSE(utf8_is_incomplete("\xE2\x41"));
  EXPECT_FALSE(utf8_is_incomplete("\xFF"));
  EXPECT_FALSE(utf8_is_incomplete("a"));
  EXPECT_FALSE(utf8_is_incomplete("\xED\xA0")) << "would be a surrogate";
}

TEST(Utf8, TellsWhatOfACharacterIsAtTheEnd) {
  EXPECT_EQ(utf8_unfinished(""), 0U);
  EXPECT_EQ(utf8_unfinished("abc"), 0U);
  EXPECT_EQ(utf8_unfinished("\xE2\x96\x81"), 0U);
  EXPECT_EQ(utf8_unfinished("\xE2\x96"), 2U);
  EXPECT_EQ(utf8_unfinished("a\xE2"), 1U);
  EXPECT_EQ(utf8_unfinished("a\xF0\x9F\x98"), 3U);
  EXPECT_EQ(utf8_unfinished("\xF0\x9F\x98\x80\xC3"), 1U);
  EXPECT_EQ(utf8_unfinished("\xFF"), 0U);
}

}  // namespace pleiad
