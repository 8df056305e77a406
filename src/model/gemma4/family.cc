#include "model/gemma4/family.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "model/gemma4/config_rules.h"

namespace pleiad::gemma4 {
namespace {

constexpr std::string_view kUnifiedKey = "12b";  // which has embedders instead of towers

constexpr std::array kFamily = {
    FamilyMember{
        .key = "e2b",
        .name = "Gemma 4 E2B",
        .vocab_size = 262'144,
        .model_dim = 1536,
        .n_layers = 35,
        .full_attention_period = 5,
        .n_shared_kv_layers = 20,
        .n_heads = 8,
        .n_sliding_kv_heads = 1,
        .n_full_kv_heads = 1,
        .sliding_head_dim = 256,
        .full_head_dim = 512,
        .ffn_dim = 6144,
        .shared_ffn_dim = 12'288,
        .per_layer_dim = 256,
        .sliding_window = 512,
        .context_length = 131'072,
        .value_is_key = false,
        .experts = {},
    },
    FamilyMember{
        .key = "e4b",
        .name = "Gemma 4 E4B",
        .vocab_size = 262'144,
        .model_dim = 2560,
        .n_layers = 42,
        .full_attention_period = 6,
        .n_shared_kv_layers = 18,
        .n_heads = 8,
        .n_sliding_kv_heads = 2,
        .n_full_kv_heads = 2,
        .sliding_head_dim = 256,
        .full_head_dim = 512,
        .ffn_dim = 10'240,
        .shared_ffn_dim = 10'240,
        .per_layer_dim = 256,
        .sliding_window = 512,
        .context_length = 131'072,
        .value_is_key = false,
        .experts = {},
    },
    FamilyMember{
        .key = kUnifiedKey,
        .name = "Gemma 4 12B",
        .vocab_size = 262'144,
        .model_dim = 3840,
        .n_layers = 48,
        .full_attention_period = 6,
        .n_shared_kv_layers = 0,
        .n_heads = 16,
        .n_sliding_kv_heads = 8,
        .n_full_kv_heads = 1,
        .sliding_head_dim = 256,
        .full_head_dim = 512,
        .ffn_dim = 15'360,
        .shared_ffn_dim = 15'360,
        .per_layer_dim = 0,
        .sliding_window = 1024,
        .context_length = 262'144,
        .value_is_key = true,
        .experts = {},
    },
    FamilyMember{
        .key = "26b-a4b",
        .name = "Gemma 4 26B-A4B",
        .vocab_size = 262'144,
        .model_dim = 2816,
        .n_layers = 30,
        .full_attention_period = 6,
        .n_shared_kv_layers = 0,
        .n_heads = 16,
        .n_sliding_kv_heads = 8,
        .n_full_kv_heads = 2,
        .sliding_head_dim = 256,
        .full_head_dim = 512,
        .ffn_dim = 2112,
        .shared_ffn_dim = 2112,
        .per_layer_dim = 0,
        .sliding_window = 1024,
        .context_length = 262'144,
        .value_is_key = true,
        .experts = {.n_experts = 128, .n_experts_used = 8, .ffn_dim = 704},
    },
    FamilyMember{
        .key = "31b",
        .name = "Gemma 4 31B",
        .vocab_size = 262'144,
        .model_dim = 5376,
        .n_layers = 60,
        .full_attention_period = 6,
        .n_shared_kv_layers = 0,
        .n_heads = 32,
        .n_sliding_kv_heads = 16,
        .n_full_kv_heads = 4,
        .sliding_head_dim = 256,
        .full_head_dim = 512,
        .ffn_dim = 21'504,
        .shared_ffn_dim = 21'504,
        .per_layer_dim = 0,
        .sliding_window = 1024,
        .context_length = 262'144,
        .value_is_key = true,
        .experts = {},
    },
};

LayerConfig layer_of(const FamilyMember& member, int index) {
  const bool is_full = (index + 1) % member.full_attention_period == 0;
  LayerConfig layer;
  layer.attention = is_full ? AttentionKind::full : AttentionKind::sliding;
  layer.head_dim = is_full ? member.full_head_dim : member.sliding_head_dim;
  layer.n_kv_heads = is_full ? member.n_full_kv_heads : member.n_sliding_kv_heads;
  const bool shares = index >= member.n_layers - member.n_shared_kv_layers;
  layer.ffn_dim = shares ? member.shared_ffn_dim : member.ffn_dim;
  layer.value_is_key = is_full && member.value_is_key;
  return layer;
}

}  // namespace

std::span<const FamilyMember> family() { return kFamily; }

const FamilyMember* find_member(std::string_view key) {
  const auto* found = std::ranges::find(kFamily, key, &FamilyMember::key);
  return found == kFamily.end() ? nullptr : found;
}

Config config_of(const FamilyMember& member) {
  Config config;
  config.name = member.name;
  config.vocab_size = member.vocab_size;
  config.model_dim = member.model_dim;
  config.n_heads = member.n_heads;
  config.sliding_window = member.sliding_window;
  config.context_length = member.context_length;
  config.final_logit_softcap = 30.0F;
  config.sliding_rope = {10'000.0, member.sliding_head_dim / 2};
  config.full_rope = {1'000'000.0, member.full_head_dim / 8};  // a quarter of the pairs
  config.per_layer_dim = member.per_layer_dim;
  config.per_layer_vocab_size = member.per_layer_dim > 0 ? member.vocab_size : 0;
  if (member.experts.n_experts > 0) config.experts = member.experts;
  config.bidirectional_blocks = member.per_layer_dim == 0;
  config.blocks_on_all_layers = member.key == kUnifiedKey;
  for (int index = 0; index < member.n_layers; ++index) {
    config.layers.push_back(layer_of(member, index));
  }
  ProblemList problems(config.name);
  share_kv(config, member.n_shared_kv_layers, problems);
  check_config(config, problems);
  CHECK(problems.empty(), "{}", config.name);
  return config;
}

VisionConfig vision_config_of(const FamilyMember& member) {
  if (member.key == kUnifiedKey) {
    VisionConfig config;
    config.kind = VisionKind::embedder;
    config.hidden_dim = config.model_dim = member.model_dim;
    config.patch_size = 48;
    config.pooling = 1;
    config.position_table_size = 1120;
    return config;
  }
  const bool is_small = member.per_layer_dim > 0;
  VisionConfig config;
  config.hidden_dim = is_small ? 768 : 1152;
  config.ffn_dim = is_small ? 3072 : 4304;
  config.n_layers = is_small ? 16 : 27;
  config.n_heads = is_small ? 12 : 16;
  config.head_dim = is_small ? 64 : 72;
  config.position_table_size = 10'240;
  config.model_dim = member.model_dim;
  config.clipped_linears = is_small;
  config.standardize = !is_small;
  return config;
}

std::optional<AudioConfig> audio_config_of(const FamilyMember& member) {
  constexpr int kFrameSamples = 640;
  if (member.key == kUnifiedKey) return audio_embedder(kFrameSamples, member.model_dim);
  const bool is_small = member.per_layer_dim > 0;
  if (!is_small) return std::nullopt;
  AudioConfig config;
  config.hidden_dim = 1024;
  config.ffn_dim = 4096;
  config.n_layers = 12;
  config.n_heads = 8;
  config.output_dim = 1536;
  config.model_dim = member.model_dim;
  config.clipped_linears = true;
  return config;
}

std::int64_t dead_kv_parameters(const FamilyMember& member) {
  std::int64_t n = 0;
  for (int index = member.n_layers - member.n_shared_kv_layers; index < member.n_layers; ++index) {
    const LayerConfig layer = layer_of(member, index);
    const std::int64_t rows = std::int64_t{layer.n_kv_heads} * layer.head_dim;
    n += (layer.value_is_key ? 1 : 2) * rows * member.model_dim + layer.head_dim;
  }
  return n;
}

}  // namespace pleiad::gemma4
