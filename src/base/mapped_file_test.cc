#include "base/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

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

}  // namespace
}  // namespace pleiad
