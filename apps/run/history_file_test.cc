#include "apps/run/history_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;
using HistoryTexts = std::vector<std::string>;

class HistoryFileTest : public ::testing::Test {
 protected:
  ~HistoryFileTest() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::temp_directory_path() / ("pleiad_history_" + std::to_string(::getpid()));
  const fs::path path_ = folder_ / "pleiad" / "history";
};

TEST_F(HistoryFileTest, BringsWholeMessagesBackAndIsForItsOwnerAlone) {
  HistoryFile(path_).append("one\ntwo\t3");
  HistoryFile(path_).append("日本");
  EXPECT_EQ(HistoryFile(path_).load(), (HistoryTexts{"one\ntwo\t3", "日本"}));
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat(path_.parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(HistoryFileTest, GoesOnWhereAnEarlierVersionEnded) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << "_HiStOrY_V2_\n/show\\040info\\012\n";
  HistoryFile(path_).append("new one");
  EXPECT_EQ(HistoryFile(path_).load(), (HistoryTexts{"/show info", "new one"}));
}

TEST_F(HistoryFileTest, ALongOneIsCut) {
  fs::create_directories(path_.parent_path());
  {
    std::ofstream file(path_);
    for (int i = 0; i < 3000; ++i) file << i << "\n";
  }
  EXPECT_EQ(HistoryFile(path_).load().size(), 1000U);
  EXPECT_EQ(HistoryFile(path_).load().front(), "2000");
}

TEST_F(HistoryFileTest, WhereThereIsNoneThereIsNoHistory) {
  EXPECT_TRUE(HistoryFile("").load().empty());
  HistoryFile("").append("x");
  EXPECT_TRUE(HistoryFile(folder_).load().empty());
  HistoryFile("/proc/nowhere/history").append("x");
}

}  // namespace
}  // namespace pleiad::apps
