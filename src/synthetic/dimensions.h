#pragma once

#include "synthetic/spec.h"

namespace pleiad::synthetic {

/// The sizes that the tensors of an E model follow from.
struct Dimensions {
  int vocab_size = 0;
  int model_dim = 0;
  int n_layers = 0;
  int full_attention_period = 0;  // every so many layers one attends to everything
  int n_shared_kv_layers = 0;     // the last ones, which own no keys and values
  int n_heads = 0;
  int n_kv_heads = 0;
  int sliding_head_dim = 0;
  int full_head_dim = 0;
  int ffn_dim = 0;         // of layers that own keys and values
  int shared_ffn_dim = 0;  // of the others
  int per_layer_dim = 0;
  int sliding_window = 0;
  int context_length = 0;

  bool is_full(int layer) const { return (layer + 1) % full_attention_period == 0; }
  bool owns_kv(int layer) const { return layer < n_layers - n_shared_kv_layers; }
  int head_dim(int layer) const { return is_full(layer) ? full_head_dim : sliding_head_dim; }
  int layer_ffn_dim(int layer) const { return owns_kv(layer) ? ffn_dim : shared_ffn_dim; }
};

/// Those of the real model.
Dimensions dimensions_of(ModelName model);

}  // namespace pleiad::synthetic
