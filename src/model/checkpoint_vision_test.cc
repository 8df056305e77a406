// Where a checkpoint finds its vision tower, and what it says where it finds none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "model/checkpoint.h"
#include "model/testing/changed_projector.h"
#include "model/testing/golden_media.h"
#include "model/testing/same_model.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing_support::f32_tensor;
using testing_support::GgufChange;
using testing_support::GgufTensor;
using testing_support::golden;
using testing_support::golden_media;
using testing_support::values_of;
using testing_support::write_changed_gguf;

void expect_same_tower(const Checkpoint& a, const Checkpoint& b) {
  std::size_t n = 0;
  a.for_each_vision([&](std::string_view name, const HostTensor& tensor) {
    ++n;
    // Another order of a patch's values.
    if (name == "vision.patch_embedding") return;
    ASSERT_NE(b.find_vision(name), nullptr) << name;
    EXPECT_EQ(values_of(tensor), values_of(*b.find_vision(name))) << name;
  });
  EXPECT_GT(n, 20U);
}

class CheckpointVision : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("pleiad_vision_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(folder_);
    model_ = folder_ / "model.gguf";
    fs::copy_file(golden_media("e2b") / "e2b.gguf", model_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path projector(const std::string& name, const GgufChange& change = {}) const {
    write_changed_gguf({golden_media("e2b") / "mmproj-e2b.gguf"}, folder_ / name, change);
    return folder_ / name;
  }

  static std::string error_of(const fs::path& model, const CheckpointOptions& options = {}) {
    try {
      (void)Checkpoint::open(model, options);
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  }

  static void remove(std::vector<GgufTensor>& tensors, std::string_view name) {
    ASSERT_EQ(std::erase_if(tensors, [&](const GgufTensor& t) { return t.name == name; }), 1U);
  }

  fs::path folder_;
  fs::path model_;
};

TEST_F(CheckpointVision, IsInTheFolderOrInAFileBesideTheModel) {
  for (const std::string family : {"e2b", "26b-a4b"}) {
    const Checkpoint folder = Checkpoint::open(golden_media(family));
    const Checkpoint gguf = Checkpoint::open(golden_media(family) / (family + ".gguf"));
    ASSERT_NE(folder.vision(), nullptr);
    ASSERT_NE(gguf.vision(), nullptr) << gguf.vision_problem();
    EXPECT_TRUE(folder.projector().empty());
    EXPECT_EQ(gguf.projector().filename(), "mmproj-" + family + ".gguf");
    EXPECT_EQ(folder.media_tokens(), gguf.media_tokens());
    EXPECT_EQ(folder.media_tokens(), (gemma4::MediaTokens{265, 261, 270, 260}));
    EXPECT_EQ(folder.vision()->default_budget, family == "e2b" ? 140 : 280);
    EXPECT_EQ(folder.vision_tensor_bytes() > 0, true);
    expect_same_tower(folder, gguf);
    expect_same_tower(gguf, folder);
  }
}

TEST_F(CheckpointVision, IsTheOneThatIsNamedWhateverLiesBesideTheModel) {
  projector("mmproj-a.gguf");
  projector("mmproj-b.gguf");
  const fs::path named = projector("tower.gguf");
  const Checkpoint checkpoint = Checkpoint::open(model_, {.projector = named});
  ASSERT_NE(checkpoint.vision(), nullptr);
  EXPECT_EQ(checkpoint.projector(), named);
}

TEST_F(CheckpointVision, SeveralBesideTheModelAreListedAndNoneIsTaken) {
  projector("mmproj-BF16.gguf");
  projector("model.mmproj-F16.gguf");
  const Checkpoint checkpoint = Checkpoint::open(model_);
  EXPECT_EQ(checkpoint.vision(), nullptr);
  EXPECT_THAT(checkpoint.vision_problem(),
              AllOf(HasSubstr("2 projector files"), HasSubstr("mmproj-BF16.gguf"),
                    HasSubstr("model.mmproj-F16.gguf"), HasSubstr("--mmproj")));
}

TEST_F(CheckpointVision, ThoseOfOtherModelsBesideItAreNotTaken) {
  fs::copy_file(golden_media("26b-a4b") / "mmproj-26b-a4b.gguf", folder_ / "mmproj-other.gguf");
  const auto another_type = [](gguf::Writer& writer) {
    writer.set_string("clip.vision.projector_type", "gemma3");
  };
  projector("mmproj-gemma3.gguf",
            {.keeps_key = [](std::string_view key) { return key != "clip.vision.projector_type"; },
             .set_keys = another_type});
  // The larger model's tower is as wide on the side of the text, so it cannot be told apart here.
  const auto wider = [](gguf::Writer& writer) {
    writer.set_u32("clip.vision.projection_dim", 2560);
  };
  fs::remove(folder_ / "mmproj-other.gguf");
  projector("mmproj-e4b.gguf",
            {.keeps_key = [](std::string_view key) { return key != "clip.vision.projection_dim"; },
             .set_keys = wider});
  const Checkpoint checkpoint = Checkpoint::open(model_);
  EXPECT_EQ(checkpoint.vision(), nullptr);
  EXPECT_THAT(checkpoint.vision_problem(),
              AllOf(HasSubstr("belong to other models"), HasSubstr("mmproj-e4b.gguf")));
  EXPECT_THAT(error_of(model_, {.projector = folder_ / "mmproj-e4b.gguf"}),
              HasSubstr("projection_dim': expected 32 (the text model's width), found 2560"));
  EXPECT_THAT(error_of(model_, {.projector = folder_ / "mmproj-gemma3.gguf"}),
              HasSubstr("expected gemma4v or gemma4uv, found 'gemma3'"));
  const fs::path right = projector("mmproj-e2b.gguf");
  EXPECT_EQ(Checkpoint::open(model_).projector(), right);
}

TEST_F(CheckpointVision, WithoutAnyTellsWhatWouldBeNeeded) {
  const Checkpoint checkpoint = Checkpoint::open(model_);
  EXPECT_EQ(checkpoint.vision(), nullptr);
  EXPECT_THAT(checkpoint.vision_problem(),
              AllOf(HasSubstr("has no vision tower"), HasSubstr("--mmproj")));
  EXPECT_THAT(Checkpoint::open(golden("e4b")).vision_problem(),
              HasSubstr("config.json has no vision_config"));
}

TEST_F(CheckpointVision, DamageIsAnErrorWhereTheFileWasNamedAndElseKeptForWhoAsks) {
  const fs::path damaged = projector("mmproj-damaged.gguf", {.tensors = [](auto& tensors) {
                                       remove(tensors, "v.blk.1.ffn_up.weight");
                                       for (GgufTensor& tensor : tensors) {
                                         if (tensor.name == "v.blk.0.ln2.weight") {
                                           tensor = f32_tensor(tensor.name, {4}, {1, 2, 3, 4});
                                         }
                                       }
                                     }});
  const auto says_all = AllOf(HasSubstr("mmproj-damaged.gguf: 2 problems"),
                              HasSubstr("'v.blk.1.ffn_up.weight' is missing (expected [96, 128])"),
                              HasSubstr("'v.blk.0.ln2.weight': expected [128], found [4]"));
  EXPECT_THAT(error_of(model_, {.projector = damaged}), says_all);
  const Checkpoint checkpoint = Checkpoint::open(model_);
  EXPECT_EQ(checkpoint.vision(), nullptr);
  EXPECT_THAT(checkpoint.vision_problem(), says_all);
  fs::resize_file(damaged, fs::file_size(damaged) / 2);
  EXPECT_THAT(Checkpoint::open(model_).vision_problem(), HasSubstr("mmproj-damaged.gguf"));
  EXPECT_THAT(error_of(model_, {.projector = folder_ / "nothing.gguf"}), HasSubstr("nothing.gguf"));
  EXPECT_THAT(error_of(model_, {.projector = model_}), HasSubstr("holds no vision tower"));
}

TEST_F(CheckpointVision, BoundsThatNothingCanMeetAreAnError) {
  const fs::path path = projector("mmproj-bounds.gguf", {.tensors = [](auto& tensors) {
                                    for (GgufTensor& tensor : tensors) {
                                      if (tensor.name == "v.blk.0.attn_k.input_min") {
                                        tensor = f32_tensor(tensor.name, {1}, {9.0F});
                                      }
                                    }
                                  }});
  EXPECT_THAT(error_of(model_, {.projector = path}),
              HasSubstr("'vision.layers.0.attention.k_proj.input': 9 to"));
}

TEST_F(CheckpointVision, ATowerThatTakesOtherPicturesShowsNone) {
  EXPECT_EQ(Checkpoint::open(golden_media("e2b")).picture_problem(), "");
  const fs::path path = projector(
      "mmproj-e2b.gguf",
      {.keeps_key = [](std::string_view key) { return !key.ends_with("projector.scale_factor"); },
       .set_keys =
           [](gguf::Writer& writer) { writer.set_u32("clip.vision.projector.scale_factor", 2); }});
  const Checkpoint checkpoint = Checkpoint::open(model_, {.projector = path});
  ASSERT_NE(checkpoint.vision(), nullptr) << checkpoint.vision_problem();
  EXPECT_THAT(checkpoint.picture_problem(),
              HasSubstr("32 x 32 pixels (2 x 2 patches of 16 x 16): expected 48 x 48"));
}

/// One file with model and tower, as some tools write it: keys of its own, and all bounds in one
/// tensor.
GgufChange combined() {
  GgufChange change;
  change.set_keys = [](gguf::Writer& writer) {
    writer.set_u32("gemma4.vision.block_count", 2);
    writer.set_u32("gemma4.vision.embedding_length", 128);
    writer.set_u32("gemma4.vision.feed_forward_length", 96);
    writer.set_u32("gemma4.vision.attention.head_count", 2);
    writer.set_u32("gemma4.vision.patch_size", 16);
    writer.set_u32("gemma4.vision.projector.scale_factor", 3);
    writer.set_f32("gemma4.vision.attention.layer_norm_epsilon", 1e-6F);
  };
  change.tensors = [](std::vector<GgufTensor>& tensors) {
    std::vector<float> packed;
    for (const char* layer : {"v.blk.0.", "v.blk.1."}) {
      for (const char* linear :
           {"attn_q", "attn_k", "attn_v", "attn_out", "ffn_gate", "ffn_up", "ffn_down"}) {
        for (const char* bound : {"input_min", "input_max", "output_min", "output_max"}) {
          const std::string name = std::string(layer) + linear + "." + bound;
          const auto found = std::ranges::find(tensors, name, &GgufTensor::name);
          float value = 0.0F;
          std::memcpy(&value, found->data.data(), sizeof value);
          // No bounds are written as zeros.
          packed.push_back(std::isinf(value) ? 0.0F : value);
          tensors.erase(found);
        }
      }
    }
    packed.resize(packed.size() + 4);
    const auto n = static_cast<std::int64_t>(packed.size());
    tensors.push_back(f32_tensor("v.clamp_data", {n}, packed));
  };
  return change;
}

TEST_F(CheckpointVision, MayLieInTheModelsOwnFile) {
  const fs::path both = folder_ / "both.gguf";
  write_changed_gguf({model_, golden_media("e2b") / "mmproj-e2b.gguf"}, both, combined());
  const Checkpoint checkpoint = Checkpoint::open(both);
  ASSERT_NE(checkpoint.vision(), nullptr) << checkpoint.vision_problem();
  EXPECT_TRUE(checkpoint.projector().empty());
  EXPECT_TRUE(checkpoint.unused().unknown.empty());
  const Checkpoint apart = Checkpoint::open(golden_media("e2b") / "e2b.gguf");
  EXPECT_EQ(*checkpoint.vision(), *apart.vision());
  expect_same_tower(checkpoint, apart);
  EXPECT_EQ(checkpoint.find_vision("vision.layers.1.ffn.down_proj.input_min"), nullptr);
}

TEST_F(CheckpointVision, TooFewPackedBoundsAreAnError) {
  GgufChange change = combined();
  change.tensors = [pack = change.tensors](std::vector<GgufTensor>& tensors) {
    pack(tensors);
    tensors.back() = f32_tensor("v.clamp_data", {8}, std::vector<float>(8));
  };
  const fs::path both = folder_ / "both.gguf";
  write_changed_gguf({model_, golden_media("e2b") / "mmproj-e2b.gguf"}, both, change);
  EXPECT_THAT(error_of(both), HasSubstr("'v.clamp_data': expected at least 56 f32 values"));
}

}  // namespace
}  // namespace pleiad
