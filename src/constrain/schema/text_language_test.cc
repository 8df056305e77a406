#include "constrain/schema/text_language.h"

#include <gtest/gtest.h>

#include <string>

namespace pleiad::constrain {
namespace {

std::string counted(std::string_view pattern) {
  const auto found = counted_pattern(pattern);
  if (!found) return "not counted";
  const std::string most =
      found->length.room == kUnbounded ? "" : std::to_string(found->length.room);
  return found->pattern + " " + std::to_string(found->length.need) + ".." + most;
}

TEST(CountedPattern, IsAClassWithALength) {
  EXPECT_EQ(counted("^[a-z]{2,50}$"), "^[a-z]*$ 2..50");
  EXPECT_EQ(counted("^.{8,}$"), "^.*$ 8..");
  EXPECT_EQ(counted("^\\d{4}$"), "^\\d*$ 4..4");
}

TEST(CountedPattern, MayHaveConditionsBeforeTheClass) {
  EXPECT_EQ(counted("^(?=.*[a-z])(?!.*x)[a-z]{8,64}$"), "^(?=.*[a-z])(?!.*x)[a-z]*$ 8..64");
  EXPECT_EQ(counted("^\\b[a-z]{2,3}$"), "^\\b[a-z]*$ 2..3");
  EXPECT_EQ(counted("^(?=.{2}$)[a-z]{1,5}$"), "^(?=.{2}$)[a-z]*$ 1..5");
}

TEST(CountedPattern, IsNothingWhereOtherCharactersAreRead) {
  for (const char* pattern :
       {"^a[b-z]{2,5}$", "^(ab){2,5}$", "^[a-z]{2,5}", "[a-z]{2,5}$", "^[a-z]{5,2}$", "^\\{3}$",
        "^x|[a-z]{2,5}$", "^(?=a)b[a-z]{2,5}$", "^[a-z]{2,5}(?=a)$", "^[a-z]{2,5}?$"}) {
    EXPECT_EQ(counted(pattern), "not counted") << pattern;
  }
}

}  // namespace
}  // namespace pleiad::constrain
