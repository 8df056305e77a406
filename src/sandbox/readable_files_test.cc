#include "sandbox/readable_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sandbox/fork_testing.h"

namespace pleiad::sandbox {
namespace {

class ReadableFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::syscall(444, nullptr, 0, 1) < 1) GTEST_SKIP() << "this kernel has no Landlock";
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("readable_files_" + std::to_string(::getpid()));
    for (const char* name : {"shown", "hidden"}) {
      std::filesystem::create_directories(folder_ / name);
      std::ofstream(folder_ / name / "file") << name;
    }
    shown_ = folder_ / "shown";
    hidden_ = folder_ / "hidden";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static bool opens(const std::string& path, int flags = O_RDONLY) {
    const int fd = ::open(path.c_str(), flags, 0600);
    if (fd >= 0) ::close(fd);
    return fd >= 0;
  }

  std::filesystem::path folder_;
  std::string shown_;
  std::string hidden_;
};

TEST_F(ReadableFiles, AreAllThatIsOpened) {
  EXPECT_EQ(status_of_child([&] {
              const char* const paths[] = {shown_.c_str(), "/is/not/there"};
              return opens(hidden_ + "/file") && allow_reading_only(paths) &&
                     opens(shown_ + "/file") && opens(shown_, O_RDONLY | O_DIRECTORY) &&
                     !opens(hidden_ + "/file") && !opens(shown_ + "/../hidden/file") &&
                     !opens(hidden_, O_RDONLY | O_DIRECTORY) && !opens("/etc/passwd") &&
                     !opens("/proc/self/status");
            }),
            0);
}

TEST_F(ReadableFiles, CannotBeChanged) {
  EXPECT_EQ(status_of_child([&] {
              const char* const paths[] = {shown_.c_str()};
              return allow_reading_only(paths) && !opens(shown_ + "/file", O_RDWR) &&
                     !opens(shown_ + "/new", O_WRONLY | O_CREAT) &&
                     ::unlink((shown_ + "/file").c_str()) != 0 &&
                     ::mkdir((shown_ + "/folder").c_str(), 0700) != 0 &&
                     ::rename((shown_ + "/file").c_str(), (shown_ + "/other").c_str()) != 0;
            }),
            0);
  EXPECT_TRUE(std::filesystem::exists(shown_ + "/file"));
}

TEST_F(ReadableFiles, CanBeOneThatIsOpen) {
  EXPECT_EQ(status_of_child([&] {
              const std::string path = hidden_ + "/file";
              const int fd = ::open(path.c_str(), O_PATH);
              return fd >= 0 && allow_reading_only({}, fd) && opens(path) && !opens(shown_);
            }),
            0);
}

}  // namespace
}  // namespace pleiad::sandbox
