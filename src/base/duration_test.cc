#include "base/duration.h"

#include <gtest/gtest.h>

namespace pleiad {
namespace {

TEST(DurationTest, ReadsGoDurationsAndPlainSeconds) {
  EXPECT_DOUBLE_EQ(parse_duration("5m").value(), 300);
  EXPECT_DOUBLE_EQ(parse_duration("1h30m").value(), 5400);
  EXPECT_DOUBLE_EQ(parse_duration("1.5s").value(), 1.5);
  EXPECT_DOUBLE_EQ(parse_duration("300ms").value(), 0.3);
  EXPECT_DOUBLE_EQ(parse_duration("2µs").value(), 2e-6);
  EXPECT_DOUBLE_EQ(parse_duration("0").value(), 0);
  EXPECT_DOUBLE_EQ(parse_duration("3600").value(), 3600);
  EXPECT_DOUBLE_EQ(parse_duration("-1").value(), -1);
  EXPECT_DOUBLE_EQ(parse_duration("-1m").value(), -60);
}

TEST(DurationTest, RefusesEverythingElseAndQuotesIt) {
  for (const char* text : {"", "-", "m", "5x", "5m3", "1e3", "inf", "nan", "5 m", "--5", "5m-3s"}) {
    const Result<double> parsed = parse_duration(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.message().find(std::string("'") + text + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace pleiad
