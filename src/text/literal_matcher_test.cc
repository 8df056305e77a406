#include "text/literal_matcher.h"

#include <gtest/gtest.h>

namespace pleiad::text {
namespace {

std::vector<TokenId> matches(const LiteralMatcher& matcher, std::string_view text) {
  std::vector<TokenId> ids;
  std::size_t from = 0;
  while (const auto match = matcher.find(text, from)) {
    ids.push_back(match->id);
    from = match->end;
  }
  return ids;
}

TEST(LiteralMatcher, TakesTheLeftmostAndThereTheLongest) {
  const LiteralMatcher matcher({{"ab", 1}, {"abcd", 2}, {"bc", 3}, {"a", 4}, {"", 5}});
  EXPECT_EQ(matches(matcher, "abcdabc"), (std::vector<TokenId>{2, 1}));
  EXPECT_EQ(matches(matcher, "xbcaab"), (std::vector<TokenId>{3, 4, 1}));
  EXPECT_EQ(matches(matcher, ""), std::vector<TokenId>{});
}

TEST(LiteralMatcher, ComparesBytesAsUnsigned) {
  const LiteralMatcher matcher({{"\xFF", 1}, {"\x01\x80", 2}, {"\x01\x7F", 3}, {"é", 4}});
  EXPECT_EQ(matches(matcher,
                    "\x01\x80\x01\x7F\xFF"
                    "é"),
            (std::vector<TokenId>{2, 3, 1, 4}));
}

TEST(LiteralMatcher, FindsNothingWhenEmpty) {
  EXPECT_TRUE(LiteralMatcher().empty());
  EXPECT_FALSE(LiteralMatcher().find("text", 0));
}

}  // namespace
}  // namespace pleiad::text
