#include "model/gemma4/vision/tensor_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/gemma4/family.h"

namespace pleiad::gemma4 {
namespace {

std::vector<EncoderTensorSpec> table_of(std::string_view member) {
  return vision_tensor_table(vision_config_of(*find_member(member)));
}

const EncoderTensorSpec& row(const std::vector<EncoderTensorSpec>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &EncoderTensorSpec::name);
  if (found == table.end()) throw std::out_of_range(std::string(name));
  return *found;
}

// The released E2B has 658 tensors of the tower and the projector.
TEST(VisionTensorTable, HasAsManyTensorsAsTheReleasedFile) {
  EXPECT_EQ(table_of("e2b").size(), 659U);
}

// Sizes of the released checkpoints, which hold nothing else beside the text model.
TEST(VisionTensorTable, HasExactlyTheParametersOfTheReleasedTowers) {
  const auto parameters = [](std::string_view member) {
    std::int64_t total = 0;
    for (const EncoderTensorSpec& spec : table_of(member)) total += element_count(spec.shape);
    return total;
  };
  EXPECT_EQ(parameters("26b-a4b"), 572'794'416);
  EXPECT_EQ(parameters("31b"), 575'743'536);
}

TEST(VisionTensorTable, NamesAreUniqueInEveryColumn) {
  std::set<std::string> ours;
  std::set<std::string> gguf;
  std::set<std::string> hf;
  for (const EncoderTensorSpec& spec : table_of("e2b")) {
    EXPECT_TRUE(ours.insert(spec.name).second) << spec.name;
    EXPECT_TRUE(gguf.insert(spec.gguf_name).second) << spec.gguf_name;
    EXPECT_TRUE(hf.insert(spec.hf_name).second) << spec.hf_name;
  }
}

TEST(VisionTensorTable, KnowsTheNamesAndShapesOfEitherFormat) {
  const auto table = table_of("e2b");
  const EncoderTensorSpec& query = row(table, "vision.layers.15.attention.q_proj");
  EXPECT_EQ(query.gguf_name, "v.blk.15.attn_q.weight");
  EXPECT_EQ(query.hf_name, "vision_tower.encoder.layers.15.self_attn.q_proj.linear.weight");
  EXPECT_EQ(query.shape, (Shape{768, 768}));
  const EncoderTensorSpec& bound = row(table, "vision.layers.0.ffn.down_proj.output_max");
  EXPECT_EQ(bound.gguf_name, "v.blk.0.ffn_down.output_max");
  EXPECT_EQ(bound.hf_name, "vision_tower.encoder.layers.0.mlp.down_proj.output_max");
  EXPECT_TRUE(bound.optional);
  const EncoderTensorSpec& patch = row(table, "vision.patch_embedding");
  EXPECT_EQ(patch.shape, (Shape{768, 768}));
  EXPECT_EQ(patch.gguf_shape, (Shape{768, 3, 16, 16}));
  EXPECT_EQ(row(table, "vision.position_embedding").shape, (Shape{2, 10240, 768}));
  EXPECT_EQ(row(table, "vision.projector").shape, (Shape{1536, 768}));
}

TEST(VisionTensorTable, OfALargeTowerHasNoBoundsButStandardizes) {
  const auto table = table_of("26b-a4b");
  EXPECT_TRUE(std::ranges::none_of(table, &EncoderTensorSpec::optional));
  EXPECT_EQ(row(table, "vision.std_scale").hf_name, "vision_tower.std_scale");
  EXPECT_EQ(row(table, "vision.layers.26.attention.k_norm").shape, (Shape{72}));
  EXPECT_EQ(row(table, "vision.layers.26.ffn.down_proj").shape, (Shape{1152, 4304}));
}

}  // namespace
}  // namespace pleiad::gemma4
