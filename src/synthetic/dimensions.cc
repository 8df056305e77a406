#include "synthetic/dimensions.h"

#include <algorithm>

namespace pleiad::synthetic {

Dimensions dimensions_of(const Spec& spec) {
  const gemma4::FamilyMember& member = *spec.model;
  const int n_owning = member.n_layers - member.n_shared_kv_layers;
  const int n_layers = spec.n_layers > 0 ? spec.n_layers : member.n_layers;
  return {
      .vocab_size = member.vocab_size,
      .model_dim = member.model_dim,
      .n_layers = n_layers,
      .full_attention_period = member.full_attention_period,
      .n_shared_kv_layers = std::max(0, n_layers - n_owning),
      .n_heads = member.n_heads,
      .n_kv_heads = member.n_sliding_kv_heads,
      .sliding_head_dim = member.sliding_head_dim,
      .full_head_dim = member.full_head_dim,
      .ffn_dim = member.ffn_dim,
      .shared_ffn_dim = member.shared_ffn_dim,
      .per_layer_dim = member.per_layer_dim,
      .sliding_window = member.sliding_window,
      .context_length = member.context_length,
      .n_full_kv_heads = member.n_full_kv_heads,
      .value_is_key = member.value_is_key,
      .experts = member.experts,
  };
}

}  // namespace pleiad::synthetic
