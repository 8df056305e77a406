#include "base/measurement_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace pleiad {

TEST(ShortNumber, HasThreeDigitsAndNoExponent) {
  EXPECT_EQ(short_number(1234.4), "1234");
  EXPECT_EQ(short_number(31.44), "31.4");
  EXPECT_EQ(short_number(0.0973), "0.097");
}

TEST(RoundedMeasurement, KeepsSixDigits) {
  EXPECT_EQ(rounded_measurement(0.123456789), 0.123457);
  EXPECT_EQ(rounded_measurement(123456789), 123457000);
  EXPECT_EQ(rounded_measurement(std::numeric_limits<double>::infinity()), 0);
}

TEST(CsvField, QuotesWhatWouldEndIt) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
}

}  // namespace pleiad
