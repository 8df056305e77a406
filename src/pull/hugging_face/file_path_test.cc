#include "pull/hugging_face/file_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace pleiad::pull::hugging_face {
namespace {

using ::testing::HasSubstr;

TEST(HubFilePath, TakesWhatRepositoriesHave) {
  for (const char* path : {"config.json", ".gitattributes", "BF16/x-00001-of-00002.gguf",
                           "refs/pr/1", "a b+c@d", "größe.txt", "..a", "a..b", "v1.0"}) {
    EXPECT_EQ(path_problem(path), "") << path;
  }
}

TEST(HubFilePath, RefusesWhatLeavesTheFolderOrIsNoName) {
  for (const char* path : {"..", "../x", "a/../b", "a/..", ".", "./x", "a/./b"}) {
    EXPECT_THAT(path_problem(path), HasSubstr("has the part")) << path;
  }
  for (const char* path : {"/etc/passwd", "a//b", "a/", "/"}) {
    EXPECT_EQ(path_problem(path), "has an empty part") << path;
  }
  EXPECT_EQ(path_problem(""), "is empty");
  EXPECT_EQ(path_problem("a\\..\\b"), "has a backslash");
  EXPECT_EQ(path_problem("a\nb"), "has a control character");
  EXPECT_EQ(path_problem("a\x7f"), "has a control character");
  EXPECT_EQ(path_problem("a\u0085"), "has a control character");
  EXPECT_EQ(path_problem(std::string("a\0b", 3)), "has a control character");
  EXPECT_EQ(path_problem("a\xff"), "is not UTF-8");
}

TEST(HubFilePath, RefusesWhatIsTooLong) {
  EXPECT_EQ(path_problem(std::string(255, 'a')), "");
  EXPECT_EQ(path_problem(std::string(256, 'a')), "has a part of 256 bytes, 255 at most");
  EXPECT_EQ(path_problem(std::string(1025, 'a')), "has 1025 bytes, 1024 at most");
  std::string deep = "a";
  for (int i = 1; i < 16; ++i) deep += "/a";
  EXPECT_EQ(path_problem(deep), "");
  EXPECT_EQ(path_problem(deep + "/a"), "has more than 16 parts");
}

}  // namespace
}  // namespace pleiad::pull::hugging_face
