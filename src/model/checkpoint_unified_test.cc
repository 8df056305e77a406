// The embedders of a 12B: found in its folder and in a projector file, and what is wrong with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"
#include "base/testing/test_folder.h"
#include "model/checkpoint.h"
#include "model/testing/changed_projector.h"
#include "model/testing/golden_media.h"
#include "model/testing/small_projector.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing_support::GgufChange;
using testing_support::GgufTensor;
using testing_support::golden_media;
using testing_support::write_changed_gguf;

class CheckpointUnified : public ::testing::Test {
 protected:
  CheckpointUnified() { fs::copy_file(golden_media("12b") / "12b.gguf", model()); }
  fs::path model() const { return folder_ / "model.gguf"; }
  fs::path projector(const GgufChange& change) const {
    write_changed_gguf({golden_media("12b") / "mmproj-12b.gguf"}, folder_ / "mmproj.gguf", change);
    return folder_ / "mmproj.gguf";
  }
  /// What is wrong where it lies beside the model, and where it is named.
  std::string error(const GgufChange& change) const {
    const fs::path path = projector(change);
    const Checkpoint beside = Checkpoint::open(model());
    const std::string& problem =
        beside.vision() == nullptr ? beside.vision_problem() : beside.audio_problem();
    const std::string named = named_error(model(), path);
    EXPECT_THAT(problem, HasSubstr(named));
    return named;
  }
  static std::string named_error(const fs::path& model, const fs::path& projector) {
    try {
      (void)Checkpoint::open(model, {.projector = projector});
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  }
  static GgufChange without(const std::string& tensor) {
    return {.tensors = [=](std::vector<GgufTensor>& tensors) {
      EXPECT_EQ(std::erase_if(tensors, [&](const GgufTensor& t) { return t.name == tensor; }), 1U);
    }};
  }
  static GgufChange with_key(const std::string& key, std::uint32_t value) {
    return {.keeps_key = [=](std::string_view found) { return found != key; },
            .set_keys = [=](gguf::Writer& writer) { writer.set_u32(key, value); }};
  }

  TestFolder folder_;
};

TEST_F(CheckpointUnified, AFolderAndAProjectorFileHoldTheSameEmbedders) {
  const Checkpoint folder = Checkpoint::open(golden_media("12b"));
  const Checkpoint file = Checkpoint::open(golden_media("12b") / "12b.gguf");
  for (const Checkpoint* checkpoint : {&folder, &file}) {
    ASSERT_NE(checkpoint->vision(), nullptr) << checkpoint->vision_problem();
    ASSERT_NE(checkpoint->audio(), nullptr) << checkpoint->audio_problem();
    EXPECT_TRUE(checkpoint->vision()->is_embedder());
    EXPECT_TRUE(checkpoint->audio()->is_embedder());
    EXPECT_TRUE(checkpoint->config().blocks_on_all_layers);
    EXPECT_EQ(checkpoint->audio()->output_dim, 640);
    EXPECT_EQ(checkpoint->audio()->min_samples, 1);
    EXPECT_EQ(checkpoint->audio()->max_samples, 480'000);
    EXPECT_EQ(checkpoint->sound_problem(), "");
    EXPECT_EQ(checkpoint->sound_tokens(), (gemma4::SoundTokens{262, 264, 263}));
    ASSERT_NE(checkpoint->find_audio("audio.projector"), nullptr);
  }
  EXPECT_EQ(*folder.audio(), *file.audio());
  EXPECT_EQ(file.audio_projector(), golden_media("12b") / "mmproj-12b.gguf");
  EXPECT_EQ(file.projector(), file.audio_projector());
}

TEST_F(CheckpointUnified, EveryTensorOfTheEmbedderOfPicturesIsNeeded) {
  for (const std::string name :
       {"v.patch_norm.1.bias", "v.patch_embd.bias", "v.patch_norm.3.weight"}) {
    EXPECT_THAT(error(without(name)), HasSubstr("'" + name + "' is missing"));
  }
  EXPECT_THAT(error({.tensors =
                         [](std::vector<GgufTensor>& tensors) {
                           for (GgufTensor& tensor : tensors) {
                             if (tensor.name != "v.patch_norm.2.weight") continue;
                             tensor.shape = {32};
                             tensor.data.resize(32 * sizeof(float));
                           }
                         }}),
              AllOf(HasSubstr("v.patch_norm.2.weight"), HasSubstr("[64]"), HasSubstr("[32]")));
}

TEST_F(CheckpointUnified, ATableOfPlacesHasTwoAxes) {
  const auto places = [](const Shape& shape) {
    return GgufChange{.tensors = [=](std::vector<GgufTensor>& tensors) {
      for (GgufTensor& tensor : tensors) {
        if (tensor.name == "v.position_embd.weight") tensor.shape = shape;
      }
    }};
  };
  EXPECT_THAT(error(places({48, 2, 64})), HasSubstr("v.position_embd.weight"));
  EXPECT_THAT(error(places({96, 64})), HasSubstr("v.position_embd.weight"));
}

TEST_F(CheckpointUnified, TheFrameOfSoundsIsAsLongAsTheRowsOfItsMatrix) {
  EXPECT_THAT(error(with_key("clip.audio.num_mel_bins", 128)),
              HasSubstr("'clip.audio.num_mel_bins': expected 640 (the columns of "
                        "'mm.a.input_projection.weight'), found 128"));
  const fs::path other = projector(with_key("clip.audio.projection_dim", 48));
  EXPECT_EQ(Checkpoint::open(model()).audio(), nullptr) << "it belongs to another model";
  EXPECT_THAT(named_error(model(), other),
              HasSubstr("'clip.audio.projection_dim': expected 64 (the text model's width)"));
}

TEST_F(CheckpointUnified, WithoutTheMatrixOfSoundsItSeesAndDoesNotHear) {
  projector(without("mm.a.input_projection.weight"));
  const Checkpoint checkpoint = Checkpoint::open(model());
  EXPECT_NE(checkpoint.vision(), nullptr);
  EXPECT_EQ(checkpoint.audio(), nullptr);
  EXPECT_THAT(checkpoint.sound_problem(), HasSubstr("has no audio tower"));
}

TEST_F(CheckpointUnified, AFolderIsNotGivenTheProjectorOfATower) {
  const fs::path tower = folder_ / "tower.gguf";
  testing_support::write_projector_file(tower, testing_support::small_tower(64));
  EXPECT_THAT(named_error(golden_media("12b"), tower),
              HasSubstr("tower.gguf: the projector file of another architecture than"));
}

}  // namespace
}  // namespace pleiad
