#pragma once

#include "model/gemma4/config.h"
#include "synthetic/spec.h"

namespace pleiad::synthetic {

/// The sizes that the tensors of a text model follow from.
struct Dimensions {
  int vocab_size = 0;
  int model_dim = 0;
  int n_layers = 0;
  int full_attention_period = 0;  // every so many layers one attends to everything
  int n_shared_kv_layers = 0;     // the last ones, which own no keys and values
  int n_heads = 0;
  int n_kv_heads = 0;  // of sliding layers
  int sliding_head_dim = 0;
  int full_head_dim = 0;
  int ffn_dim = 0;         // of layers that own keys and values
  int shared_ffn_dim = 0;  // of the others
  int per_layer_dim = 0;   // 0: no per-layer embeddings
  int sliding_window = 0;
  int context_length = 0;
  int n_full_kv_heads = 0;             // 0: as sliding layers have
  bool value_is_key = false;           // full layers have no projection of values
  gemma4::ExpertsConfig experts = {};  // n_experts 0: none

  bool is_full(int layer) const { return (layer + 1) % full_attention_period == 0; }
  bool owns_kv(int layer) const { return layer < n_layers - n_shared_kv_layers; }
  int head_dim(int layer) const { return is_full(layer) ? full_head_dim : sliding_head_dim; }
  int layer_ffn_dim(int layer) const { return owns_kv(layer) ? ffn_dim : shared_ffn_dim; }
  int kv_heads(int layer) const {
    return is_full(layer) && n_full_kv_heads > 0 ? n_full_kv_heads : n_kv_heads;
  }
  bool has_value(int layer) const { return !(is_full(layer) && value_is_key); }
};

/// Those of the real model, or of its first layers.
Dimensions dimensions_of(const Spec& spec);

}  // namespace pleiad::synthetic
