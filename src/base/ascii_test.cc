#include "base/ascii.h"

#include <gtest/gtest.h>

#include "base/percent.h"

namespace pleiad {
namespace {

TEST(Ascii, IsTrimmedAtBothEnds) {
  EXPECT_EQ(ascii_trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(ascii_trimmed("a"), "a");
  EXPECT_EQ(ascii_trimmed(" \n"), "");
  EXPECT_EQ(ascii_trimmed(""), "");
  EXPECT_EQ(ascii_trimmed(" a\n", " "), "a\n");
}

TEST(Ascii, HexHasAllItsDigitsInLowerCase) {
  EXPECT_TRUE(is_hex("0123456789abcdef", 16));
  EXPECT_TRUE(is_hex("", 0));
  for (const char* text : {"0123", "01234", "0123g", "ABCDE"}) {
    EXPECT_EQ(is_hex(text, 5), std::string_view(text) == "01234") << text;
  }
}

TEST(Percent, IsAByteOfTwoDigits) {
  EXPECT_EQ(percent_byte("%41B"), 'A');
  EXPECT_EQ(percent_byte("%fF"), '\xff');
  EXPECT_EQ(percent_byte("%00"), '\0');
  for (const char* text : {"", "%", "%4", "%4g", "%-1", "% 1", "A41", "%%41"}) {
    EXPECT_FALSE(percent_byte(text)) << text;
  }
}

}  // namespace
}  // namespace pleiad
