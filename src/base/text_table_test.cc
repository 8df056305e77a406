#include "base/text_table.h"

#include <gtest/gtest.h>

namespace pleiad {
namespace {

TextTable example() {
  TextTable table({{"name"}, {"rate", true}, {"marks"}});
  table.add({"a \xE2\x86\x92 b", "7", ""});
  table.add({"c", "1,234", "x|y"});
  return table;
}

TEST(TextTable, AlignsTextLeftAndNumbersRightByWhatIsShown) {
  EXPECT_EQ(example().text(),
            "name    rate  marks\n"
            "a \xE2\x86\x92 b      7\n"
            "c      1,234  x|y\n");
}

TEST(TextTable, KeepsCellsTogetherInMarkdown) {
  EXPECT_EQ(example().markdown(),
            "| name | rate | marks |\n"
            "|---|---:|---|\n"
            "| a \xE2\x86\x92 b | 7 |  |\n"
            "| c | 1,234 | x\\|y |\n");
}

}  // namespace
}  // namespace pleiad
