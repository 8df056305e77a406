#include "apps/run/history_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

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

TEST_F(HistoryFileTest, WhatIsNoRegularFileStaysAsItIs) {
  fs::create_directories(path_.parent_path());
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0644), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  fs::create_symlink(pipe, path_);
  HistoryFile(path_).append("x");
  EXPECT_TRUE(HistoryFile(path_).load().empty());
  struct stat status = {};
  ASSERT_EQ(::stat(pipe.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
  char byte = 0;
  EXPECT_LE(::read(reader, &byte, 1), 0);
  ::close(reader);
  HistoryFile(path_).append("nobody reads, and nobody waits");
}

TEST_F(HistoryFileTest, OneThatOthersMightReadIsClosedToThem) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << "earlier\n";
  fs::permissions(path_, fs::perms(0644));
  HistoryFile(path_).append("later");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0600));
}

TEST_F(HistoryFileTest, ProgramsThatAddAtTheSameTimeLoseNothing) {
  fs::create_directories(path_.parent_path());
  {
    std::ofstream file(path_);
    for (int i = 0; i < 2001; ++i) file << i << "\n";  // long enough to be cut
  }
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i) {
    others.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) HistoryFile(path_).append(fmt::format("new {} {}", i, k));
    });
  }
  for (int k = 0; k < 20; ++k) HistoryFile(path_).load();
  for (std::thread& other : others) other.join();
  const std::vector<std::string> all = HistoryFile(path_).load();
  EXPECT_EQ(std::ranges::count_if(
                all, [](const std::string& entry) { return entry.starts_with("new "); }),
            200);
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
