#include "apps/common/output.h"

#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

TEST(IndentLaterLines, LeavesOneLineThatBeginsAtTheLeft) {
  EXPECT_EQ(indent_later_lines(""), "");
  EXPECT_EQ(indent_later_lines("one"), "one");
  EXPECT_EQ(indent_later_lines("m.gguf: 2 problems:\n  - a\n  - b"),
            "m.gguf: 2 problems:\n  - a\n  - b");
  EXPECT_EQ(indent_later_lines("a\npleiad: all is well\n b: cannot open"),
            "a\n  pleiad: all is well\n   b: cannot open");
  EXPECT_EQ(indent_later_lines("a\n\nb\n"), "a\n  \n  b\n");
}

}  // namespace
}  // namespace pleiad::apps
