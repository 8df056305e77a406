#include "model/gemma4/vision/tensor_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pleiad::gemma4 {
namespace {

using V = VisionConfig;

std::int64_t heads(const V& c) { return std::int64_t{c.n_heads} * c.head_dim; }

struct VisionRow {
  std::string_view name;
  std::string_view gguf;
  std::string_view hf;
  Shape (*shape)(const V&);
};

// clang-format off
constexpr VisionRow kPatchEmbedding = {
    "patch_embedding", "v.patch_embd.weight", "vision_tower.patch_embedder.input_proj.weight",
    [](const V& c) { return Shape{c.hidden_dim, c.patch_values()}; }};

constexpr std::array kTowerRows = {
    VisionRow{"position_embedding", "v.position_embd.weight",
        "vision_tower.patch_embedder.position_embedding_table",
        [](const V& c) { return Shape{2, c.position_table_size, c.hidden_dim}; }},
    VisionRow{"projector", "mm.input_projection.weight", "embed_vision.embedding_projection.weight",
        [](const V& c) { return Shape{c.model_dim, c.hidden_dim}; }},
};

constexpr std::array kStandardizeRows = {
    VisionRow{"std_bias", "v.std_bias", "vision_tower.std_bias",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    VisionRow{"std_scale", "v.std_scale", "vision_tower.std_scale",
        [](const V& c) { return Shape{c.hidden_dim}; }},
};

constexpr std::array kLayerNorms = {
    VisionRow{"attention_norm", "ln1.weight", "input_layernorm.weight",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    VisionRow{"attention.q_norm", "attn_q_norm.weight", "self_attn.q_norm.weight",
        [](const V& c) { return Shape{c.head_dim}; }},
    VisionRow{"attention.k_norm", "attn_k_norm.weight", "self_attn.k_norm.weight",
        [](const V& c) { return Shape{c.head_dim}; }},
    VisionRow{"post_attention_norm", "attn_post_norm.weight", "post_attention_layernorm.weight",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    VisionRow{"ffn_norm", "ln2.weight", "pre_feedforward_layernorm.weight",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    VisionRow{"post_ffn_norm", "ffn_post_norm.weight", "post_feedforward_layernorm.weight",
        [](const V& c) { return Shape{c.hidden_dim}; }},
};

// Without what follows: ".weight" in GGUF, ".linear.weight" in Hugging Face files, or the name
// of a clip bound. In the order of kClippedLinears.
constexpr std::array kLayerLinears = {
    VisionRow{"attention.q_proj", "attn_q", "self_attn.q_proj",
        [](const V& c) { return Shape{heads(c), c.hidden_dim}; }},
    VisionRow{"attention.k_proj", "attn_k", "self_attn.k_proj",
        [](const V& c) { return Shape{heads(c), c.hidden_dim}; }},
    VisionRow{"attention.v_proj", "attn_v", "self_attn.v_proj",
        [](const V& c) { return Shape{heads(c), c.hidden_dim}; }},
    VisionRow{"attention.o_proj", "attn_out", "self_attn.o_proj",
        [](const V& c) { return Shape{c.hidden_dim, heads(c)}; }},
    VisionRow{"ffn.gate_proj", "ffn_gate", "mlp.gate_proj",
        [](const V& c) { return Shape{c.ffn_dim, c.hidden_dim}; }},
    VisionRow{"ffn.up_proj", "ffn_up", "mlp.up_proj",
        [](const V& c) { return Shape{c.ffn_dim, c.hidden_dim}; }},
    VisionRow{"ffn.down_proj", "ffn_down", "mlp.down_proj",
        [](const V& c) { return Shape{c.hidden_dim, c.ffn_dim}; }},
};
// clang-format on

// clang-format off
constexpr std::array kEmbedderRows = {
    VisionRow{"patch_norm.weight", "v.patch_norm.1.weight", "vision_embedder.patch_ln1.weight",
        [](const V& c) { return Shape{c.patch_values()}; }},
    VisionRow{"patch_norm.bias", "v.patch_norm.1.bias", "vision_embedder.patch_ln1.bias",
        [](const V& c) { return Shape{c.patch_values()}; }},
    VisionRow{"patch_embedding", "v.patch_embd.weight", "vision_embedder.patch_dense.weight",
        [](const V& c) { return Shape{c.hidden_dim, c.patch_values()}; }},
    VisionRow{"patch_bias", "v.patch_embd.bias", "vision_embedder.patch_dense.bias",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    VisionRow{"embedding_norm.weight", "v.patch_norm.2.weight", "vision_embedder.patch_ln2.weight",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    VisionRow{"embedding_norm.bias", "v.patch_norm.2.bias", "vision_embedder.patch_ln2.bias",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    // The places of both axes lie beside each other, in GGUF one table after the other.
    VisionRow{"position_embedding", "v.position_embd.weight", "vision_embedder.pos_embedding",
        [](const V& c) {
          return c.patch_order == PatchOrder::pixels
                     ? Shape{c.position_table_size, 2, c.hidden_dim}
                     : Shape{2, c.position_table_size, c.hidden_dim};
        }},
    VisionRow{"position_norm.weight", "v.patch_norm.3.weight", "vision_embedder.pos_norm.weight",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    VisionRow{"position_norm.bias", "v.patch_norm.3.bias", "vision_embedder.pos_norm.bias",
        [](const V& c) { return Shape{c.hidden_dim}; }},
    VisionRow{"projector", "mm.input_projection.weight", "embed_vision.embedding_projection.weight",
        [](const V& c) { return Shape{c.model_dim, c.hidden_dim}; }},
};
// clang-format on

EncoderTensorSpec spec(std::string name, std::string gguf, std::string hf, const Shape& shape) {
  return {{std::move(name), std::move(gguf), std::move(hf), shape}, shape, false};
}

EncoderTensorSpec of_tower(const VisionRow& row, const V& config) {
  return spec(fmt::format("vision.{}", row.name), std::string(row.gguf), std::string(row.hf),
              row.shape(config));
}

/// A row of a layer; the suffixes follow its names.
EncoderTensorSpec of_layer(int index, const VisionRow& row, std::string_view suffix,
                           std::string_view gguf_suffix, std::string_view hf_suffix,
                           const Shape& shape) {
  return spec(fmt::format("vision.layers.{}.{}{}", index, row.name, suffix),
              fmt::format("v.blk.{}.{}{}", index, row.gguf, gguf_suffix),
              fmt::format("vision_tower.encoder.layers.{}.{}{}", index, row.hf, hf_suffix), shape);
}

void add_layer(std::vector<EncoderTensorSpec>& table, const V& config, int index) {
  for (const VisionRow& row : kLayerNorms) {
    table.push_back(of_layer(index, row, "", "", "", row.shape(config)));
  }
  for (const VisionRow& row : kLayerLinears) {
    table.push_back(of_layer(index, row, "", ".weight", ".linear.weight", row.shape(config)));
    if (!config.clipped_linears) continue;
    for (const std::string_view bound : kClipBounds) {
      const std::string suffix = fmt::format(".{}", bound);
      table.push_back(of_layer(index, row, suffix, suffix, suffix, {1}));
      table.back().optional = true;
    }
  }
}

}  // namespace

std::vector<EncoderTensorSpec> vision_tensor_table(const VisionConfig& config) {
  std::vector<EncoderTensorSpec> table;
  if (config.is_embedder()) {
    for (const VisionRow& row : kEmbedderRows) table.push_back(of_tower(row, config));
    return table;
  }
  table.push_back(of_tower(kPatchEmbedding, config));
  table.back().gguf_shape = {config.hidden_dim, 3, config.patch_size, config.patch_size};
  for (const VisionRow& row : kTowerRows) table.push_back(of_tower(row, config));
  if (config.standardize) {
    for (const VisionRow& row : kStandardizeRows) table.push_back(of_tower(row, config));
  }
  for (int index = 0; index < config.n_layers; ++index) add_layer(table, config, index);
  return table;
}

}  // namespace pleiad::gemma4
