#include "terminal/display_width.h"

#include <gtest/gtest.h>

namespace pleiad::terminal {
namespace {

// Widths of EastAsianWidth.txt and of what terminals draw over the character before.
TEST(DisplayWidth, IsThatOfTheCharacters) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("Grüße"), 5);
  EXPECT_EQ(display_width("日本語"), 6);
  EXPECT_EQ(display_width("한국"), 4);
  EXPECT_EQ(display_width("ｆｕｌｌ"), 8);
  EXPECT_EQ(display_width("😀"), 2);
  EXPECT_EQ(display_width("e\u0301"), 1);             // é of two characters
  EXPECT_EQ(display_width("\u200d\ufe0f"), 0);        // joiner, selector
  EXPECT_EQ(display_width("न\u094d"), 1);             // a virama under its letter
  EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2);  // Hangul by its letters
  EXPECT_EQ(display_width("│─•"), 3);
  EXPECT_EQ(display_width("\xff\xfe"), 2);
}

TEST(ClusterLength, TakesWhatAReaderCallsOneCharacter) {
  EXPECT_EQ(cluster_length("ab"), 1U);
  EXPECT_EQ(cluster_length("日本"), 3U);
  EXPECT_EQ(cluster_length("e\u0301x"), 3U);
  EXPECT_EQ(cluster_length("👩\u200d💻z"), 11U);
  EXPECT_EQ(cluster_length("👍\U0001F3FDz"), 8U);
  EXPECT_EQ(cluster_length("🇩🇪🇫🇷"), 8U);
  EXPECT_EQ(cluster_length("☂\ufe0fx"), 6U);
  EXPECT_EQ(cluster_length("\n\u0301"), 1U);
  EXPECT_EQ(cluster_length("\xff\u0301"), 1U);
}

TEST(LastClusterLength, IsTheSameFromBehind) {
  EXPECT_EQ(last_cluster_length("ab"), 1U);
  EXPECT_EQ(last_cluster_length("日本"), 3U);
  EXPECT_EQ(last_cluster_length("xe\u0301"), 3U);
  EXPECT_EQ(last_cluster_length("a👩\u200d💻"), 11U);
  EXPECT_EQ(last_cluster_length("🇩🇪🇫🇷"), 8U);
  EXPECT_EQ(last_cluster_length("\n"), 1U);
}

}  // namespace
}  // namespace pleiad::terminal
