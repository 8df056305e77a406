#include "base/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/error.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pleiad_output_file_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void put(OutputFile& file, std::string_view text) {
    file.write(std::as_bytes(std::span(text)));
  }
  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(OutputFileTest, TakesItsNameWhenItIsFinished) {
  OutputFile file(folder_ / "a");
  put(file, "one");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  put(file, "two");
  file.finish();
  EXPECT_EQ(text_of(folder_ / "a"), "onetwo");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, UnfinishedLeavesTheOldFileAndNothingElse) {
  std::ofstream(folder_ / "a") << "old";
  {
    OutputFile file(folder_ / "a");
    put(file, "new");
  }
  EXPECT_EQ(text_of(folder_ / "a"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, FollowsALinkAndKeepsIt) {
  std::ofstream(folder_ / "real") << "old";
  fs::create_symlink("real", folder_ / "link");
  OutputFile file(folder_ / "link");
  put(file, "new");
  file.finish();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "real"), "new");
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

TEST_F(OutputFileTest, ErrorsNameThePath) {
  const auto error_of = [](const fs::path& path) -> std::string {
    try {
      OutputFile file(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of(folder_ / "missing" / "a"), HasSubstr("missing/a: cannot write"));
  EXPECT_THAT(error_of(folder_), HasSubstr("Is a directory"));
  // What is written until then has a longer name; the target alone would do, and is not there.
  EXPECT_THAT(error_of(folder_ / std::string(250, 'x')), HasSubstr("File name too long"));
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THAT(error_of(folder_ / "loop"), HasSubstr("loop: cannot write"));
}

TEST_F(OutputFileTest, TakesTheModeAskedFor) {
  OutputFile file(folder_ / "secret", 0600);
  file.finish();
  struct stat status = {};
  ASSERT_EQ(::stat((folder_ / "secret").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(OutputFileTest, WritesZerosWithoutTakingSpace) {
  constexpr std::uint64_t kZeros = 10'000'000;
  OutputFile file(folder_ / "a");
  put(file, "one");
  file.write_zeros(kZeros);
  put(file, "two");
  file.write_zeros(5);
  file.finish();
  EXPECT_EQ(text_of(folder_ / "a"),
            "one" + std::string(kZeros, '\0') + "two" + std::string(5, '\0'));
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
