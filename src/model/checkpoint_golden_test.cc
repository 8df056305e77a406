// The tiny models in tests/golden/models: every one opens, and what one family
// stores as GGUF and as safetensors is the same model.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/gguf/reader.h"
#include "model/checkpoint.h"
#include "model/gemma4/tensor_table.h"
#include "tensor/decode.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

fs::path golden(const std::string& name) { return fs::path(PLEIAD_GOLDEN_DIR) / "models" / name; }

std::vector<float> values_of(const HostTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(element_count(tensor.shape)));
  for (std::int64_t row = 0; row < tensor.rows(); ++row) {
    decode_row(tensor, row, values.data() + row * tensor.cols());
  }
  return values;
}

void expect_same_config(const gemma4::Config& a, const gemma4::Config& b) {
  EXPECT_EQ(a.vocab_size, b.vocab_size);
  EXPECT_EQ(a.model_dim, b.model_dim);
  EXPECT_EQ(a.n_heads, b.n_heads);
  EXPECT_EQ(a.sliding_window, b.sliding_window);
  EXPECT_EQ(a.context_length, b.context_length);
  EXPECT_EQ(a.rms_norm_eps, b.rms_norm_eps);
  EXPECT_EQ(a.final_logit_softcap, b.final_logit_softcap);
  for (const auto kind : {gemma4::AttentionKind::sliding, gemma4::AttentionKind::full}) {
    EXPECT_EQ(a.rope(kind).theta, b.rope(kind).theta);
    EXPECT_EQ(a.rope(kind).n_rotated_pairs, b.rope(kind).n_rotated_pairs);
  }
  EXPECT_EQ(a.per_layer_dim, b.per_layer_dim);
  EXPECT_EQ(a.per_layer_vocab_size, b.per_layer_vocab_size);
  ASSERT_EQ(a.experts.has_value(), b.experts.has_value());
  if (a.experts) {
    EXPECT_EQ(a.experts->n_experts, b.experts->n_experts);
    EXPECT_EQ(a.experts->n_experts_used, b.experts->n_experts_used);
    EXPECT_EQ(a.experts->ffn_dim, b.experts->ffn_dim);
  }
  ASSERT_EQ(a.n_layers(), b.n_layers());
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    EXPECT_EQ(a.layers[i].attention, b.layers[i].attention) << i;
    EXPECT_EQ(a.layers[i].head_dim, b.layers[i].head_dim) << i;
    EXPECT_EQ(a.layers[i].n_kv_heads, b.layers[i].n_kv_heads) << i;
    EXPECT_EQ(a.layers[i].ffn_dim, b.layers[i].ffn_dim) << i;
    EXPECT_EQ(a.layers[i].kv_layer, b.layers[i].kv_layer) << i;
    EXPECT_EQ(a.layers[i].value_is_key, b.layers[i].value_is_key) << i;
  }
}

/// "e4b_fp8": test names have no hyphens.
std::string test_name(const ::testing::TestParamInfo<std::string>& model) {
  std::string name = model.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

class GoldenCheckpoint : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenCheckpoint, OpensAndHasEveryTensorOfTheTable) {
  const Checkpoint checkpoint = Checkpoint::open(golden(GetParam()));
  for (const gemma4::TensorSpec& spec : gemma4::tensor_table(checkpoint.config())) {
    EXPECT_EQ(checkpoint.get(spec.name).shape, spec.shape) << spec.name;
  }
  EXPECT_TRUE(checkpoint.unused().unknown.empty()) << checkpoint.unused().unknown[0];
  EXPECT_GT(checkpoint.tensor_bytes(), 1000U);
  EXPECT_FALSE(checkpoint.generation().stop_tokens.empty());
}

INSTANTIATE_TEST_SUITE_P(AllModels, GoldenCheckpoint,
                         ::testing::Values("e2b", "e4b", "26b-a4b", "31b", "e4b-nvfp4", "e4b-fp8"),
                         test_name);

class GoldenFamily : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenFamily, IsTheSameModelAsGgufAndAsSafetensors) {
  const Checkpoint folder = Checkpoint::open(golden(GetParam()));
  const Checkpoint gguf = Checkpoint::open(golden(GetParam()) / (GetParam() + ".gguf"));
  EXPECT_EQ(folder.gguf(), nullptr);
  EXPECT_NE(gguf.gguf(), nullptr);
  expect_same_config(folder.config(), gguf.config());
  EXPECT_TRUE(gguf.unused().unknown.empty());
  for (const gemma4::TensorSpec& spec : gemma4::tensor_table(folder.config())) {
    const HostTensor& a = folder.get(spec.name);
    const HostTensor& b = gguf.get(spec.name);
    EXPECT_EQ(a.shape, b.shape) << spec.name;
    EXPECT_EQ(values_of(a), values_of(b)) << spec.name;
  }
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, GoldenFamily,
                         ::testing::Values("e2b", "e4b", "26b-a4b", "31b"), test_name);

TEST(GoldenQuantized, QuantizedFoldersSayTheirMainType) {
  EXPECT_EQ(Checkpoint::open(golden("e4b-nvfp4")).main_dtype(), DType::nvfp4_packed);
  EXPECT_EQ(Checkpoint::open(golden("e4b-fp8")).main_dtype(), DType::f8_e4m3);
}

TEST(GoldenQuantized, PagesCanBeGivenBackAndAreReadAgain) {
  const Checkpoint checkpoint = Checkpoint::open(golden("e4b-nvfp4"));
  const HostTensor& tensor = checkpoint.get("layers.0.ffn.up_proj");
  const auto before = values_of(tensor);
  checkpoint.advise_random(tensor);
  checkpoint.drop_pages(tensor);
  EXPECT_EQ(values_of(tensor), before);
}

}  // namespace
}  // namespace pleiad
