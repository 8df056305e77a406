#include "synthetic/dimensions.h"

namespace pleiad::synthetic {
namespace {

constexpr Dimensions kE2b = {
    .vocab_size = 262'144,
    .model_dim = 1536,
    .n_layers = 35,
    .full_attention_period = 5,
    .n_shared_kv_layers = 20,
    .n_heads = 8,
    .n_kv_heads = 1,
    .sliding_head_dim = 256,
    .full_head_dim = 512,
    .ffn_dim = 6144,
    .shared_ffn_dim = 12'288,
    .per_layer_dim = 256,
    .sliding_window = 512,
    .context_length = 131'072,
};

constexpr Dimensions kE4b = {
    .vocab_size = 262'144,
    .model_dim = 2560,
    .n_layers = 42,
    .full_attention_period = 6,
    .n_shared_kv_layers = 18,
    .n_heads = 8,
    .n_kv_heads = 2,
    .sliding_head_dim = 256,
    .full_head_dim = 512,
    .ffn_dim = 10'240,
    .shared_ffn_dim = 10'240,
    .per_layer_dim = 256,
    .sliding_window = 512,
    .context_length = 131'072,
};

}  // namespace

const Dimensions& dimensions_of(ModelName model) { return model == ModelName::e2b ? kE2b : kE4b; }

}  // namespace pleiad::synthetic
