#include "engine/loaded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"
#include "base/testing/paths.h"
#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;

TEST(LoadedModelVision, IsLoadedOnTheWayOfTheFirstPicture) {
  cpu::CpuBackend backend({.isa = "", .n_threads = 1, .max_rows = 64});
  LoadOptions options;
  options.max_rows = 64;
  LoadedModel model(testing_support::golden_media("e2b") / "e2b.gguf", backend, options);
  EXPECT_TRUE(model.has_vision());
  VisionEncoder& tower = model.vision();
  const PictureInput picture = testing_support::pattern_picture(48, 48, 1);
  const auto encoding = tower.begin(picture);
  // Both ends and two layers are loaded before anything is computed.
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(encoding->advance(64));
    EXPECT_EQ(encoding->progress(), 0.0);
  }
  EXPECT_FALSE(encoding->advance(64));
  EXPECT_GT(encoding->progress(), 0.0);
  EXPECT_EQ(tower.info().model_dim, model.model().info().model_dim);
  EXPECT_EQ(&model.vision(), &tower);
}

TEST(LoadedModelAudio, IsLoadedOnTheWayOfTheFirstSound) {
  cpu::CpuBackend backend({.isa = "", .n_threads = 1, .max_rows = 64});
  LoadOptions options;
  options.max_rows = 64;
  LoadedModel model(testing_support::golden_audio() / "e2b.gguf", backend, options);
  EXPECT_TRUE(model.has_audio());
  AudioEncoder& tower = model.audio();
  const auto encoding = tower.begin(testing_support::pattern_sound(5'000, 1));
  // Both ends and three layers are loaded before anything is computed.
  for (int call = 0; call < 4; ++call) {
    EXPECT_FALSE(encoding->advance(64));
    EXPECT_EQ(encoding->progress(), 0.0);
  }
  EXPECT_FALSE(encoding->advance(64));
  EXPECT_GT(encoding->progress(), 0.0);
  EXPECT_EQ(&model.audio(), &tower);
}

TEST(LoadedModelVision, OfAModelWithoutATowerIsRefusedByName) {
  cpu::CpuBackend backend({.isa = "", .n_threads = 1, .max_rows = 64});
  LoadOptions options;
  options.max_rows = 64;
  LoadedModel model(golden_path("models/e4b/e4b.gguf"), backend, options);
  EXPECT_FALSE(model.has_vision());
  try {
    (void)model.vision();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(model.checkpoint().config().name + " has no vision tower"));
  }
}

TEST(LoadedModelVision, ComesFromTheProjectorFileThatWasNamed) {
  cpu::CpuBackend backend({.isa = "", .n_threads = 1, .max_rows = 64});
  LoadOptions options;
  options.max_rows = 64;
  options.projector = testing_support::golden_media("e2b") / "mmproj-e2b.gguf";
  LoadedModel model(testing_support::golden_media("e2b") / "e2b.gguf", backend, options);
  EXPECT_EQ(model.checkpoint().projector(), options.projector);
  options.projector = "nothing.gguf";
  EXPECT_THROW(LoadedModel(testing_support::golden_media("e2b") / "e2b.gguf", backend, options),
               LoadError);
}

}  // namespace
}  // namespace pleiad
