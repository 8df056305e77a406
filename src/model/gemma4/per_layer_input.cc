// Per-layer embeddings (E2B, E4B): every layer gets an input of its own, made
// of a row of a large table and of a projection of the token's embedding.

#include <cmath>

#include "model/gemma4/gemma4.h"

namespace pleiad::gemma4 {

void Gemma4::prepare_per_layer_inputs() {
  const Tensor inputs = rows_of(work_.per_layer);
  const Tensor context = rows_of(work_.per_layer_context);
  backend_.embed(inputs, per_layer_embedding_, 0,
                 std::sqrt(static_cast<float>(config_.per_layer_dim)));
  const LinearTask project = {context, &per_layer_projection_};
  backend_.linear({&project, 1}, rows_of(work_.residual));
  const float context_scale = 1.0F / std::sqrt(static_cast<float>(config_.model_dim));
  backend_.combine_per_layer(inputs, context, per_layer_norm_, config_.per_layer_dim, context_scale,
                             config_.rms_norm_eps);
  trace("ple", inputs);
}

void Gemma4::add_per_layer_input(int index) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const Tensor gate = rows_of(work_.per_layer_gate);
  const std::int64_t dim = config_.per_layer_dim;
  const LinearTask gate_task = {gate, &layer.per_layer_gate};
  backend_.linear({&gate_task, 1}, rows_of(work_.residual));
  backend_.gated_gelu(gate, rows_of(work_.per_layer).columns(index * dim, dim));
  const LinearTask out_task = {rows_of(work_.branch), &layer.per_layer_proj};
  backend_.linear({&out_task, 1}, gate);
  backend_.norm_add(rows_of(work_.residual), rows_of(work_.branch), layer.post_per_layer_norm,
                    config_.rms_norm_eps, layer.output_scale);
}

}  // namespace pleiad::gemma4
