#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/testing/paths.h"
#include "model/checkpoint.h"
#include "tensor/decode.h"

namespace pleiad::testing_support {

/// A tiny model of tests/golden/models.
inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(golden_path()) / "models" / name;
}

/// All values of a tensor, row after row, decoded.
inline std::vector<float> values_of(const HostTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(element_count(tensor.shape)));
  for (std::int64_t row = 0; row < tensor.rows(); ++row) {
    decode_row(tensor, row, values.data() + row * tensor.cols());
  }
  return values;
}

inline void expect_same_values(const Checkpoint& a, const Checkpoint& b) {
  a.for_each([&](std::string_view name, const HostTensor& tensor) {
    ASSERT_NE(b.find(name), nullptr) << name;
    EXPECT_EQ(tensor.shape, b.get(name).shape) << name;
    EXPECT_EQ(values_of(tensor), values_of(b.get(name))) << name;
  });
}

/// Everything that a file tells of its model.
inline void expect_same_config(const gemma4::Config& a, const gemma4::Config& b) {
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
  ASSERT_EQ(a.n_layers(), b.n_layers());
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    EXPECT_EQ(a.layers[i].attention, b.layers[i].attention) << i;
    EXPECT_EQ(a.layers[i].head_dim, b.layers[i].head_dim) << i;
    EXPECT_EQ(a.layers[i].n_kv_heads, b.layers[i].n_kv_heads) << i;
    EXPECT_EQ(a.layers[i].ffn_dim, b.layers[i].ffn_dim) << i;
    EXPECT_EQ(a.layers[i].kv_layer, b.layers[i].kv_layer) << i;
    EXPECT_EQ(a.layers[i].value_is_key, b.layers[i].value_is_key) << i;
  }
  ASSERT_EQ(a.experts.has_value(), b.experts.has_value());
  if (!a.experts) return;
  EXPECT_EQ(a.experts->n_experts, b.experts->n_experts);
  EXPECT_EQ(a.experts->n_experts_used, b.experts->n_experts_used);
  EXPECT_EQ(a.experts->ffn_dim, b.experts->ffn_dim);
}

}  // namespace pleiad::testing_support
