#include "model/gemma4/tensor_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/gemma4/family.h"

namespace pleiad::gemma4 {
namespace {

Config e2b() { return config_of(*find_member("e2b")); }

std::int64_t parameters(const Config& config) {
  std::int64_t total = 0;
  for (const TensorSpec& spec : tensor_table(config)) total += element_count(spec.shape);
  return total;
}

const TensorSpec* find(const std::vector<TensorSpec>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &TensorSpec::name);
  return found == table.end() ? nullptr : &*found;
}

// Sizes of the released text models, without the dead projections that files of
// the E models keep.
TEST(TensorTable, HasExactlyTheParametersOfTheReleasedModels) {
  EXPECT_EQ(parameters(e2b()), 4'647'449'891 - 18'880'512);
  EXPECT_EQ(parameters(config_of(*find_member("e4b"))), 7'518'069'034 - 55'055'616);
  EXPECT_EQ(parameters(config_of(*find_member("26b-a4b"))), 25'233'141'790);
  EXPECT_EQ(parameters(config_of(*find_member("31b"))), 30'697'345'340);
}

TEST(TensorTable, NamesAreUniqueInEveryColumn) {
  Config config = e2b();
  config.experts = ExpertsConfig{4, 2, 16};
  config.tied_head = false;
  for (const auto layout : {ExpertsLayout::fused, ExpertsLayout::split}) {
    std::set<std::string> ours;
    std::set<std::string> gguf;
    std::set<std::string> hf;
    for (const TensorSpec& spec : tensor_table(config, layout)) {
      EXPECT_TRUE(ours.insert(spec.name).second) << spec.name;
      EXPECT_TRUE(gguf.insert(spec.gguf_name).second) << spec.gguf_name;
      EXPECT_TRUE(hf.insert(spec.hf_name).second) << spec.hf_name;
    }
  }
}

TEST(TensorTable, ShapesFollowTheLayer) {
  const auto table = tensor_table(e2b());
  EXPECT_EQ(find(table, "layers.0.attention.q_proj")->shape, (Shape{2048, 1536}));
  EXPECT_EQ(find(table, "layers.4.attention.q_proj")->shape, (Shape{4096, 1536}));
  EXPECT_EQ(find(table, "layers.4.attention.k_proj")->shape, (Shape{512, 1536}));
  EXPECT_EQ(find(table, "layers.15.ffn.down_proj")->shape, (Shape{1536, 12288}));
  EXPECT_EQ(find(table, "per_layer.embedding")->shape, (Shape{262144, 8960}));
  EXPECT_EQ(find(table, "per_layer.projection")->shape, (Shape{8960, 1536}));
}

TEST(TensorTable, LeavesOutWhatTheConfigurationDoesNotHave) {
  const auto table = tensor_table(e2b());
  EXPECT_EQ(find(table, "layers.15.attention.k_proj"), nullptr) << "shares";
  EXPECT_EQ(find(table, "layers.15.attention.k_norm"), nullptr);
  EXPECT_NE(find(table, "layers.15.attention.q_norm"), nullptr);
  EXPECT_EQ(find(table, "head"), nullptr) << "tied";
  EXPECT_EQ(find(table, "layers.0.router.proj"), nullptr) << "no experts";
  const auto big = tensor_table(config_of(*find_member("31b")));
  EXPECT_EQ(find(big, "layers.5.attention.v_proj"), nullptr) << "values are keys";
  EXPECT_NE(find(big, "layers.4.attention.v_proj"), nullptr);
  EXPECT_EQ(find(big, "per_layer.embedding"), nullptr);
}

TEST(ClassifyUnused, KnowsTheOtherPartsOfAFile) {
  const Config config = e2b();
  EXPECT_EQ(classify_unused(config, "model.vision_tower.encoder.layers.0.self_attn.k_proj.weight"),
            UnusedKind::vision);
  EXPECT_EQ(classify_unused(config, "model.embed_audio.embedding_projection.weight"),
            UnusedKind::audio);
  EXPECT_EQ(classify_unused(config, "mm.a.input_projection.weight"), UnusedKind::audio);
  EXPECT_EQ(classify_unused(config, "v.blk.0.attn_q.weight"), UnusedKind::vision);
  EXPECT_EQ(classify_unused(config, "model.language_model.layers.15.self_attn.k_proj.weight"),
            UnusedKind::dead_kv);
  EXPECT_EQ(classify_unused(config, "model.layers.15.self_attn.v_proj.weight_scale"),
            UnusedKind::dead_kv);
  EXPECT_EQ(classify_unused(config, "blk.34.attn_k_norm.weight"), UnusedKind::dead_kv);
  EXPECT_EQ(classify_unused(config, "blk.14.attn_k.weight"), UnusedKind::unknown) << "an owner";
  EXPECT_EQ(classify_unused(config, "blk.35.attn_k.weight"), UnusedKind::unknown) << "no layer";
  EXPECT_EQ(classify_unused(config, "blk.99999999999.attn_k.weight"), UnusedKind::unknown);
  EXPECT_EQ(classify_unused(config, "blk.-1.attn_k.weight"), UnusedKind::unknown);
  EXPECT_EQ(classify_unused(config, "rope_freqs.weight"), UnusedKind::ignored);
  EXPECT_EQ(classify_unused(config, "lm_head.weight"), UnusedKind::ignored);
  EXPECT_EQ(classify_unused(config, "something.else"), UnusedKind::unknown);
}

}  // namespace
}  // namespace pleiad::gemma4
