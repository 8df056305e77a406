// Which of the projector files beside a model it sees with.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/testing/test_folder.h"
#include "model/checkpoint.h"
#include "model/testing/golden_media.h"
#include "model/testing/small_projector.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing_support::small_tower;
using testing_support::write_projector_file;

class ProjectorBeside : public ::testing::Test {
 protected:
  ProjectorBeside() { fs::copy_file(testing_support::golden_media("e2b") / "e2b.gguf", model()); }
  void add(const std::string& name, int model_dim = 32) const {
    write_projector_file(folder_ / name, small_tower(model_dim));
  }
  fs::path model() const { return folder_ / "e2b-Q4_0.gguf"; }
  std::string problem() const { return Checkpoint::open(model()).vision_problem(); }
  std::string found() const { return Checkpoint::open(model()).projector().filename().string(); }

  TestFolder folder_;
};

TEST_F(ProjectorBeside, IsTheOneOfTheModelsWidth) {
  EXPECT_THAT(problem(), HasSubstr("no projector file"));
  add("mmproj-other.gguf", 48);
  EXPECT_THAT(problem(), HasSubstr("belong to other models (mmproj-other.gguf)"));
  add("mmproj-this.gguf");
  EXPECT_EQ(found(), "mmproj-this.gguf");
}

TEST_F(ProjectorBeside, OfSeveralItIsThatOfTheModelsName) {
  add("mmproj-a.gguf");
  add("mmproj-b.gguf");
  EXPECT_THAT(problem(), HasSubstr("2 projector files lie beside it (mmproj-a.gguf, "));
  EXPECT_THAT(problem(), HasSubstr("--mmproj"));
  add("mmproj-e2b-Q4_0.gguf");
  EXPECT_EQ(found(), "mmproj-e2b-Q4_0.gguf");
}

TEST_F(ProjectorBeside, OfOneTowerAsSeveralTypesItIsTheTypeThatItWasTrainedIn) {
  for (const char* name : {"mmproj-F32.gguf", "mmproj-F16.gguf"}) add(name);
  EXPECT_EQ(found(), "mmproj-F16.gguf");
  add("mmproj-BF16.gguf");
  EXPECT_EQ(found(), "mmproj-BF16.gguf");
  add("x.mmproj.gguf");
  EXPECT_THAT(problem(), HasSubstr("4 projector files"));
}

TEST_F(ProjectorBeside, ADamagedOneIsSaid) {
  std::ofstream(folder_ / "mmproj-cut.gguf") << "GGUF";
  EXPECT_THAT(problem(), HasSubstr("mmproj-cut.gguf"));
}

}  // namespace
}  // namespace pleiad
