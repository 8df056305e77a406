#include "bench/work.h"

#include <gtest/gtest.h>

#include "model/gemma4/family.h"
#include "model/gemma4/tensor_table.h"

namespace pleiad::bench {
namespace {

using gemma4::AttentionKind;
using gemma4::Config;
using gemma4::LayerConfig;

/// A sliding layer and a full one that own keys and values, and one that shares.
Config tiny_config() {
  Config config;
  config.n_heads = 2;
  config.sliding_window = 4;
  config.per_layer_dim = 2;
  LayerConfig sliding;
  sliding.head_dim = 4;
  sliding.n_kv_heads = 1;
  LayerConfig full;
  full.attention = AttentionKind::full;
  full.head_dim = 8;
  full.n_kv_heads = 1;
  full.kv_layer = 1;
  config.layers = {sliding, full, sliding};
  return config;
}

TensorSize f32(std::string name, Shape shape) {
  const auto bytes = static_cast<std::uint64_t>(element_count(shape)) * 4;
  return {std::move(name), std::move(shape), bytes};
}

std::vector<TensorSize> tiny_tensors() {
  return {f32("embedding", {10, 8}),
          f32("per_layer.embedding", {10, 6}),
          f32("per_layer.projection", {6, 8}),
          f32("layers.0.attention_norm", {8}),
          f32("layers.0.attention.q_proj", {8, 8}),
          f32("layers.0.attention.k_proj", {4, 8}),
          f32("layers.1.attention.k_proj", {8, 8}),
          f32("layers.1.attention.q_proj", {16, 8}),
          f32("layers.2.attention.q_proj", {8, 8})};
}

/// E2B; its layers in Q4_0, its embedding in Q6_K, as files have it.
Config e2b() { return gemma4::config_of(*gemma4::find_member("e2b")); }

std::vector<TensorSize> e2b_tensors() {
  std::vector<TensorSize> sizes;
  for (const gemma4::TensorSpec& spec : gemma4::tensor_table(e2b())) {
    const DType type = spec.shape.size() < 2                              ? DType::f32
                       : spec.name == "per_layer.projection"              ? DType::bf16
                       : spec.name.find("embedding") != std::string::npos ? DType::q6_k
                                                                          : DType::q4_0;
    const std::size_t row = row_bytes(type, static_cast<std::size_t>(spec.shape.back()));
    const auto rows = static_cast<std::size_t>(element_count(spec.shape) / spec.shape.back());
    sizes.push_back({spec.name, spec.shape, rows * row});
  }
  return sizes;
}

TEST(WorkCounter, ATokenReadsEveryWeightOnceAndOneRowOfATable) {
  // Everything but the table is 1952 bytes; a row of the table is 24.
  EXPECT_EQ(WorkCounter(tiny_config(), tiny_tensors()).weight_bytes_per_token(), 1952 + 24);
}

TEST(WorkCounter, AnUntiedEmbeddingIsATable) {
  Config config = tiny_config();
  config.tied_head = false;
  auto tensors = tiny_tensors();
  tensors.push_back(f32("head", {10, 8}));
  EXPECT_EQ(WorkCounter(config, tensors).weight_bytes_per_token(), 1952 + 24 + 32);
}

TEST(WorkCounter, GenerationReadsWeightsByStepAndKeysBySequence) {
  const WorkCounter counter(tiny_config(), tiny_tensors());
  const Work work = counter.generation(3, 2, 2, KvType::f32);
  // Contexts of 4 and 5: the window of the sliding layers holds 4 and 4.
  const double keys_and_values = 8 * 32 + 9 * 64 + 8 * 32;
  EXPECT_EQ(work.bytes, 2 * (1952 + 2 * 24) + 2 * keys_and_values);
  const double attention = 8 * 32 + 9 * 64 + 8 * 32;
  EXPECT_EQ(work.operations, 2 * 2 * 2 * 480 + 2 * attention);
  EXPECT_LT(counter.generation(3, 2, 2, KvType::bf16).bytes, work.bytes);
}

TEST(WorkCounter, APromptNeedsTheLaterLayersForItsLastRowOnly) {
  const Work work = WorkCounter(tiny_config(), tiny_tensors()).prompt(0, 3, KvType::bf16);
  // Every row: layer 0, the key of layer 1, a third of the projection; the last
  // row: all 480 weights.
  const double every_row = 64 + 32 + 64 + 16;
  const double attention = 32 * (1 + 2 + 3) + 64 * 3 + 32 * 3;
  EXPECT_EQ(work.operations, 2 * (2 * every_row + 480) + attention);
  EXPECT_EQ(work.bytes, 1952 + 3 * 24 + 3 * (16 + 32 + 16));
}

TEST(WorkCounter, AStepReadsTheExpertsThatItsTokensChoose) {
  Config config = tiny_config();
  config.experts = gemma4::ExpertsConfig{4, 1, 3};
  const std::vector<TensorSize> tensors = {f32("layers.0.experts.up_proj", {4, 3, 8})};
  const WorkCounter counter(config, tensors);
  EXPECT_EQ(counter.weight_bytes_per_token(), 384 / 4);
  const double keys = counter.generation(0, 1, 2, KvType::f32).bytes - 384 * 7.0 / 16;
  EXPECT_EQ(keys, 2 * (32 + 64 + 32));
  // Of 96 weights one expert in four works.
  EXPECT_EQ(counter.prompt(0, 1, KvType::f32).operations, 2 * 24 + 32 + 64 + 32);
}

TEST(WorkCounter, KnowsE2bAsReleased) {
  const WorkCounter counter(e2b(), e2b_tensors());
  EXPECT_NEAR(counter.weight_bytes_per_token(), 1406.9e6, 0.1e6);
  // 28 sliding layers of 1 KiB a position and 7 full ones of 2 KiB, in BF16.
  const Work token = counter.generation(999, 1, 1, KvType::bf16);
  EXPECT_EQ(token.bytes - counter.weight_bytes_per_token(), 28 * 1024 * 512 + 7 * 2048 * 1000);
  // One more row: 14 layers and the keys and values of the fifteenth.
  const double row = 12 * 35'389'440.0 + 2 * 42'467'328.0 + 14 * (786'432.0 + 393'216) + 1'572'864;
  const double attention = 32 * (2 * (12 * 256 + 2 * 512) + (16 * 256 + 5 * 512));
  EXPECT_EQ(
      counter.prompt(0, 2, KvType::bf16).operations - counter.prompt(0, 1, KvType::bf16).operations,
      2 * row + attention);
}

}  // namespace
}  // namespace pleiad::bench
