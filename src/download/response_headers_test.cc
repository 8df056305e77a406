#include "download/response_headers.h"

#include <gtest/gtest.h>

namespace pleiad::download {
namespace {

TEST(ContentRange, IsARangeOfAFile) {
  const auto range = parse_content_range("bytes 500-999/1234");
  ASSERT_TRUE(range);
  EXPECT_EQ(*range->first, 500u);
  EXPECT_EQ(*range->last, 999u);
  EXPECT_EQ(*range->size, 1234u);
  const auto open = parse_content_range("BYTES 0-0/*");
  ASSERT_TRUE(open);
  EXPECT_EQ(*open->last, 0u);
  EXPECT_FALSE(open->size);
  const auto none = parse_content_range("bytes */7");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->first);
  EXPECT_EQ(*none->size, 7u);
}

TEST(ContentRange, ContradictsNothing) {
  for (const char* value :
       {"", "bytes", "bytes ", "bytes */*", "bytes 1-0/5", "bytes 0-5/5", "bytes -5/10",
        "bytes 5-/10", "bytes 0-4/", "bytes 0-4", "items 0-4/5", "bytes 0-4/5x", "bytes 0-4-5/9",
        "bytes=0-4/5", "bytes 0x0-4/5", "bytes +0-4/5", "bytes 0-99999999999999999999/*",
        "bytes 0-4/99999999999999999999", "bytes 5/10"}) {
    EXPECT_FALSE(parse_content_range(value)) << value;
  }
}

TEST(ContentLength, IsDigitsThatFit) {
  EXPECT_EQ(parse_content_length(" 3300000000 "), 3300000000u);
  for (const char* value :
       {"", "-1", "+1", "1.5", "1,000", "0x10", "5, 5", "1000000000000000000"}) {
    EXPECT_FALSE(parse_content_length(value)) << value;
  }
}

TEST(RetryAfter, IsSecondsOrADate) {
  EXPECT_EQ(parse_retry_after("120", 0), 120);
  const double now = 784111777 - 30;  // Sun, 06 Nov 1994 08:49:37 GMT
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), 30);
  EXPECT_EQ(parse_retry_after("Sunday, 06-Nov-94 08:49:37 GMT", now), 30);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now + 60), 0) << "it is over";
  for (const char* value : {"", "soon", "-5", "1.5", "Sun, 99 Foo 1994"}) {
    EXPECT_FALSE(parse_retry_after(value, now)) << value;
  }
}

TEST(EntityTag, IsStrongOrWeak) {
  EXPECT_EQ(parse_entity_tag("\"abc\""), (EntityTag{false, "abc"}));
  EXPECT_EQ(parse_entity_tag(" W/\"abc\" "), (EntityTag{true, "abc"}));
  EXPECT_EQ(parse_entity_tag("abc-1"), (EntityTag{false, "abc-1"})) << "some hosts leave them out";
  EXPECT_EQ(parse_entity_tag("W/\"abc\"")->text(), "W/\"abc\"");
  EXPECT_EQ(parse_entity_tag("abc")->text(), "\"abc\"");
  for (const std::string& value :
       {std::string(), std::string("\"\""), std::string("\"a\"b\""), std::string("\"a b\""),
        std::string("\"a\nb\""), std::string("W/"), std::string(1025, 'x')}) {
    EXPECT_FALSE(parse_entity_tag(value)) << value;
  }
}

TEST(Link, LeadsOnByARelation) {
  const std::string value =
      "</v2/x/tags/list?n=2&last=a,b>; title=\"no; rel=next, <here>\"; rel=\"prev next\", <z>; "
      "rel=last";
  EXPECT_EQ(parse_link(value, "next"), "/v2/x/tags/list?n=2&last=a,b");
  EXPECT_EQ(parse_link(value, "LAST"), "z");
  for (const char* other : {"", "<", "<a", "a; rel=next", "<a>", "<a>; rel", "<a>; relx=next",
                            "<a>; rel=\"next", "<a>; title=\"; rel=next"}) {
    EXPECT_EQ(parse_link(other, "next"), "") << other;
  }
}

}  // namespace
}  // namespace pleiad::download
