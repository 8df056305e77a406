#include "synthetic/metadata.h"

#include <fmt/format.h>

#include <vector>

namespace pleiad::synthetic {
namespace {

/// llama.cpp's number for what most tensors of a file are stored as.
std::uint32_t file_type(DType type) {
  switch (type) {
    case DType::f16:
      return 1;
    case DType::q4_0:
      return 2;
    case DType::q8_0:
      return 7;
    case DType::q4_k:
      return 14;  // the "small" mix
    case DType::q5_k:
      return 16;
    case DType::q6_k:
      return 18;
    case DType::bf16:
      return 32;
    case DType::nvfp4:
      return 39;
    default:
      return 0;  // F32
  }
}

}  // namespace

void set_model_keys(gguf::Writer& writer, const Spec& spec, const Dimensions& dims) {
  const auto set_u32 = [&](std::string_view key, int value) {
    writer.set_u32(key, static_cast<std::uint32_t>(value));
  };
  std::vector<std::int32_t> ffn_dims;
  std::vector<bool> sliding;
  std::vector<std::int32_t> kv_heads;
  for (int layer = 0; layer < dims.n_layers; ++layer) {
    ffn_dims.push_back(dims.layer_ffn_dim(layer));
    sliding.push_back(!dims.is_full(layer));
    kv_heads.push_back(dims.kv_heads(layer));
  }
  writer.set_string("general.architecture", "gemma4");
  writer.set_string("general.name", fmt::format("{} (random weights)", spec.model->name));
  writer.set_u32("general.file_type", file_type(spec.type));
  writer.set_u32("general.alignment", 32);
  set_u32("gemma4.context_length", dims.context_length);
  set_u32("gemma4.embedding_length", dims.model_dim);
  set_u32("gemma4.block_count", dims.n_layers);
  writer.set_i32s("gemma4.feed_forward_length", ffn_dims);
  set_u32("gemma4.attention.head_count", dims.n_heads);
  if (dims.n_full_kv_heads == 0 || dims.n_full_kv_heads == dims.n_kv_heads) {
    set_u32("gemma4.attention.head_count_kv", dims.n_kv_heads);
  } else {
    writer.set_i32s("gemma4.attention.head_count_kv", kv_heads);
  }
  writer.set_f32("gemma4.attention.layer_norm_rms_epsilon", 1e-6F);
  set_u32("gemma4.attention.key_length", dims.full_head_dim);
  set_u32("gemma4.attention.value_length", dims.full_head_dim);
  set_u32("gemma4.attention.key_length_swa", dims.sliding_head_dim);
  set_u32("gemma4.attention.value_length_swa", dims.sliding_head_dim);
  set_u32("gemma4.attention.sliding_window", dims.sliding_window);
  writer.set_booleans("gemma4.attention.sliding_window_pattern", sliding);
  set_u32("gemma4.attention.shared_kv_layers", dims.n_shared_kv_layers);
  writer.set_f32("gemma4.rope.freq_base", 1e6F);
  writer.set_f32("gemma4.rope.freq_base_swa", 1e4F);
  set_u32("gemma4.rope.dimension_count", dims.full_head_dim);
  set_u32("gemma4.rope.dimension_count_swa", dims.sliding_head_dim);
  set_u32("gemma4.embedding_length_per_layer_input", dims.per_layer_dim);
  writer.set_f32("gemma4.final_logit_softcapping", 30.0F);
  if (dims.experts.n_experts == 0) return;
  set_u32("gemma4.expert_count", dims.experts.n_experts);
  set_u32("gemma4.expert_used_count", dims.experts.n_experts_used);
  set_u32("gemma4.expert_feed_forward_length", dims.experts.ffn_dim);
}

}  // namespace pleiad::synthetic
