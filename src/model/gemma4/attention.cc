#include <array>

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

  if (c.owns_kv(index)) {
    const Tensor key = dense(work_.key, kv_cols);
    // Where the value is the key, the raw projection serves as both.
    const Tensor value = c.value_is_key ? key : dense(work_.value, kv_cols);
    const std::array tasks = {LinearTask{key, &layer.k_proj}, LinearTask{value, &layer.v_proj}};
    report_input(index, {"attention.k_proj"}, rows_of(work_.normed));
    if (!c.value_is_key) report_input(index, {"attention.v_proj"}, rows_of(work_.normed));
    backend_.linear(std::span(tasks).first(c.value_is_key ? 1 : 2), rows_of(work_.normed));
    backend_.store_kv(cache, key, value, layer.k_norm, rope_of(c.attention), eps);
    trace(index, "k", key);
    if (!c.value_is_key) trace(index, "v", value);
    // No later layer writes to the cache: from here on a row matters only for
    // its own logits.
    if (index == last_kv_owner_) drop_unwanted_rows();
    if (step_.n_rows == 0) return;
  }
  const Tensor query = dense(work_.query, head_cols);
  const Tensor attended = dense(work_.attended, head_cols);
  report_input(index, {"attention.q_proj"}, rows_of(work_.normed));
  const LinearTask query_task = {query, &layer.q_proj};
  backend_.linear({&query_task, 1}, rows_of(work_.normed));
  backend_.norm_rope(query, layer.q_norm, c.head_dim, rope_of(c.attention), eps);
  trace(index, "q", query);
  const int window = c.attention == AttentionKind::sliding ? config_.sliding_window : 0;
  backend_.attention(attended, query, cache, window);
  report_input(index, {"attention.o_proj"}, attended);
  const LinearTask out_task = {rows_of(work_.branch), &layer.o_proj};
  backend_.linear({&out_task, 1}, attended);
}

}  // namespace pleiad::gemma4
