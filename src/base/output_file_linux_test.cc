#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file_testing.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(OutputFileTest, FollowsALinkAndKeepsIt) {
  std::ofstream(folder_ / "real") << "old";
  fs::create_symlink("real", folder_ / "link");
  OutputFile file(folder_ / "link");
  put(file, "new");
  file.finish();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "real"), "new");
}

TEST_F(OutputFileTest, NamesThatAreTooLongOrALoopAreSaid) {
  // What is written until then has a longer name; the target alone would do, and is not there.
  EXPECT_THAT(error_of(folder_ / std::string(250, 'x')), HasSubstr("File name too long"));
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THAT(error_of(folder_ / "loop"), HasSubstr("loop: cannot write"));
}

TEST_F(OutputFileTest, WritesToADeviceAndNeverReplacesIt) {
  OutputFile null("/dev/null");
  put(null, "x");
  null.finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  OutputFile full("/dev/full");
  EXPECT_THROW(put(full, "x"), Error);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(OutputFileTest, TakesTheModeAskedFor) {
  OutputFile file(folder_ / "secret", 0600);
  file.finish();
  struct stat status = {};
  ASSERT_EQ(::stat((folder_ / "secret").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(OutputFileTest, ZerosTakeNoSpace) {
  OutputFile file(folder_ / "a");
  put(file, "one");
  file.write_zeros(10'000'000);
  put(file, "two");
  file.finish();
  struct stat status = {};
  ASSERT_EQ(::stat((folder_ / "a").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 1'000'000);
}

TEST_F(OutputFileTest, WritesZerosIntoAPipeToo) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  OutputFile file(ends[1], "a pipe");
  file.write_zeros(5000);
  put(file, "end");
  file.finish();
  std::string found(6000, '?');
  std::size_t size = 0;
  for (ssize_t n = 1; n > 0; size += static_cast<std::size_t>(n)) {
    n = ::read(ends[0], found.data() + size, found.size() - size);
    ASSERT_GE(n, 0);
  }
  ::close(ends[0]);
  EXPECT_EQ(found.substr(0, size), std::string(5000, '\0') + "end");
}

}  // namespace
}  // namespace pleiad
