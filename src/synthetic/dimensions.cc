#include "synthetic/dimensions.h"

#include "base/check.h"
#include "model/gemma4/family.h"

namespace pleiad::synthetic {

Dimensions dimensions_of(ModelName model) {
  const gemma4::FamilyMember* member = gemma4::find_member(model == ModelName::e2b ? "e2b" : "e4b");
  CHECK(member != nullptr && member->n_sliding_kv_heads == member->n_full_kv_heads);
  return {
      .vocab_size = member->vocab_size,
      .model_dim = member->model_dim,
      .n_layers = member->n_layers,
      .full_attention_period = member->full_attention_period,
      .n_shared_kv_layers = member->n_shared_kv_layers,
      .n_heads = member->n_heads,
      .n_kv_heads = member->n_sliding_kv_heads,
      .sliding_head_dim = member->sliding_head_dim,
      .full_head_dim = member->full_head_dim,
      .ffn_dim = member->ffn_dim,
      .shared_ffn_dim = member->shared_ffn_dim,
      .per_layer_dim = member->per_layer_dim,
      .sliding_window = member->sliding_window,
      .context_length = member->context_length,
  };
}

}  // namespace pleiad::synthetic
