#include "model/gemma4/gemma4.h"

namespace pleiad::gemma4 {

void Gemma4::feed_forward(const Layer& layer) {
  const std::int64_t ffn_dim = layer.config.ffn_dim;
  const Tensor gate = work_.gate.reshaped(step_.n_rows, ffn_dim);
  const Tensor up = work_.up.reshaped(step_.n_rows, ffn_dim);
  backend_.feed_forward(rows_of(work_.branch), rows_of(work_.normed),
                        {&layer.gate_proj, &layer.up_proj, &layer.down_proj}, gate, up);
}

// branch holds the dense feed-forward; the experts read the same residual.
void Gemma4::add_experts(const Layer& layer) {
  const Experts& experts = *layer.experts;
  const float eps = config_.rms_norm_eps;
  const Tensor normed = rows_of(work_.normed);
  const Tensor branch = rows_of(work_.branch);
  const Tensor expert_branch = rows_of(work_.expert_branch);
  const Tensor router_logits = rows_of(work_.router_logits);
  backend_.rms_norm(branch, branch, &experts.post_dense_norm, eps);
  backend_.rms_norm(normed, rows_of(work_.residual), &experts.router_scale, eps);
  const LinearTask route = {router_logits, &experts.router};
  backend_.linear({&route, 1}, normed);
  backend_.rms_norm(normed, rows_of(work_.residual), &experts.ffn_norm, eps);
  backend_.experts(expert_branch, normed, router_logits, experts.weights);
  backend_.rms_norm(expert_branch, expert_branch, &experts.post_experts_norm, eps);
  backend_.add(branch, expert_branch);
}

}  // namespace pleiad::gemma4
