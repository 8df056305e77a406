#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/testing/test_folder.h"
#include "model/checkpoint.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string problem_with(const fs::path& path) {
  try {
    (void)Checkpoint::open(path);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckpointPath, MayBeALoopOrAPipeWhichIsSaid) {
  const TestFolder folder;
  fs::create_directory_symlink(folder / "loop", folder / "loop");
  EXPECT_THAT(problem_with(folder / "loop"), HasSubstr("Too many levels of symbolic links"));
  EXPECT_THAT(problem_with(folder / "loop" / "config.json"), HasSubstr("Too many levels"));
  ASSERT_EQ(::mkfifo((folder / "pipe.gguf").c_str(), 0600), 0);
  EXPECT_THAT(problem_with(folder / "pipe.gguf"), HasSubstr("expected a regular file"));
}

/// While it lives, files are opened as somebody whom permissions bind: root may
/// read everything. Works in `folder`, since those above may be root's alone.
class WithoutRoot {
 public:
  explicit WithoutRoot(const fs::path& folder) : before_(fs::current_path()) {
    fs::permissions(folder, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
    fs::current_path(folder);
    dropped_ = ::geteuid() == 0 && ::seteuid(kNobody) == 0;
  }
  ~WithoutRoot() {
    if (dropped_ && ::seteuid(0) != 0) std::abort();  // or later tests would fail for no reason
    fs::current_path(before_);
  }
  WithoutRoot(const WithoutRoot&) = delete;
  WithoutRoot& operator=(const WithoutRoot&) = delete;

 private:
  static constexpr ::uid_t kNobody = 65534;
  fs::path before_;
  bool dropped_ = false;
};

TEST(CheckpointPath, OfAFileThatMayNotBeReadIsNamed) {
  const TestFolder folder;
  folder.write("open.gguf", "GGUF");
  fs::permissions(folder / "open.gguf", fs::perms::others_read, fs::perm_options::add);
  folder.write("a.gguf", "GGUF");
  fs::permissions(folder / "a.gguf", fs::perms::none);
  const WithoutRoot without_root(folder);
  // It is the file that refuses, not a folder above it.
  EXPECT_THAT(problem_with("open.gguf"), Not(HasSubstr("Permission denied")));
  EXPECT_THAT(problem_with("a.gguf"), AllOf(HasSubstr("a.gguf"), HasSubstr("Permission denied")));
}

}  // namespace
}  // namespace pleiad
