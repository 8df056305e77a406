#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/documents/process/confined_program.h"

namespace pleiad::media {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Announcement, IsTakenFromWhatAProcessSays) {
  ProgramConfinement found;
  std::string errors = "confined 6\nSyntax Error\n";
  EXPECT_TRUE(take_announcement(errors, found));
  EXPECT_EQ(errors, "Syntax Error\n");
  EXPECT_FALSE(found.own_network);
  EXPECT_TRUE(found.own_files);
  EXPECT_TRUE(found.readable_only);
  EXPECT_THAT(found.text(), HasSubstr("libraries and fonts alone and Landlock"));
  for (std::string wrong : {"", "confined", "confined 6", "confined 8\n", "confined 66\n", "x\n"}) {
    EXPECT_FALSE(take_announcement(wrong, found)) << wrong;
  }
}

TEST(ConverterWords, AreLimitsAndArguments) {
  EXPECT_THAT(converter_words("program", {100, 7}, {"/usr/bin/x", "-f"}),
              ElementsAre("program", "100", "7", "/usr/bin/x", "-f"));
}

}  // namespace
}  // namespace pleiad::media
