#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <vector>

#include "base/mapped_file_testing.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(MappedFileTest, RefusesAPipe) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of(folder_ / "pipe"), HasSubstr("expected a regular file"));
}

TEST_F(MappedFileTest, AFileThatIsCutOffHasZerosAndSaysSo) {
  const MappedFile file = pages("cut");
  EXPECT_EQ(change_of(file), "no change");
  ASSERT_EQ(::truncate((folder_ / "cut").c_str(), 10 * 4096), 0);
  EXPECT_EQ(count(file.bytes(), 'x'), 10U * 4096);
  EXPECT_EQ(count(file.bytes(), 0), 54U * 4096);
  EXPECT_THAT(change_of(file), HasSubstr("cut: changed while it was in use: it has 40960 bytes "
                                         "now, and had 262144"));
}

TEST_F(MappedFileTest, AFileThatIsEmptiedUnderManyThreadsHasZeros) {
  const MappedFile file = pages("emptied", 4096);
  const MappedFile other = pages("other");
  std::vector<std::jthread> readers;
  std::atomic<bool> cut = false;
  std::atomic<int> n_zeros = 0;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([&] {
      while (!cut) count(file.bytes(), 'x');
      n_zeros += count(file.bytes(), 0) == file.bytes().size();
    });
  }
  ASSERT_EQ(::truncate((folder_ / "emptied").c_str(), 0), 0);
  cut = true;
  readers.clear();
  EXPECT_EQ(n_zeros, 8);
  EXPECT_THAT(change_of(file), HasSubstr("it has 0 bytes now"));
  EXPECT_EQ(count(other.bytes(), 'x'), other.bytes().size());
  EXPECT_EQ(change_of(other), "no change");
}

TEST_F(MappedFileTest, AMovedOneIsStillGuarded) {
  MappedFile first = pages("first");
  MappedFile second = pages("second");
  second = MappedFile(std::move(first));
  ASSERT_EQ(::truncate((folder_ / "first").c_str(), 0), 0);
  EXPECT_EQ(count(second.bytes(), 0), second.bytes().size());
  EXPECT_THAT(change_of(second), HasSubstr("first: changed"));
}

TEST_F(MappedFileTest, AFileThatIsRenamedReplacedRemovedOrOfAnotherModeIsTheSame) {
  const MappedFile renamed = pages("renamed");
  fs::rename(folder_ / "renamed", folder_ / "new_name");
  EXPECT_EQ(change_of(renamed), "no change");
  const MappedFile replaced = pages("replaced");
  std::ofstream(folder_ / "next") << "other";
  fs::rename(folder_ / "next", folder_ / "replaced");
  EXPECT_EQ(change_of(replaced), "no change");
  const MappedFile removed = pages("removed");
  fs::remove(folder_ / "removed");
  EXPECT_EQ(change_of(removed), "no change");
  EXPECT_EQ(count(removed.bytes(), 'x'), removed.bytes().size());
  const MappedFile other_mode = pages("mode");
  fs::permissions(folder_ / "mode", fs::perms::owner_read);
  EXPECT_EQ(change_of(other_mode), "no change");
  const MappedFile two_names = pages("two");
  fs::create_hard_link(folder_ / "two", folder_ / "names");
  EXPECT_EQ(change_of(two_names), "no change");
}

TEST_F(MappedFileTest, WhatIsSaidOfAChangedFileIsThatItChanged) {
  const MappedFile file = pages("read");
  EXPECT_EQ(read_unchanged(file, [] { return 3; }), 3);
  EXPECT_THROW(read_unchanged(file, []() -> int { throw Error("bad row"); }), Error);
  const auto cut = [&] { return ::truncate((folder_ / "read").c_str(), 0); };
  EXPECT_THROW(read_unchanged(file, [&] { return cut(); }), FileChangedError);
  EXPECT_THROW(read_unchanged(file, []() -> int { throw Error("bad row"); }), FileChangedError);
}

TEST_F(MappedFileTest, TimesThatAreSetBackHideNoChange) {
  const MappedFile file = pages("old");
  const auto written = fs::last_write_time(folder_ / "old");
  overwrite("old", std::string(64 * 4096, 'y'));
  fs::last_write_time(folder_ / "old", written);
  EXPECT_THAT(change_of(file), HasSubstr("its time of change moved"));
}

/// Maps a file by itself and reads what is behind its end.
void read_behind_the_end(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  void* page = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
  EXPECT_EQ(*static_cast<const volatile char*>(page), 'x');
}

using MappedFileDeathTest = MappedFileTest;

// A sanitizer reports the signal and ends with a status.
TEST_F(MappedFileDeathTest, AFaultElsewhereEndsTheProcess) {
  const MappedFile file = pages("guarded");
  EXPECT_DEATH(read_behind_the_end(folder_ / "elsewhere"), "");
}

TEST_F(MappedFileDeathTest, ASignalThatIsSentEndsTheProcess) {
  const MappedFile file = pages("guarded");
  EXPECT_DEATH(::raise(SIGBUS), "");
}

}  // namespace
}  // namespace pleiad
