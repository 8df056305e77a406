#include "base/mapped_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

#include "base/error.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MappedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_mapped_file_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string error_of(const fs::path& path) {
    try {
      MappedFile file(path);
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  }

  /// A mapped file of some pages of 'x'.
  MappedFile pages(const std::string& name, std::size_t n = 64) {
    std::ofstream(folder_ / name) << std::string(n * 4096, 'x');
    MappedFile file(folder_ / name);
    wait_for_a_tick();
    return file;
  }

  /// The clock of file systems goes in steps of some milliseconds: what is done within one of
  /// them has one time.
  void wait_for_a_tick() const {
    const auto now = [&] {
      std::ofstream(folder_ / "clock") << "tick";
      return fs::last_write_time(folder_ / "clock");
    };
    for (const auto then = now(); now() == then;) std::this_thread::yield();
  }

  /// Writes into the file that is there, as cp does.
  void overwrite(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::trunc) << text;
  }

  static std::string change_of(const MappedFile& file) {
    try {
      file.check_unchanged();
    } catch (const FileChangedError& error) {
      return error.what();
    }
    return "no change";
  }

  static std::size_t count(std::span<const std::byte> bytes, char letter) {
    return static_cast<std::size_t>(std::ranges::count(bytes, static_cast<std::byte>(letter)));
  }

  fs::path folder_;
};

TEST_F(MappedFileTest, ShowsTheBytesAndSurvivesAMove) {
  std::ofstream(folder_ / "a") << "hello";
  MappedFile file(folder_ / "a");
  MappedFile moved(std::move(file));
  ASSERT_EQ(moved.bytes().size(), 5U);
  EXPECT_EQ(static_cast<char>(moved.bytes()[4]), 'o');
}

TEST_F(MappedFileTest, AnEmptyFileIsEmpty) {
  std::ofstream(folder_ / "empty").flush();
  EXPECT_TRUE(MappedFile(folder_ / "empty").bytes().empty());
}

TEST_F(MappedFileTest, SaysWhatIsWrongWithThePath) {
  EXPECT_THAT(error_of(folder_ / "missing"), HasSubstr("No such file"));
  EXPECT_THAT(error_of(folder_), HasSubstr("found a folder"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of(folder_ / "pipe"), HasSubstr("expected a regular file"));
}

TEST_F(MappedFileTest, PagesMayBeRequestedAtAnyPlace) {
  const std::string text(10'000, 'x');
  std::ofstream(folder_ / "pages") << text;
  MappedFile file(folder_ / "pages");
  const auto bytes = file.bytes();
  for (const auto part : {bytes, bytes.first(1), bytes.last(1), bytes.subspan(4095, 2),
                          bytes.subspan(5000, 3000), bytes.first(0)}) {
    request_pages(part);
  }
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{'x'}; }));
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

TEST_F(MappedFileTest, AFileOfTheSameSizeThatIsWrittenOverItHasChanged) {
  const MappedFile file = pages("same");
  overwrite("same", std::string(64 * 4096, 'y'));
  EXPECT_THAT(change_of(file), HasSubstr("it was written to"));
}

TEST_F(MappedFileTest, AFileThatGrewHasChanged) {
  const MappedFile file = pages("grows");
  std::ofstream(folder_ / "grows", std::ios::app) << "more";
  EXPECT_THAT(change_of(file), HasSubstr("it has 262148 bytes now, and had 262144"));
}

TEST_F(MappedFileTest, TimesThatAreSetBackHideNoChange) {
  const MappedFile file = pages("old");
  const auto written = fs::last_write_time(folder_ / "old");
  overwrite("old", std::string(64 * 4096, 'y'));
  fs::last_write_time(folder_ / "old", written);
  EXPECT_THAT(change_of(file), HasSubstr("its time of change moved"));
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

TEST_F(MappedFileTest, WhatIsUndoneLaterIsNoChangeEither) {
  const MappedFile linked = pages("linked");
  fs::create_hard_link(folder_ / "linked", folder_ / "backup");
  EXPECT_EQ(change_of(linked), "no change");
  wait_for_a_tick();
  fs::remove(folder_ / "backup");
  EXPECT_EQ(change_of(linked), "no change");
  const MappedFile mode = pages("mode");
  fs::permissions(folder_ / "mode", fs::perms::owner_read);
  EXPECT_EQ(change_of(mode), "no change");
  wait_for_a_tick();
  fs::permissions(folder_ / "mode", fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(change_of(mode), "no change");
  const MappedFile moved = pages("here");
  fs::rename(folder_ / "here", folder_ / "there");
  EXPECT_EQ(change_of(moved), "no change");
  wait_for_a_tick();
  fs::rename(folder_ / "there", folder_ / "here");
  EXPECT_EQ(change_of(moved), "no change");
  overwrite("here", std::string(64 * 4096, 'y'));
  EXPECT_THAT(change_of(moved), HasSubstr("it was written to"));
}

TEST_F(MappedFileTest, WhatIsSaidOfAChangedFileIsThatItChanged) {
  const MappedFile file = pages("read");
  EXPECT_EQ(read_unchanged(file, [] { return 3; }), 3);
  EXPECT_THROW(read_unchanged(file, []() -> int { throw Error("bad row"); }), Error);
  const auto cut = [&] { return ::truncate((folder_ / "read").c_str(), 0); };
  EXPECT_THROW(read_unchanged(file, [&] { return cut(); }), FileChangedError);
  EXPECT_THROW(read_unchanged(file, []() -> int { throw Error("bad row"); }), FileChangedError);
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
