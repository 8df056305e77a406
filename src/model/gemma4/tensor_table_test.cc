#include "model/gemma4/tensor_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace pleiad::gemma4 {
namespace {

/// The released sizes (their kinds of layers repeat every `period` layers).
Config released(int n_layers, int period, int model_dim, int n_heads, int kv_sliding, int kv_full,
                int ffn_dim, int n_shared, bool wide, int per_layer_dim, bool value_is_key) {
  Config config;
  config.vocab_size = config.per_layer_vocab_size = 262144;
  config.model_dim = model_dim;
  config.n_heads = n_heads;
  config.per_layer_dim = per_layer_dim;
  const int first_shared = n_layers - n_shared;
  for (int index = 0; index < n_layers; ++index) {
    LayerConfig& layer = config.layers.emplace_back();
    const bool full = index % period == period - 1;
    const bool shares = index >= first_shared;
    layer.attention = full ? AttentionKind::full : AttentionKind::sliding;
    layer.head_dim = full ? 512 : 256;
    layer.n_kv_heads = full ? kv_full : kv_sliding;
    layer.ffn_dim = wide && shares ? 2 * ffn_dim : ffn_dim;
    layer.kv_layer = !shares ? index : full ? first_shared - 1 : first_shared - 2;
    layer.value_is_key = full && value_is_key;
  }
  return config;
}

Config e2b() { return released(35, 5, 1536, 8, 1, 1, 6144, 20, true, 256, false); }

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
  EXPECT_EQ(parameters(released(60, 6, 5376, 32, 16, 4, 21504, 0, false, 0, true)), 30'697'345'340);
  Config moe = released(30, 6, 2816, 16, 8, 2, 2112, 0, false, 0, true);
  moe.experts = ExpertsConfig{128, 8, 704};
  EXPECT_EQ(parameters(moe), 25'233'141'790);
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
  const auto big = tensor_table(released(60, 6, 5376, 32, 16, 4, 21504, 0, false, 0, true));
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
