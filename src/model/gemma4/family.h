#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/gemma4/audio/config.h"
#include "model/gemma4/config.h"
#include "model/gemma4/vision/config.h"

namespace pleiad::gemma4 {

/// A member of the Gemma 4 family: the sizes that everything else follows from,
/// as released (config.json of each checkpoint).
struct FamilyMember {
  std::string_view key;   // "e2b": how people ask for it
  std::string_view name;  // "Gemma 4 E2B"
  int vocab_size;
  int model_dim;
  int n_layers;
  int full_attention_period;  // every so many layers one attends to everything
  int n_shared_kv_layers;     // the last ones, which own no keys and values
  int n_heads;
  int n_sliding_kv_heads;
  int n_full_kv_heads;
  int sliding_head_dim;
  int full_head_dim;
  int ffn_dim;         // of layers that own keys and values
  int shared_ffn_dim;  // of the others
  int per_layer_dim;   // 0: no per-layer embeddings
  int sliding_window;
  int context_length;
  bool value_is_key;      // full layers have no v_proj
  ExpertsConfig experts;  // n_experts 0: none
};

/// E2B, E4B, 12B, 26B-A4B, 31B: smallest first.
std::span<const FamilyMember> family();

/// Nothing where no member has this key.
const FamilyMember* find_member(std::string_view key);

/// What a checkpoint of the member says, whole.
Config config_of(const FamilyMember& member);

/// The vision tower of the member's checkpoint, or its embedder of pictures.
VisionConfig vision_config_of(const FamilyMember& member);

/// The audio tower of the member's checkpoint, or its embedder of sounds; nothing where it does not
/// hear.
std::optional<AudioConfig> audio_config_of(const FamilyMember& member);

/// Parameters that checkpoints hold for layers that share keys and values, and
/// that nothing reads: their key and value projections and key norms.
std::int64_t dead_kv_parameters(const FamilyMember& member);

}  // namespace pleiad::gemma4
