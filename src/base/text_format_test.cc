#include "base/text_format.h"

#include <gtest/gtest.h>

namespace pleiad {

TEST(FormatBytes, UsesDecimalUnits) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(999), "999 bytes");
  EXPECT_EQ(format_bytes(1000), "1.0 KB");
  EXPECT_EQ(format_bytes(3'900'000'000), "3.9 GB");
  EXPECT_EQ(format_bytes(999'999), "1.0 MB");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(format_count(7), "7");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1406912), "1,406,912");
}

TEST(FormatSeconds, PicksAReadableUnit) {
  EXPECT_EQ(format_seconds(0.0008), "800 us");
  EXPECT_EQ(format_seconds(0.0341), "34.1 ms");
  EXPECT_EQ(format_seconds(2.04), "2.04 s");
  EXPECT_EQ(format_seconds(200), "3 min 20 s");
}

TEST(Printable, EscapesControlsAndInvalidBytesAndCutsLongText) {
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable("a\tb\r\n"), "a\\x09b\\x0d\\x0a");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J\xE2\x80\xAE"),
            "\\u009b2J\\u202e");
  EXPECT_EQ(printable("été"), "été");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
}

}  // namespace pleiad
