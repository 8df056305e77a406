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

TEST(TextTable, KeepsTextFromOutsideInItsCell) {
  TextTable table({{"a\nb"}, {"c"}});
  table.add({"x\n\x1b[2J", "\xE2\x80\xAE"});
  EXPECT_EQ(table.text(),
            "a\\x0ab        c\n"
            "x\\x0a\\x1b[2J  \\u202e\n");
  EXPECT_EQ(table.markdown(),
            "| a\\x0ab | c |\n"
            "|---|---|\n"
            "| x\\x0a\\x1b[2J | \\u202e |\n");
}

}  // namespace
}  // namespace pleiad
