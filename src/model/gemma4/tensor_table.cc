#include "model/gemma4/tensor_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace pleiad::gemma4 {
namespace {

/// What shapes are made of; layer fields are those of the row's layer.
struct Dims {
  std::int64_t vocab, ple_vocab, model, n_layers, ple;
  std::int64_t head_dim, query, kv, ffn;
  std::int64_t experts, expert_ffn;
  bool owns_kv, has_value, has_ple, has_experts, split_experts, tied_head;
};

Dims dims_of(const Config& config, int index, ExpertsLayout layout) {
  const LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
  const ExpertsConfig experts = config.experts.value_or(ExpertsConfig{});
  Dims dims = {};
  dims.vocab = config.vocab_size;
  dims.ple_vocab = config.per_layer_vocab_size;
  dims.model = config.model_dim;
  dims.n_layers = config.n_layers();
  dims.ple = config.per_layer_dim;
  dims.head_dim = layer.head_dim;
  dims.query = static_cast<std::int64_t>(config.n_heads) * layer.head_dim;
  dims.kv = static_cast<std::int64_t>(layer.n_kv_heads) * layer.head_dim;
  dims.ffn = layer.ffn_dim;
  dims.experts = experts.n_experts;
  dims.expert_ffn = experts.ffn_dim;
  dims.owns_kv = layer.owns_kv(index);
  dims.has_value = dims.owns_kv && !layer.value_is_key;
  dims.has_ple = config.per_layer_dim != 0;
  dims.has_experts = config.experts.has_value();
  dims.split_experts = layout == ExpertsLayout::split;
  dims.tied_head = config.tied_head;
  return dims;
}

using D = Dims;
using Exists = bool (*)(const Dims&);

constexpr Exists kAlways = [](const D&) { return true; };
constexpr Exists kOwnsKv = [](const D& d) { return d.owns_kv; };
constexpr Exists kHasValue = [](const D& d) { return d.has_value; };
constexpr Exists kHasPle = [](const D& d) { return d.has_ple; };
constexpr Exists kHasExperts = [](const D& d) { return d.has_experts; };
constexpr Exists kFusedExperts = [](const D& d) { return d.has_experts && !d.split_experts; };
constexpr Exists kSplitExperts = [](const D& d) { return d.has_experts && d.split_experts; };
constexpr Exists kUntiedHead = [](const D& d) { return !d.tied_head; };

struct Row {
  std::string_view name;
  std::string_view gguf;
  std::string_view hf;
  Shape (*shape)(const Dims&);
  Exists exists;
};

// The head of a Hugging Face file stands beside the model, not in it.
constexpr std::string_view kHeadName = "head";

// clang-format off
constexpr std::array kModelRows = {
    Row{"embedding", "token_embd.weight", "embed_tokens.weight",
        [](const D& d) { return Shape{d.vocab, d.model}; }, kAlways},
    Row{kHeadName, "output.weight", "lm_head.weight",
        [](const D& d) { return Shape{d.vocab, d.model}; }, kUntiedHead},
    Row{"final_norm", "output_norm.weight", "norm.weight",
        [](const D& d) { return Shape{d.model}; }, kAlways},
    Row{"per_layer.embedding", "per_layer_token_embd.weight", "embed_tokens_per_layer.weight",
        [](const D& d) { return Shape{d.ple_vocab, d.n_layers * d.ple}; }, kHasPle},
    Row{"per_layer.projection", "per_layer_model_proj.weight", "per_layer_model_projection.weight",
        [](const D& d) { return Shape{d.n_layers * d.ple, d.model}; }, kHasPle},
    Row{"per_layer.projection_norm", "per_layer_proj_norm.weight", "per_layer_projection_norm.weight",
        [](const D& d) { return Shape{d.ple}; }, kHasPle},
};

constexpr std::array kLayerRows = {
    Row{"attention_norm", "attn_norm.weight", "input_layernorm.weight",
        [](const D& d) { return Shape{d.model}; }, kAlways},
    Row{"attention.q_proj", "attn_q.weight", "self_attn.q_proj.weight",
        [](const D& d) { return Shape{d.query, d.model}; }, kAlways},
    Row{"attention.k_proj", "attn_k.weight", "self_attn.k_proj.weight",
        [](const D& d) { return Shape{d.kv, d.model}; }, kOwnsKv},
    Row{"attention.v_proj", "attn_v.weight", "self_attn.v_proj.weight",
        [](const D& d) { return Shape{d.kv, d.model}; }, kHasValue},
    Row{"attention.q_norm", "attn_q_norm.weight", "self_attn.q_norm.weight",
        [](const D& d) { return Shape{d.head_dim}; }, kAlways},
    Row{"attention.k_norm", "attn_k_norm.weight", "self_attn.k_norm.weight",
        [](const D& d) { return Shape{d.head_dim}; }, kOwnsKv},
    Row{"attention.o_proj", "attn_output.weight", "self_attn.o_proj.weight",
        [](const D& d) { return Shape{d.model, d.query}; }, kAlways},
    Row{"post_attention_norm", "post_attention_norm.weight", "post_attention_layernorm.weight",
        [](const D& d) { return Shape{d.model}; }, kAlways},
    Row{"ffn_norm", "ffn_norm.weight", "pre_feedforward_layernorm.weight",
        [](const D& d) { return Shape{d.model}; }, kAlways},
    Row{"ffn.gate_proj", "ffn_gate.weight", "mlp.gate_proj.weight",
        [](const D& d) { return Shape{d.ffn, d.model}; }, kAlways},
    Row{"ffn.up_proj", "ffn_up.weight", "mlp.up_proj.weight",
        [](const D& d) { return Shape{d.ffn, d.model}; }, kAlways},
    Row{"ffn.down_proj", "ffn_down.weight", "mlp.down_proj.weight",
        [](const D& d) { return Shape{d.model, d.ffn}; }, kAlways},
    Row{"post_ffn_norm", "post_ffw_norm.weight", "post_feedforward_layernorm.weight",
        [](const D& d) { return Shape{d.model}; }, kAlways},
    Row{"per_layer_gate", "inp_gate.weight", "per_layer_input_gate.weight",
        [](const D& d) { return Shape{d.ple, d.model}; }, kHasPle},
    Row{"per_layer_proj", "proj.weight", "per_layer_projection.weight",
        [](const D& d) { return Shape{d.model, d.ple}; }, kHasPle},
    Row{"post_per_layer_norm", "post_norm.weight", "post_per_layer_input_norm.weight",
        [](const D& d) { return Shape{d.model}; }, kHasPle},
    Row{"output_scale", "layer_output_scale.weight", "layer_scalar",
        [](const D&) { return Shape{1}; }, kAlways},
    Row{"router.proj", "ffn_gate_inp.weight", "router.proj.weight",
        [](const D& d) { return Shape{d.experts, d.model}; }, kHasExperts},
    Row{"router.scale", "ffn_gate_inp.scale", "router.scale",
        [](const D& d) { return Shape{d.model}; }, kHasExperts},
    Row{"router.per_expert_scale", "ffn_down_exps.scale", "router.per_expert_scale",
        [](const D& d) { return Shape{d.experts}; }, kHasExperts},
    Row{"experts.gate_up_proj", "ffn_gate_up_exps.weight", "experts.gate_up_proj",
        [](const D& d) { return Shape{d.experts, 2 * d.expert_ffn, d.model}; }, kFusedExperts},
    Row{"experts.gate_proj", "ffn_gate_exps.weight", "experts.gate_proj",
        [](const D& d) { return Shape{d.experts, d.expert_ffn, d.model}; }, kSplitExperts},
    Row{"experts.up_proj", "ffn_up_exps.weight", "experts.up_proj",
        [](const D& d) { return Shape{d.experts, d.expert_ffn, d.model}; }, kSplitExperts},
    Row{"experts.down_proj", "ffn_down_exps.weight", "experts.down_proj",
        [](const D& d) { return Shape{d.experts, d.model, d.expert_ffn}; }, kHasExperts},
    Row{"expert_ffn_norm", "pre_ffw_norm_2.weight", "pre_feedforward_layernorm_2.weight",
        [](const D& d) { return Shape{d.model}; }, kHasExperts},
    Row{"post_dense_ffn_norm", "post_ffw_norm_1.weight", "post_feedforward_layernorm_1.weight",
        [](const D& d) { return Shape{d.model}; }, kHasExperts},
    Row{"post_expert_ffn_norm", "post_ffw_norm_2.weight", "post_feedforward_layernorm_2.weight",
        [](const D& d) { return Shape{d.model}; }, kHasExperts},
};

// What layers that share keys and values do not need, after "blk.3." or "layers.3.".
constexpr std::string_view kDeadInSharingLayers[] = {
    "attn_k.", "attn_v.", "attn_k_norm.",
    "self_attn.k_proj.", "self_attn.v_proj.", "self_attn.k_norm.",
};

struct Prefix {
  std::string_view text;
  UnusedKind kind;
};
constexpr Prefix kOtherParts[] = {
    {"vision_tower.", UnusedKind::vision}, {"embed_vision.", UnusedKind::vision},
    {"vision_embedder.", UnusedKind::vision},
    {"audio_tower.", UnusedKind::audio},   {"embed_audio.", UnusedKind::audio},
    {"mm.a.", UnusedKind::audio},          {"a.", UnusedKind::audio},
    {"mm.", UnusedKind::vision},           {"v.", UnusedKind::vision},
    {"rope_freqs.weight", UnusedKind::ignored},  // part of the configuration
};
// clang-format on

/// The number after `prefix`, which ends at a dot; the rest goes to `rest`.
std::optional<int> layer_number(std::string_view name, std::string_view prefix,
                                std::string_view& rest) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end == name.data() + name.size() || *end != '.') return std::nullopt;
  rest = name.substr(static_cast<std::size_t>(end - name.data()) + 1);
  return number;
}

bool is_dead_kv(const Config& config, std::string_view name) {
  std::string_view rest;
  auto layer = layer_number(name, "blk.", rest);
  if (!layer) layer = layer_number(name, "layers.", rest);
  if (!layer || *layer < 0 || *layer >= config.n_layers()) return false;
  if (config.layers[static_cast<std::size_t>(*layer)].owns_kv(*layer)) return false;
  return std::ranges::any_of(kDeadInSharingLayers,
                             [&](std::string_view start) { return rest.starts_with(start); });
}

}  // namespace

std::vector<TensorSpec> tensor_table(const Config& config, ExpertsLayout experts) {
  std::vector<TensorSpec> table;
  const Dims model = dims_of(config, 0, experts);
  for (const Row& row : kModelRows) {
    if (!row.exists(model)) continue;
    table.push_back(
        {std::string(row.name), std::string(row.gguf), std::string(row.hf), row.shape(model)});
  }
  for (int index = 0; index < config.n_layers(); ++index) {
    const Dims dims = dims_of(config, index, experts);
    for (const Row& row : kLayerRows) {
      if (!row.exists(dims)) continue;
      table.push_back({fmt::format("layers.{}.{}", index, row.name),
                       fmt::format("blk.{}.{}", index, row.gguf),
                       fmt::format("layers.{}.{}", index, row.hf), row.shape(dims)});
    }
  }
  return table;
}

UnusedKind classify_unused(const Config& config, std::string_view name) {
  if (name.ends_with(".input_scale")) return UnusedKind::ignored;  // of activations
  for (const std::string_view prefix : kHfPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    for (const Prefix& part : kOtherParts) {
      if (rest.starts_with(part.text)) return part.kind;
    }
    if (is_dead_kv(config, rest)) return UnusedKind::dead_kv;
    if (rest == "lm_head.weight" && config.tied_head) return UnusedKind::ignored;
  }
  return UnusedKind::unknown;
}

}  // namespace pleiad::gemma4
