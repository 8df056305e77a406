// Per-layer embeddings (E2B, E4B): every layer gets an input of its own, made
// of a row of a large table and of a projection of the token's embedding.
// A soft row's is made of the table's row 0 and of a projection of the soft row.
// A row whose logits nobody wants is dropped at last_kv_owner_ (see drop_unwanted_rows): inputs
// of that layer and of later ones are made there, for the rows that are kept, unless all are.

#include <algorithm>
#include <array>
#include <cmath>

#include "model/gemma4/gemma4.h"

namespace pleiad::gemma4 {

void Gemma4::expect_per_layer_rows() {
  const std::int64_t dim = config_.per_layer_dim;
  const std::int64_t early = last_kv_owner_ * dim;
  const std::int64_t all = config_.n_layers() * dim;
  const auto tokens = std::span<const std::int32_t>(step_.tokens);
  backend_.expect_rows(per_layer_embedding_, tokens, 0, step_.keeps_rows() ? all : early);
  if (step_.keeps_rows()) return;
  for (const std::int32_t row : step_.wanted) {
    backend_.expect_rows(per_layer_embedding_, tokens.subspan(static_cast<std::size_t>(row), 1),
                         early, all - early);
  }
}

void Gemma4::prepare_per_layer_inputs() {
  const int last = step_.keeps_rows() ? config_.n_layers() : last_kv_owner_;
  compute_per_layer_inputs(0, last, rows_of(work_.residual));
}

// The residual has gone on, so the tokens are embedded anew.
void Gemma4::prepare_late_per_layer_inputs() {
  const Tensor embedded = rows_of(work_.branch);
  embed(embedded);
  write_kept_soft_rows(embedded);
  compute_per_layer_inputs(last_kv_owner_, config_.n_layers(), embedded);
}

// Of layers [first, last), which begin or end at last_kv_owner_ if not with all.
void Gemma4::compute_per_layer_inputs(int first, int last, Tensor embedded) {
  const std::int64_t dim = config_.per_layer_dim;
  const std::int64_t cols = (last - first) * dim;
  if (cols == 0) return;
  const Tensor context = work_.per_layer_context.reshaped(step_.n_rows, cols);
  std::array<LinearTask, 2> tasks = {};
  std::size_t n_tasks = 0;
  const std::int64_t early = std::max(last_kv_owner_ - first, 0) * dim;
  if (early > 0) tasks[n_tasks++] = {context.columns(0, early), &early_per_layer_projection_};
  if (early < cols) {
    tasks[n_tasks++] = {context.columns(early, cols - early), &late_per_layer_projection_};
  }
  report_input({"per_layer.projection"}, embedded);
  backend_.linear(std::span(tasks).first(n_tasks), embedded);
  // Rows of the table come last: they may be on their way from the disk. A block may begin
  // before the first layer's columns and end after the last one's.
  const std::int64_t begin = first * dim / per_layer_block_ * per_layer_block_;
  const std::int64_t end = end_of_block(last * dim, per_layer_block_);
  const Tensor blocks = work_.per_layer.reshaped(step_.n_rows, end - begin);
  const Tensor inputs = blocks.columns(first * dim - begin, cols);
  backend_.embed(blocks, per_layer_embedding_, begin, std::sqrt(static_cast<float>(dim)));
  const float context_scale = 1.0F / std::sqrt(static_cast<float>(config_.model_dim));
  backend_.combine_per_layer(inputs, context, per_layer_norm_, config_.per_layer_dim, context_scale,
                             config_.rms_norm_eps);
  trace("ple", inputs);
  step_.per_layer = inputs;
  step_.first_per_layer = first;
}

void Gemma4::add_per_layer_input(int index) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const Tensor gate = rows_of(work_.per_layer_gate);
  const std::int64_t dim = config_.per_layer_dim;
  const LinearTask gate_task = {gate, &layer.per_layer_gate};
  report_input(index, {"per_layer_gate"}, rows_of(work_.residual));
  backend_.linear({&gate_task, 1}, rows_of(work_.residual));
  backend_.gated_gelu(gate, step_.per_layer.columns((index - step_.first_per_layer) * dim, dim));
  report_input(index, {"per_layer_proj"}, gate);
  const LinearTask out_task = {rows_of(work_.branch), &layer.per_layer_proj};
  backend_.linear({&out_task, 1}, gate);
  backend_.norm_add(rows_of(work_.residual), rows_of(work_.branch), layer.post_per_layer_norm,
                    config_.rms_norm_eps, layer.output_scale);
}

}  // namespace pleiad::gemma4
