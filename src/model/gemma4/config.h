#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pleiad::gemma4 {

enum class AttentionKind : std::uint8_t { sliding, full };

/// Rotary position embedding of one attention kind: pair i of a head, the
/// dimensions (i, i + head_dim/2), turns by position * theta^(-2i/head_dim) for
/// i < n_rotated_pairs and not at all beyond.
struct RopeConfig {
  double theta = 10'000.0;
  int n_rotated_pairs = 0;

  bool operator==(const RopeConfig&) const = default;
};

struct LayerConfig {
  AttentionKind attention = AttentionKind::sliding;
  int head_dim = 0;
  int n_kv_heads = 0;
  int ffn_dim = 0;
  /// The layer whose keys and values this layer reads: its own index, or for a
  /// layer that shares, the last owning layer of the same kind.
  int kv_layer = 0;
  /// No v_proj: values are the raw key projection (before norm and RoPE).
  bool value_is_key = false;

  bool owns_kv(int index) const { return kv_layer == index; }
  bool operator==(const LayerConfig&) const = default;
};

/// Mixture of experts beside the dense feed-forward (26B-A4B).
struct ExpertsConfig {
  int n_experts = 0;
  int n_experts_used = 0;
  int ffn_dim = 0;

  bool operator==(const ExpertsConfig&) const = default;
};

/// Everything that decides the shapes and the arithmetic of a Gemma 4 text
/// model, whichever file it came from.
struct Config {
  std::string name;  // "Gemma 4 E2B", from the file when it says, else from the shape
  int vocab_size = 0;
  int model_dim = 0;
  int n_heads = 0;
  int sliding_window = 0;
  int context_length = 0;
  float rms_norm_eps = 1e-6F;
  float final_logit_softcap = 0.0F;  // 0: none
  RopeConfig sliding_rope;
  RopeConfig full_rope;
  int per_layer_dim = 0;  // PLE values per layer and token; 0: no per-layer embeddings
  int per_layer_vocab_size = 0;
  bool tied_head = true;  // the output projection is the token embedding
  /// On sliding layers the soft tokens of a picture see each other in both directions.
  bool bidirectional_blocks = false;
  /// They do so on full layers too, and no window ends within their picture (12B).
  bool blocks_on_all_layers = false;
  std::optional<ExpertsConfig> experts;
  std::vector<LayerConfig> layers;

  int n_layers() const { return static_cast<int>(layers.size()); }
  const RopeConfig& rope(AttentionKind kind) const {
    return kind == AttentionKind::sliding ? sliding_rope : full_rope;
  }
  bool operator==(const Config&) const = default;
};

}  // namespace pleiad::gemma4
