#include "store/config_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/gemma4/projector_file.h"
#include "model/gemma4/vision/config_rules.h"
#include "store/metadata_json.h"

namespace pleiad::store {
namespace {

using gemma4::AttentionKind;
using gemma4::Config;
using gemma4::LayerConfig;

/// One number where all layers have the same.
Json of_layers(const Config& config, int LayerConfig::*field) {
  const bool same = std::ranges::all_of(config.layers, [&](const LayerConfig& layer) {
    return layer.*field == config.layers[0].*field;
  });
  if (same) return config.layers[0].*field;
  Json list = Json::array();
  for (const LayerConfig& layer : config.layers) list.push_back(layer.*field);
  return list;
}

/// Of the first layer of a kind; where there is none, as the others have it.
int head_dim_of_kind(const Config& config, AttentionKind kind) {
  const auto found = std::ranges::find(config.layers, kind, &LayerConfig::attention);
  return found == config.layers.end() ? config.layers[0].head_dim : found->head_dim;
}

}  // namespace

std::map<std::string, Json> config_metadata(const Config& config) {
  std::map<std::string, Json> pairs;
  pairs["general.architecture"] = "gemma4";
  const auto set = [&](std::string_view key, Json value) {
    pairs.emplace(fmt::format("gemma4.{}", key), std::move(value));
  };
  Json sliding = Json::array();
  int n_shared = 0;
  for (int i = 0; i < config.n_layers(); ++i) {
    const LayerConfig& layer = config.layers[static_cast<std::size_t>(i)];
    sliding.push_back(layer.attention == AttentionKind::sliding);
    n_shared += layer.owns_kv(i) ? 0 : 1;
  }
  const int full = head_dim_of_kind(config, AttentionKind::full);
  const int narrow = head_dim_of_kind(config, AttentionKind::sliding);
  set("block_count", config.n_layers());
  set("context_length", config.context_length);
  set("embedding_length", config.model_dim);
  set("embedding_length_per_layer_input", config.per_layer_dim);
  set("feed_forward_length", of_layers(config, &LayerConfig::ffn_dim));
  set("vocab_size", config.vocab_size);
  set("attention.head_count", config.n_heads);
  set("attention.head_count_kv", of_layers(config, &LayerConfig::n_kv_heads));
  set("attention.key_length", full);
  set("attention.value_length", full);
  set("attention.key_length_swa", narrow);
  set("attention.value_length_swa", narrow);
  set("attention.layer_norm_rms_epsilon", as_written(config.rms_norm_eps));
  set("attention.shared_kv_layers", n_shared);
  set("attention.sliding_window", config.sliding_window);
  set("attention.sliding_window_pattern", std::move(sliding));
  set("rope.dimension_count", full);
  set("rope.dimension_count_swa", narrow);
  set("rope.freq_base", config.full_rope.theta);
  set("rope.freq_base_swa", config.sliding_rope.theta);
  if (config.final_logit_softcap > 0) {
    set("final_logit_softcapping", as_written(config.final_logit_softcap));
  }
  if (config.experts) {
    set("expert_count", config.experts->n_experts);
    set("expert_used_count", config.experts->n_experts_used);
    set("expert_feed_forward_length", config.experts->ffn_dim);
  }
  return pairs;
}

std::map<std::string, Json> projector_metadata(const gemma4::VisionConfig& config) {
  const gemma4::PatchSides sides = gemma4::written_patch_sides(config);
  return {{"general.architecture", "clip"},
          {"general.type", "mmproj"},
          {"clip.has_vision_encoder", true},
          {"clip.vision.projector_type",
           config.is_embedder() ? gemma4::kEmbedderType : gemma4::kTowerType},
          {"clip.vision.attention.head_count", config.n_heads},
          {"clip.vision.attention.layer_norm_epsilon", as_written(config.rms_norm_eps)},
          {"clip.vision.block_count", config.n_layers},
          {"clip.vision.embedding_length", config.hidden_dim},
          {"clip.vision.feed_forward_length", config.ffn_dim},
          {"clip.vision.patch_size", sides.patch_size},
          {"clip.vision.projection_dim", config.model_dim},
          {"clip.vision.projector.scale_factor", sides.pooling}};
}

}  // namespace pleiad::store
