#include "support/synthetic_model.h"

#include <cmath>
#include <random>

#include "formats/gguf/writer.h"
#include "model/gemma4/tensor_table.h"
#include "support/random_blocks.h"
#include "tensor/decode.h"

namespace pleiad::testing_support {
namespace {

using gemma4::AttentionKind;

void write_metadata(gguf::Writer& writer, const gemma4::Config& c) {
  writer.set_string("general.architecture", "gemma4");
  writer.set_u32("gemma4.block_count", static_cast<std::uint32_t>(c.n_layers()));
  writer.set_u32("gemma4.context_length", static_cast<std::uint32_t>(c.context_length));
  writer.set_u32("gemma4.embedding_length", static_cast<std::uint32_t>(c.model_dim));
  std::vector<std::int32_t> ffn;
  std::vector<std::int32_t> kv_heads;
  std::vector<bool> sliding;
  std::uint32_t shared = 0;
  std::uint32_t full_dim = 0;
  std::uint32_t sliding_dim = 0;
  for (int i = 0; i < c.n_layers(); ++i) {
    const gemma4::LayerConfig& layer = c.layers[static_cast<std::size_t>(i)];
    ffn.push_back(layer.ffn_dim);
    kv_heads.push_back(layer.n_kv_heads);
    sliding.push_back(layer.attention == AttentionKind::sliding);
    if (!layer.owns_kv(i)) ++shared;
    (sliding.back() ? sliding_dim : full_dim) = static_cast<std::uint32_t>(layer.head_dim);
  }
  writer.set_i32s("gemma4.feed_forward_length", ffn);
  writer.set_u32("gemma4.attention.head_count", static_cast<std::uint32_t>(c.n_heads));
  writer.set_i32s("gemma4.attention.head_count_kv", kv_heads);
  writer.set_f32("gemma4.attention.layer_norm_rms_epsilon", c.rms_norm_eps);
  writer.set_u32("gemma4.attention.key_length", full_dim);
  writer.set_u32("gemma4.attention.value_length", full_dim);
  writer.set_u32("gemma4.attention.key_length_swa", sliding_dim);
  writer.set_u32("gemma4.attention.value_length_swa", sliding_dim);
  writer.set_u32("gemma4.attention.sliding_window", static_cast<std::uint32_t>(c.sliding_window));
  writer.set_booleans("gemma4.attention.sliding_window_pattern", sliding);
  writer.set_u32("gemma4.attention.shared_kv_layers", shared);
  writer.set_u32("gemma4.embedding_length_per_layer_input",
                 static_cast<std::uint32_t>(c.per_layer_dim));
  writer.set_u32("gemma4.rope.dimension_count", full_dim);
  writer.set_u32("gemma4.rope.dimension_count_swa", sliding_dim);
  writer.set_f32("gemma4.rope.freq_base", static_cast<float>(c.full_rope.theta));
  writer.set_f32("gemma4.rope.freq_base_swa", static_cast<float>(c.sliding_rope.theta));
  writer.set_f32("gemma4.final_logit_softcapping", c.final_logit_softcap);
  if (c.experts) {
    writer.set_u32("gemma4.expert_count", static_cast<std::uint32_t>(c.experts->n_experts));
    writer.set_u32("gemma4.expert_used_count",
                   static_cast<std::uint32_t>(c.experts->n_experts_used));
    writer.set_u32("gemma4.expert_feed_forward_length",
                   static_cast<std::uint32_t>(c.experts->ffn_dim));
  }
}

bool is_matrix(const gemma4::TensorSpec& spec) { return spec.shape.size() > 1; }

DType stored_type(const gemma4::TensorSpec& spec, DType type) {
  return is_matrix(spec) && spec.shape.back() % traits(type).block_size == 0 ? type : DType::f32;
}

}  // namespace

gemma4::Config synthetic_config(SyntheticFamily family) {
  const bool experts = family == SyntheticFamily::mixture_of_experts;
  gemma4::Config c;
  c.vocab_size = 96;
  c.model_dim = 256;
  c.n_heads = 8;
  c.sliding_window = 12;
  c.context_length = 1024;
  c.final_logit_softcap = 30;
  c.sliding_rope = {10'000, 16};
  c.full_rope = {1'000'000, 8};
  if (!experts) {
    c.per_layer_dim = family == SyntheticFamily::e_series_unshared ? 64 : 256;
    c.per_layer_vocab_size = c.vocab_size;
  } else {
    c.experts = gemma4::ExpertsConfig{5, 2, 256};
  }
  for (int i = 0; i < 4; ++i) {
    gemma4::LayerConfig layer;
    const bool full = i % 2 == 1;
    layer.attention = full ? AttentionKind::full : AttentionKind::sliding;
    layer.head_dim = full ? 64 : 32;
    layer.n_kv_heads = experts ? (full ? 2 : 4) : 1;
    layer.ffn_dim = !experts && i >= 2 ? 512 : 256;
    layer.kv_layer = family == SyntheticFamily::e_series && i >= 2 ? i - 2 : i;
    layer.value_is_key = experts && full;
    c.layers.push_back(layer);
  }
  return c;
}

void write_synthetic_model(const std::filesystem::path& path, SyntheticFamily family, DType type,
                           bool decoded, unsigned seed) {
  const gemma4::Config config = synthetic_config(family);
  std::mt19937 random(seed);
  gguf::Writer writer(path);
  write_metadata(writer, config);
  const std::vector<gemma4::TensorSpec> table = gemma4::tensor_table(config);
  // Untied heads and alternative spellings are optional; a tied model has none.
  const auto wanted = [](const gemma4::TensorSpec& spec) { return spec.name != "head"; };
  for (const auto& spec : table) {
    if (!wanted(spec)) continue;
    writer.add_tensor(spec.gguf_name, decoded ? DType::f32 : stored_type(spec, type), spec.shape);
  }
  for (const auto& spec : table) {
    if (!wanted(spec)) continue;
    const auto n = static_cast<std::size_t>(element_count(spec.shape));
    if (is_matrix(spec)) {
      const float size = 1.0F / std::sqrt(static_cast<float>(spec.shape.back()));
      const DType stored = stored_type(spec, type);
      const std::vector<std::byte> blocks = random_blocks(stored, n, size, random);
      std::vector<float> values(decoded ? n : 0);
      if (decoded) decode_blocks(stored, blocks.data(), n, values.data());
      writer.write(decoded ? std::as_bytes(std::span(values)) : std::span<const std::byte>(blocks));
      continue;
    }
    const bool is_key_norm = spec.name.ends_with("k_norm");
    std::normal_distribution<float> normal(is_key_norm ? 0.2F : 1.0F, is_key_norm ? 0.02F : 0.2F);
    std::vector<float> values(n);
    for (float& value : values) value = normal(random);
    writer.write(std::as_bytes(std::span(values)));
  }
  writer.finish();
}

}  // namespace pleiad::testing_support
