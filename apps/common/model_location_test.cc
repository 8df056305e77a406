#include "apps/common/model_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;

class FindModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("pleiad_find_model_" + std::to_string(::getpid()));
    environment_.executable = root_ / "bin" / "pleiad";
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const fs::path& path) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "x";
  }
  fs::path root_;
  Environment environment_;
};

TEST_F(FindModelTest, APathIsTakenAsItIs) {
  EXPECT_EQ(find_model("/some/where.gguf", environment_), fs::path("/some/where.gguf"));
}

TEST_F(FindModelTest, ANameWithoutAModelMayBeAFolderHere) {
  put("weights/config.json");
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  EXPECT_EQ(find_model("weights", environment_), fs::path("weights"));
  EXPECT_EQ(find_model("weights/config.json", environment_), fs::path("weights/config.json"));
  EXPECT_THROW((void)find_model("nothing", environment_), Error);
  fs::current_path(before);
}

TEST_F(FindModelTest, DemoIsFoundBesideTheProgramWhereverItIsInstalled) {
  put("share/pleiad/demo/pleiad-demo.gguf");
  EXPECT_EQ(find_model("demo", environment_), root_ / "share/pleiad/demo/pleiad-demo.gguf");
}

TEST_F(FindModelTest, DemoIsFoundFromTheBuildFolder) {
  put("models/demo/pleiad-demo.gguf");
  EXPECT_EQ(find_model("demo", environment_), root_ / "models/demo/pleiad-demo.gguf");
}

TEST_F(FindModelTest, AMissingDemoSaysWhereItWasLookedFor) {
  try {
    (void)find_model("demo", environment_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("share/pleiad/demo"));
  }
}

}  // namespace
}  // namespace pleiad::apps
