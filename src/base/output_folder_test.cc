#include "base/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("pleiad_output_folder_" + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  static void put(const fs::path& path) { std::ofstream(path) << path.filename().string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }
  std::string refusal(const fs::path& path) {
    try {
      OutputFolder folder(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  fs::path root_;
};

TEST_F(OutputFolderTest, IsThereWithAllItsFilesOnceItIsFinished) {
  OutputFolder folder(root_ / "out/");
  put(folder.place() / "a");
  EXPECT_FALSE(fs::exists(root_ / "out"));
  folder.finish();
  EXPECT_TRUE(fs::exists(root_ / "out/a"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFolderTest, IsAsOpenAsOtherNewFolders) {
  fs::permissions(root_, fs::perms::owner_all);
  fs::create_directory(root_ / "ordinary");
  OutputFolder folder(root_ / "out");
  folder.finish();
  EXPECT_EQ(fs::status(root_ / "out").permissions(), fs::status(root_ / "ordinary").permissions());
}

TEST_F(OutputFolderTest, UnfinishedLeavesNothing) {
  {
    OutputFolder folder(root_ / "out");
    put(folder.place() / "a");
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(OutputFolderTest, TakesOverAnEmptyFolderAndRefusesAFullOne) {
  fs::create_directory(root_ / "out");
  {
    OutputFolder folder(root_ / "out");
    put(folder.place() / "a");
    folder.finish();
  }
  EXPECT_TRUE(fs::exists(root_ / "out/a"));
  EXPECT_THAT(refusal(root_ / "out"), HasSubstr("not empty"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFolderTest, RefusesAFile) {
  put(root_ / "out");
  EXPECT_THAT(refusal(root_ / "out"), HasSubstr("not a folder"));
  OutputFolder other(root_ / "other");
  fs::create_directory(root_ / "other");
  put(root_ / "other/b");
  EXPECT_THROW(other.finish(), Error) << "filled by somebody else meanwhile";
  EXPECT_TRUE(fs::exists(root_ / "other/b"));
}

TEST_F(OutputFolderTest, ReplacesAFolderOnlyWhenItIsFinished) {
  fs::create_directory(root_ / "out");
  put(root_ / "out/old");
  { const OutputFolder folder(root_ / "out", OutputFolder::Existing::replaced); }
  EXPECT_TRUE(fs::exists(root_ / "out/old"));
  OutputFolder folder(root_ / "out", OutputFolder::Existing::replaced);
  put(folder.place() / "new");
  EXPECT_TRUE(fs::exists(root_ / "out/old"));
  folder.finish();
  EXPECT_FALSE(fs::exists(root_ / "out/old"));
  EXPECT_TRUE(fs::exists(root_ / "out/new"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFolderTest, NamesThePathWhereTheFolderAboveIsMissing) {
  EXPECT_THAT(refusal(root_ / "no/where"), HasSubstr("no/where: cannot write"));
}

}  // namespace
}  // namespace pleiad
