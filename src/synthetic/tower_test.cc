#include "synthetic/tower.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/gemma4/family.h"
#include "model/gemma4/projector_file.h"

namespace pleiad::synthetic {
namespace {

std::vector<SyntheticTensor> tower_of(const char* key, DType type) {
  return vision_tensor_list(gemma4::vision_config_of(*gemma4::find_member(key)), type);
}

std::vector<SyntheticTensor> audio_tower_of(const char* key, DType type) {
  return audio_tensor_list(*gemma4::audio_config_of(*gemma4::find_member(key)), type);
}

std::int64_t parameters_of(const std::vector<SyntheticTensor>& list) {
  std::int64_t count = 0;
  for (const SyntheticTensor& tensor : list) count += element_count(tensor.shape);
  return count;
}

TEST(Tower, HasTheTensorsOfTheReleasedOnes) {
  // google/gemma-4-E2B-it: 658 tensors of the tower, and the projector.
  EXPECT_EQ(tower_of("e2b", DType::bf16).size(), 659U);
  // 16 x (4 x 768^2 + 3 x 768 x 3072 + 4 x 768 + 2 x 64 + 28), both tables, the projector.
  EXPECT_EQ(parameters_of(tower_of("e2b", DType::bf16)),
            16 * (4 * 768 * 768 + 3 * 768 * 3072 + 4 * 768 + 2 * 64 + 28) + 768 * 768 +
                2 * 10'240 * 768 + 1536 * 768);
}

TEST(Tower, IsStoredAsLlamaCppReadsIt) {
  for (const SyntheticTensor& tensor : tower_of("e2b", DType::q8_0)) {
    const bool is_matrix = tensor.shape.size() == 2;
    EXPECT_EQ(tensor.type, is_matrix ? DType::q8_0 : DType::f32) << tensor.name;
    if (tensor.name == "v.patch_embd.weight") {
      EXPECT_EQ(tensor.shape, (Shape{768, 3, 16, 16}));
    }
  }
}

TEST(Tower, OfSoundHasTheTensorsOfTheReleasedOnes) {
  // google/gemma-4-E2B-it: 751 tensors of the tower, and the projector.
  EXPECT_EQ(audio_tower_of("e2b", DType::bf16).size(), 752U);
  EXPECT_EQ(parameters_of(audio_tower_of("e2b", DType::bf16)), 307'184'384);
  EXPECT_EQ(parameters_of(audio_tower_of("e4b", DType::bf16)), 308'757'248);
  EXPECT_FALSE(gemma4::audio_config_of(*gemma4::find_member("31b")));
}

TEST(Tower, OfSoundIsStoredAsLlamaCppReadsIt) {
  for (const SyntheticTensor& tensor : audio_tower_of("e2b", DType::q8_0)) {
    const bool is_matrix = tensor.shape.size() == 2 && !tensor.name.ends_with("conv_dw.weight");
    EXPECT_EQ(tensor.type, is_matrix ? DType::q8_0 : DType::f32) << tensor.name;
  }
  // Convolutions stay so where vision's patch embedding, one as well, would be f16.
  for (const SyntheticTensor& tensor : audio_tower_of("e2b", DType::f16)) {
    if (tensor.shape.size() != 4) continue;
    EXPECT_EQ(tensor.type, DType::f32) << tensor.name;
  }
}

TEST(Tower, The12bHasAnEmbedderOfSoundsBesideTheOneOfPictures) {
  const auto list = audio_tower_of("12b", DType::q8_0);
  ASSERT_EQ(list.size() + tower_of("12b", DType::q8_0).size(), 11U);
  EXPECT_EQ(list[0].name, "mm.a.input_projection.weight");
  EXPECT_EQ(list[0].shape, (Shape{3840, 640}));
  EXPECT_EQ(list[0].type, DType::q8_0);
}

TEST(Tower, LeavesMatricesThatBlocksDoNotFit) {
  // 4,304 columns are no multiple of 32.
  for (const SyntheticTensor& tensor : tower_of("31b", DType::q8_0)) {
    if (tensor.shape.size() != 2) continue;
    const bool is_down = tensor.name.ends_with("ffn_down.weight");
    EXPECT_EQ(tensor.type, is_down ? DType::bf16 : DType::q8_0) << tensor.name;
  }
}

TEST(Tower, HasBoundsThatLeaveRoom) {
  std::size_t n_bounds = 0;
  for (const SyntheticTensor& tensor : tower_of("e4b", DType::bf16)) {
    if (tensor.given.empty()) continue;
    ++n_bounds;
    const bool is_low = tensor.name.ends_with("_min");
    EXPECT_EQ(tensor.given[0] < 0, is_low) << tensor.name;
  }
  EXPECT_EQ(n_bounds, 16U * 7 * 4);
}

TEST(ProjectorFile, LiesBesideItsModel) {
  const auto beside = [](const char* path) {
    return gemma4::projector_path_beside(path).generic_string();
  };
  EXPECT_EQ(beside("/m/e2b.gguf"), "/m/mmproj-e2b.gguf");
  EXPECT_EQ(beside("x.Q4_0.gguf"), "mmproj-x.Q4_0.gguf");
  EXPECT_EQ(beside("/m/big-00001-of-00003.gguf"), "/m/mmproj-big.gguf");
  EXPECT_EQ(beside("/m/-00001-of-00003.gguf"), "/m/mmproj--00001-of-00003.gguf");
}

}  // namespace
}  // namespace pleiad::synthetic
