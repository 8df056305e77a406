#include "synthetic/tensors.h"

#include <fmt/format.h>

#include <cmath>

#include "synthetic/random_blocks.h"

namespace pleiad::synthetic {
namespace {

/// The type, or where the columns are no multiple of its blocks, the next best.
DType fitting_type(DType wanted, std::int64_t cols) {
  for (const DType type : {wanted, DType::q8_0}) {
    if (cols % static_cast<std::int64_t>(traits(type).block_size) == 0) return type;
  }
  return DType::bf16;
}

class ListBuilder {
 public:
  std::vector<SyntheticTensor> list;

  /// Values of deviation 1 / sqrt(cols), unless given.
  void matrix(std::string name, DType type, std::int64_t rows, std::int64_t cols) {
    const float deviation = 1.0F / std::sqrt(static_cast<float>(cols));
    matrix(std::move(name), type, rows, cols, deviation);
  }

  void matrix(std::string name, DType type, std::int64_t rows, std::int64_t cols, float deviation) {
    stack(std::move(name), type, {rows, cols}, deviation);
  }

  /// A matrix, or one of each expert.
  void stack(std::string name, DType wanted, Shape shape, float deviation) {
    const DType type = fitting_type(wanted, shape.back());
    const std::int64_t n_scales = shape.size() > 2 ? shape[0] : 1;
    list.push_back({name, type, std::move(shape), 0, deviation});
    if (type != DType::nvfp4) return;
    // Scales of single groups are too coarse below 2^-6: one factor for all.
    name.replace(name.rfind(".weight"), std::string::npos, ".scale");
    list.back().deviation = kNvFp4Deviation;
    const std::vector<float> scales(static_cast<std::size_t>(n_scales),
                                    deviation / kNvFp4Deviation);
    list.push_back({std::move(name), DType::f32, {n_scales}, 0, 0, scales});
  }

  void norm(std::string name, std::int64_t size, float mean = 1.0F, float deviation = 0.1F) {
    list.push_back({std::move(name), DType::f32, {size}, mean, deviation});
  }

  /// The norm of what a branch adds to the residual.
  void damping_norm(std::string name, std::int64_t size) {
    norm(std::move(name), size, 0.25F, 0.03F);
  }
};

void add_attention(ListBuilder& add, const Spec& spec, const Dimensions& dims, int layer) {
  const std::string block = fmt::format("blk.{}.", layer);
  const int head_dim = dims.head_dim(layer);
  const int query_dim = dims.n_heads * head_dim;
  const int kv_dim = dims.kv_heads(layer) * head_dim;
  add.norm(block + "attn_norm.weight", dims.model_dim);
  add.matrix(block + "attn_q.weight", spec.type, query_dim, dims.model_dim);
  add.norm(block + "attn_q_norm.weight", head_dim);
  if (dims.owns_kv(layer)) {
    add.matrix(block + "attn_k.weight", spec.type, kv_dim, dims.model_dim);
    if (dims.has_value(layer)) {
      add.matrix(block + "attn_v.weight", spec.type, kv_dim, dims.model_dim);
    }
    // Attention scores are not scaled down by the root of head_dim.
    add.norm(block + "attn_k_norm.weight", head_dim, 0.12F, 0.01F);
  }
  add.matrix(block + "attn_output.weight", spec.type, dims.model_dim, query_dim);
  add.damping_norm(block + "post_attention_norm.weight", dims.model_dim);
}

void add_feed_forward(ListBuilder& add, const Spec& spec, const Dimensions& dims, int layer) {
  const std::string block = fmt::format("blk.{}.", layer);
  const int ffn_dim = dims.layer_ffn_dim(layer);
  add.norm(block + "ffn_norm.weight", dims.model_dim);
  add.matrix(block + "ffn_gate.weight", spec.type, ffn_dim, dims.model_dim);
  add.matrix(block + "ffn_up.weight", spec.type, ffn_dim, dims.model_dim);
  add.matrix(block + "ffn_down.weight", spec.type, dims.model_dim, ffn_dim);
  add.damping_norm(block + "post_ffw_norm.weight", dims.model_dim);
}

void add_per_layer_input(ListBuilder& add, const Spec& spec, const Dimensions& dims, int layer) {
  const std::string block = fmt::format("blk.{}.", layer);
  add.matrix(block + "inp_gate.weight", spec.per_layer_gates, dims.per_layer_dim, dims.model_dim);
  add.matrix(block + "proj.weight", spec.per_layer_gates, dims.model_dim, dims.per_layer_dim);
  add.damping_norm(block + "post_norm.weight", dims.model_dim);
}

void add_experts(ListBuilder& add, const Spec& spec, const Dimensions& dims, int layer) {
  const std::string block = fmt::format("blk.{}.", layer);
  const gemma4::ExpertsConfig& experts = dims.experts;
  const auto stack = [&](const std::string& name, std::int64_t rows, std::int64_t cols) {
    add.stack(block + name, spec.type, {experts.n_experts, rows, cols},
              1.0F / std::sqrt(static_cast<float>(cols)));
  };
  add.list.push_back({block + "ffn_gate_inp.weight",
                      DType::f32,
                      {experts.n_experts, dims.model_dim},
                      0,
                      1.0F / std::sqrt(static_cast<float>(dims.model_dim))});
  add.norm(block + "ffn_gate_inp.scale", dims.model_dim);
  if (spec.type == DType::nvfp4) {  // whose scales have no place in one tensor of both
    stack("ffn_gate_exps.weight", experts.ffn_dim, dims.model_dim);
    stack("ffn_up_exps.weight", experts.ffn_dim, dims.model_dim);
  } else {
    stack("ffn_gate_up_exps.weight", 2 * std::int64_t{experts.ffn_dim}, dims.model_dim);
  }
  stack("ffn_down_exps.weight", dims.model_dim, experts.ffn_dim);
  // With nvfp4 the factors of the matrices have this place.
  if (spec.type != DType::nvfp4) add.norm(block + "ffn_down_exps.scale", experts.n_experts);
  add.norm(block + "pre_ffw_norm_2.weight", dims.model_dim);
  add.damping_norm(block + "post_ffw_norm_1.weight", dims.model_dim);
  add.damping_norm(block + "post_ffw_norm_2.weight", dims.model_dim);
}

/// What llama.cpp divides the angles of full attention by: the first quarter of
/// the pairs turns, the rest stands still.
SyntheticTensor rope_factors(const Dimensions& dims) {
  constexpr float kStill = 1e30F;
  const auto n_pairs = static_cast<std::size_t>(dims.full_head_dim / 2);
  std::vector<float> factors(n_pairs, kStill);
  for (std::size_t pair = 0; pair < n_pairs / 4; ++pair) factors[pair] = 1.0F;
  return {"rope_freqs.weight", DType::f32, {static_cast<std::int64_t>(n_pairs)}, 0, 0, factors};
}

}  // namespace

std::vector<SyntheticTensor> tensor_list(const Spec& spec, const Dimensions& dims) {
  ListBuilder add;
  const std::int64_t per_layer_width = std::int64_t{dims.n_layers} * dims.per_layer_dim;
  const DType projection = spec.type == DType::f16 ? DType::f16 : DType::bf16;
  add.matrix("token_embd.weight", spec.head, dims.vocab_size, dims.model_dim);
  if (dims.per_layer_dim > 0) {
    add.matrix(std::string(kPerLayerTable), spec.per_layer_table, dims.vocab_size, per_layer_width,
               1.0F / std::sqrt(static_cast<float>(dims.per_layer_dim)));
    add.matrix("per_layer_model_proj.weight", projection, per_layer_width, dims.model_dim);
    add.norm("per_layer_proj_norm.weight", dims.per_layer_dim);
  }
  add.norm("output_norm.weight", dims.model_dim, 2.0F);
  add.list.push_back(rope_factors(dims));
  for (int layer = 0; layer < dims.n_layers; ++layer) {
    add_attention(add, spec, dims, layer);
    add_feed_forward(add, spec, dims, layer);
    add.norm(fmt::format("blk.{}.layer_output_scale.weight", layer), 1, 0.9F, 0.05F);
    if (dims.per_layer_dim > 0) add_per_layer_input(add, spec, dims, layer);
    if (dims.experts.n_experts > 0) add_experts(add, spec, dims, layer);
  }
  return std::move(add.list);
}

}  // namespace pleiad::synthetic
