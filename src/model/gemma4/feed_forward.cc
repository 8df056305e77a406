#include <array>

#include "model/gemma4/gemma4.h"

namespace pleiad::gemma4 {

void Gemma4::feed_forward(int index) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const std::int64_t ffn_dim = layer.config.ffn_dim;
  const Tensor gate = work_.gate.reshaped(step_.n_rows, ffn_dim);
  const Tensor up = work_.up.reshaped(step_.n_rows, ffn_dim);
  const Tensor branch = rows_of(work_.branch);
  const Tensor normed = rows_of(work_.normed);
  if (!input_hook_) {
    backend_.feed_forward(branch, normed, {&layer.gate_proj, &layer.up_proj, &layer.down_proj},
                          gate, up);
    return;
  }
  report_input(index, {"ffn.gate_proj", "ffn.up_proj"}, normed);
  const std::array tasks = {LinearTask{gate, &layer.gate_proj}, LinearTask{up, &layer.up_proj}};
  backend_.linear(tasks, normed);
  backend_.gated_gelu(gate, up);
  report_input(index, {"ffn.down_proj"}, gate);
  const LinearTask down_task = {branch, &layer.down_proj};
  backend_.linear({&down_task, 1}, gate);
}

// branch holds the dense feed-forward; the experts read the same residual.
void Gemma4::add_experts(int index) {
  const Experts& experts = *layers_[static_cast<std::size_t>(index)].experts;
  const float eps = config_.rms_norm_eps;
  const Tensor normed = rows_of(work_.normed);
  const Tensor branch = rows_of(work_.branch);
  const Tensor expert_branch = rows_of(work_.expert_branch);
  const Tensor router_logits = rows_of(work_.router_logits);
  backend_.rms_norm(branch, branch, &experts.post_dense_norm, eps);
  backend_.rms_norm(normed, rows_of(work_.residual), &experts.router_scale, eps);
  report_input(index, {"router.proj"}, normed);
  const LinearTask route = {router_logits, &experts.router};
  backend_.linear({&route, 1}, normed);
  trace(index, "router", router_logits);
  backend_.rms_norm(normed, rows_of(work_.residual), &experts.ffn_norm, eps);
  backend_.experts(expert_branch, normed, router_logits, experts.weights);
  if (input_hook_) report_expert_inputs(index, normed);
  backend_.rms_norm(expert_branch, expert_branch, &experts.post_experts_norm, eps);
  backend_.add(branch, expert_branch);
}

// Every row meets as many experts, so its input counts once for all of them.
void Gemma4::report_expert_inputs(int index, Tensor normed) const {
  const Experts& experts = *layers_[static_cast<std::size_t>(index)].experts;
  if (experts.weights.gate_up) {
    report_input(index, {"experts.gate_up_proj"}, normed);
  } else {
    report_input(index, {"experts.gate_proj", "experts.up_proj"}, normed);
  }
  report_input(index, {"experts.down_proj"}, backend_.expert_hidden(step_.n_rows, experts.weights));
}

}  // namespace pleiad::gemma4
