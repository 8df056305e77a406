#include "media/documents/page_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::media {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> pages_chosen(std::string_view text, int n_pages) {
  return pages_of(parse_page_ranges(text).value(), n_pages).value();
}

TEST(PageRanges, AreThePagesThatTheyNameInTheirOrderAndOnce) {
  EXPECT_THAT(pages_chosen("3-5,9", 10), ElementsAre(3, 4, 5, 9));
  EXPECT_THAT(pages_chosen("9,3-5,4", 10), ElementsAre(3, 4, 5, 9));
  EXPECT_THAT(pages_chosen(" 2 , 4 - 5 ", 10), ElementsAre(2, 4, 5));
  EXPECT_THAT(pages_chosen("8-", 10), ElementsAre(8, 9, 10));
  EXPECT_THAT(pages_chosen("10-10", 10), ElementsAre(10));
}

TEST(PageRanges, AreAllPagesWhereNothingIsSaid) {
  EXPECT_THAT(pages_chosen("", 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(pages_chosen("  ", 1), ElementsAre(1));
}

TEST(PageRanges, ThatAreNoneAreNamed) {
  for (const char* wrong : {"0", "-3", "7-3", "a", "1,,2", "1,", ",", "1-2-3", "1.5", "+1", "1;2",
                            "99999999999", "1-99999999999", "3-x", "0x1"}) {
    const auto ranges = parse_page_ranges(wrong);
    ASSERT_FALSE(ranges.ok()) << wrong;
    EXPECT_THAT(ranges.message(), HasSubstr("expected pages such as 3-7,9")) << wrong;
  }
  EXPECT_THAT(parse_page_ranges("2,7-3").message(), HasSubstr("found '7-3'"));
  EXPECT_THAT(parse_page_ranges("\x1b[31m").message(), HasSubstr("found '\\x1b[31m'"));
}

TEST(PageRanges, BehindTheLastPageAreRefusedWithTheCount) {
  const auto pages_in_twelve = [](std::string_view text) {
    return pages_of(parse_page_ranges(text).value(), 12);
  };
  EXPECT_EQ(pages_in_twelve("13").message(), "has 12 pages, so that there is no page 13");
  EXPECT_EQ(pages_in_twelve("3-2000").message(), "has 12 pages, so that there is no page 2,000");
  EXPECT_EQ(pages_in_twelve("13-").message(), "has 12 pages, so that there is no page 13");
  EXPECT_EQ(pages_of({{2, 2}}, 1).message(), "has 1 page, so that there is no page 2");
}

TEST(PageRanges, AreBounded) {
  std::string many = "1";
  for (int i = 0; i < 1000; ++i) many += ",1";
  EXPECT_THAT(parse_page_ranges(many).message(), HasSubstr("more than 1,000 ranges"));
}

}  // namespace
}  // namespace pleiad::media
