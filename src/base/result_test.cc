#include "base/result.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad {
namespace {

Result<int> parse_digit(char c) {
  if (c < '0' || c > '9') return Failure{"not a digit"};
  return c - '0';
}

TEST(Result, HoldsAValueOrTheReason) {
  EXPECT_EQ(parse_digit('7').value(), 7);
  EXPECT_FALSE(parse_digit('x').ok());
  EXPECT_EQ(parse_digit('x').message(), "not a digit");
}

TEST(Result, AskingAFailureForItsValueIsOurMistake) {
  EXPECT_THROW((void)parse_digit('x').value(), InternalError);
}

}  // namespace
}  // namespace pleiad
