#include "terminal/editor/line_history.h"

#include <gtest/gtest.h>

namespace pleiad::terminal {
namespace {

TEST(LineHistory, KeepsWhatIsNewAndNotBlank) {
  LineHistory history;
  EXPECT_TRUE(history.add("a"));
  EXPECT_FALSE(history.add("a"));
  EXPECT_FALSE(history.add(" \n"));
  EXPECT_TRUE(history.add("b\nc"));
  EXPECT_EQ(history.find_older("a", 2), 0U);
  EXPECT_FALSE(history.find_older("x", 2));
  for (std::size_t i = 0; i < LineHistory::kMost; ++i) history.add(std::to_string(i));
  EXPECT_EQ(history.size(), LineHistory::kMost);
  EXPECT_EQ(history[0], "0");
}

TEST(LineHistory, ReadsWhatItWrites) {
  for (const std::string text : {"plain", "two\nlines\tand tabs", "back\\slash \\n", "日本語 é 😀",
                                 "\x1b[31m\x7f", "trailing  "}) {
    const std::string line = encode_history_line(text);
    EXPECT_EQ(line.find_first_of(" \t\n\x1b"), std::string::npos) << line;
    EXPECT_EQ(decode_history_line(line), text);
  }
}

// As libedit 3.1 writes it: vis(3) with VIS_WHITE, each entry with its end of line.
TEST(LineHistory, ReadsTheFilesOfLibedit) {
  EXPECT_EQ(decode_history(
                "_HiStOrY_V2_\n/show\\040info\\012\nGr\\M-C\\M-<\\M-C\\M^_e\\012\na\\^Ib\\\\\n"),
            (std::vector<std::string>{"/show info", "Grüße", "a\tb\\"}));
}

TEST(LineHistory, AnyBytesGiveWellFormedText) {
  EXPECT_EQ(decode_history("\xff\\M\\\n\n\\\\377"),
            (std::vector<std::string>{"\uFFFDM\\", "\\377"}));
}

}  // namespace
}  // namespace pleiad::terminal
