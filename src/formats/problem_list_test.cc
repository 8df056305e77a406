#include "formats/problem_list.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace pleiad {

TEST(ProblemList, SaysNothingWhenAllIsWell) { EXPECT_NO_THROW(ProblemList("a").throw_if_any()); }

TEST(ProblemList, PutsOneProblemOnOneLine) {
  ProblemList problems("m.gguf");
  problems.add("expected {}, found {}", 1, 2);
  EXPECT_EQ(problems.message(), "m.gguf: expected 1, found 2");
  EXPECT_THROW(problems.throw_if_any(), LoadError);
}

TEST(ProblemList, ListsSeveralAndCutsALongList) {
  ProblemList problems("m");
  problems.add("a");
  problems.add("b");
  EXPECT_EQ(problems.message(), "m: 2 problems:\n  - a\n  - b");
  for (int i = 0; i < 25; ++i) problems.add("more");
  EXPECT_TRUE(problems.message().starts_with("m: 27 problems:\n  - a\n"));
  EXPECT_TRUE(problems.message().ends_with("\n  ... and 7 more"));
}

TEST(ProblemList, DoesNotRepeatItsFileNameBeforeTheTextOfAnError) {
  ProblemList problems("m");
  problems.add_error("m: broken");
  EXPECT_EQ(problems.message(), "m: broken");
}

}  // namespace pleiad
