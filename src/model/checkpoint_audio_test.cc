// Which audio tower belongs to a model, and why there is none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/testing/paths.h"
#include "model/checkpoint.h"
#include "model/testing/golden_media.h"
#include "model/testing/golden_sounds.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing_support::golden_audio;
using testing_support::golden_media;

class AudioFiles : public ::testing::Test {
 protected:
  AudioFiles()
      : folder_(fs::temp_directory_path() / ("pleiad_audio_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~AudioFiles() override { fs::remove_all(folder_); }
  fs::path copy(const std::string& name, const std::string& as) {
    fs::copy_file(golden_audio() / name, folder_ / as, fs::copy_options::overwrite_existing);
    return folder_ / as;
  }
  fs::path folder_;
};

TEST_F(AudioFiles, AFolderAndAProjectorFileHoldTheSameTower) {
  const Checkpoint folder = Checkpoint::open(golden_audio());
  const Checkpoint file = Checkpoint::open(golden_audio() / "e2b.gguf");
  for (const Checkpoint* checkpoint : {&folder, &file}) {
    ASSERT_NE(checkpoint->audio(), nullptr) << checkpoint->audio_problem();
    EXPECT_EQ(checkpoint->sound_problem(), "");
    EXPECT_EQ(checkpoint->sound_tokens(), (gemma4::SoundTokens{268, 271, 262}));
    EXPECT_EQ(checkpoint->audio()->hidden_dim, 64);
    EXPECT_EQ(checkpoint->audio()->n_heads, 8);
    EXPECT_EQ(checkpoint->audio()->n_layers, 3);
    EXPECT_EQ(checkpoint->audio()->output_dim, 96);
    EXPECT_EQ(checkpoint->audio()->window(), 12);
    EXPECT_TRUE(checkpoint->audio()->clipped_linears);
    EXPECT_NE(checkpoint->vision(), nullptr);
  }
  EXPECT_EQ(file.audio_projector(), golden_audio() / "mmproj-e2b.gguf");
}

TEST_F(AudioFiles, ATowerMayHaveAFileOfItsOwn) {
  const fs::path model = copy("e2b.gguf", "e2b.gguf");
  EXPECT_THAT(Checkpoint::open(model).sound_problem(),
              HasSubstr("has no audio tower: there is none"));
  const fs::path alone = copy("audio-alone.gguf", "mmproj-audio.gguf");
  const Checkpoint found = Checkpoint::open(model);
  EXPECT_EQ(found.audio_projector(), alone);
  EXPECT_EQ(found.vision(), nullptr);
  const Checkpoint named = Checkpoint::open(model, {.projector = alone});
  EXPECT_NE(named.audio(), nullptr);
  EXPECT_THAT(named.vision_problem(), HasSubstr("mmproj-audio.gguf holds none"));
}

TEST_F(AudioFiles, AFolderTakesOneOfAFileThatHoldsNothingElse) {
  const Checkpoint named =
      Checkpoint::open(golden_audio(), {.projector = golden_audio() / "audio-alone.gguf"});
  EXPECT_EQ(named.sound_problem(), "");
  EXPECT_EQ(named.audio_projector(), golden_audio() / "audio-alone.gguf");
  EXPECT_EQ(named.vision(), nullptr);
  EXPECT_THAT(named.picture_problem(), HasSubstr("audio-alone.gguf holds none"));
}

TEST_F(AudioFiles, ADamagedTowerLeavesTheTextToBeRead) {
  const fs::path model = copy("e2b.gguf", "e2b.gguf");
  const fs::path projector = copy("mmproj-e2b.gguf", "mmproj-e2b.gguf");
  std::fstream file(projector, std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  for (const std::string name : {"a.blk.1.attn_q.weight", "a.blk.2.norm_conv.weight"}) {
    const std::size_t at = bytes.find(name);
    ASSERT_NE(at, std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    file.put('z');
  }
  file.close();
  const Checkpoint checkpoint = Checkpoint::open(model);
  EXPECT_EQ(checkpoint.audio(), nullptr);
  EXPECT_THAT(checkpoint.sound_problem(), HasSubstr("'a.blk.1.attn_q.weight' is missing"));
  EXPECT_THAT(checkpoint.sound_problem(), HasSubstr("'a.blk.2.norm_conv.weight' is missing"));
  EXPECT_NE(checkpoint.vision(), nullptr);
  EXPECT_THROW((void)Checkpoint::open(model, {.projector = projector}), LoadError);
}

TEST_F(AudioFiles, AModelWithoutOneSaysSo) {
  EXPECT_THAT(Checkpoint::open(golden_media("26b-a4b")).sound_problem(),
              HasSubstr("has no audio tower: config.json has no audio_config"));
}

// The text goldens hold a tower of eight channels, which the reference itself cannot compute.
TEST_F(AudioFiles, ATowerThatCannotBeComputedIsToldOf) {
  const Checkpoint checkpoint = Checkpoint::open(golden_path("models/e2b"));
  EXPECT_THAT(checkpoint.sound_problem(),
              HasSubstr("first convolution has 8 channels: expected 128"));
}

}  // namespace
}  // namespace pleiad
