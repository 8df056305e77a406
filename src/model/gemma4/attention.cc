#include <array>
#include <span>
#include <string_view>

#include "model/gemma4/gemma4.h"

namespace pleiad::gemma4 {

void Gemma4::attend(int index) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const LayerConfig& c = layer.config;
  const float eps = config_.rms_norm_eps;
  const std::int64_t head_cols = std::int64_t{config_.n_heads} * c.head_dim;
  const std::int64_t kv_cols = std::int64_t{c.n_kv_heads} * c.head_dim;
  const auto& tables = step_.tables[step_.cache->group_of(layer.kv_index)];
  const KvView cache = {step_.cache->layout(layer.kv_index), tables};
  const auto dense = [&](Tensor t, std::int64_t cols) { return t.reshaped(step_.n_rows, cols); };

  // Query, key and value are of one input, unless rows are dropped in between: no later
  // layer than the last owner writes to the cache, so from there on a row matters only for
  // its own logits.
  const bool drops_rows = index == last_kv_owner_ && !step_.keeps_rows();
  std::array<LinearTask, 3> tasks = {};
  std::size_t n_tasks = 0;
  const auto add_task = [&](Tensor out, const Weight& weight, std::string_view name) {
    report_input(index, {name}, rows_of(work_.normed));
    tasks[n_tasks++] = {out, &weight};
  };
  const auto project = [&] {
    backend_.linear(std::span(tasks).first(n_tasks), rows_of(work_.normed));
    n_tasks = 0;
  };
  const Tensor key = dense(work_.key, kv_cols);
  // Where the value is the key, the raw projection serves as both.
  const Tensor value = c.value_is_key ? key : dense(work_.value, kv_cols);
  if (c.owns_kv(index)) {
    add_task(key, layer.k_proj, "attention.k_proj");
    if (!c.value_is_key) add_task(value, layer.v_proj, "attention.v_proj");
  }
  const auto add_query = [&] {
    add_task(dense(work_.query, head_cols), layer.q_proj, "attention.q_proj");
  };
  if (!drops_rows) add_query();
  project();
  if (c.owns_kv(index)) {
    backend_.store_kv(cache, key, value, layer.k_norm, rope_of(c.attention), eps);
    trace(index, "k", key);
    if (!c.value_is_key) trace(index, "v", value);
  }
  if (drops_rows) {
    drop_unwanted_rows();
    if (step_.n_rows == 0) return;
    add_query();
    project();
  }
  const Tensor query = dense(work_.query, head_cols);
  const Tensor attended = dense(work_.attended, head_cols);
  backend_.norm_rope(query, layer.q_norm, c.head_dim, rope_of(c.attention), eps);
  trace(index, "q", query);
  const int window = c.attention == AttentionKind::sliding ? config_.sliding_window : 0;
  backend_.attention(attended, query, cache, window);
  report_input(index, {"attention.o_proj"}, attended);
  const LinearTask out_task = {rows_of(work_.branch), &layer.o_proj};
  backend_.linear({&out_task, 1}, attended);
}

}  // namespace pleiad::gemma4
