// A vision tower, in the order of its description: patches and where they stand, the layers
// with their sandwich norms, pooling, the projector. Shapes stand where the tensors are
// declared (tower.h, encoding.h); stages.cc says how the work is cut.

#include "model/gemma4/vision/encoding.h"

#include <algorithm>
#include <cmath>

#include "model/gemma4/vision/pooling.h"

namespace pleiad::gemma4 {

// x = W patch + position(x) + position(y)
void TowerEncoding::embed_patches(std::int64_t first, std::int64_t n) {
  const Tensor x = rows(residual_, first, n);
  const Tensor patches = tower_.work_.patches.top(n);
  const Tensor embedded = tower_.work_.branch.top(n);
  const auto values = host(n, patches.cols);
  fill_patches(picture_, config_, first, n, values);
  backend_.write(patches, values);
  const LinearTask task = {embedded, &tower_.patch_embedding_};
  backend_.linear({&task, 1}, patches);
  const auto places = host(n, x.cols);
  positions_.fill(first, n, places);
  backend_.write(x, places);
  backend_.add(x, embedded);
  prepare_rope(first, n);
}

void TowerEncoding::prepare_rope(std::int64_t first, std::int64_t n) {
  xs_.clear();
  ys_.clear();
  for (std::int64_t patch = first; patch < first + n; ++patch) {
    xs_.push_back(grid_.x(patch));
    ys_.push_back(grid_.y(patch));
  }
  backend_.rope_table_2d(rows(rope_, first, n), xs_, ys_, tower_.frequencies_);
}

// q = rope(norm(Wq a)), k = rope(norm(Wk a)), v = norm(Wv a) where a = norm(x)
void TowerEncoding::project_queries_keys_values(std::int64_t first, std::int64_t n) {
  const float eps = config_.rms_norm_eps;
  const Tensor normed = tower_.work_.normed.top(n);
  const Tensor query = rows(query_, first, n);
  const Tensor key = tower_.work_.key.top(n);
  const Tensor value = tower_.work_.value.top(n);
  const Tensor rope = rows(rope_, first, n);
  backend_.rms_norm(normed, rows(residual_, first, n), &layer().attention_norm, eps);
  multiply({{query, &layer().q_proj}, {key, &layer().k_proj}, {value, &layer().v_proj}}, normed);
  backend_.norm_rope_2d(query, layer().q_norm, config_.head_dim, rope, eps);
  backend_.store_encoder_kv(kv_, first, key, value, layer().k_norm, rope, eps);
}

// x = x + norm(Wo softmax(q k) v), over all patches in both directions, scores unscaled
void TowerEncoding::attend(std::int64_t first, std::int64_t n) {
  const Tensor attended = tower_.work_.attended.top(n);
  const Tensor branch = tower_.work_.branch.top(n);
  backend_.encoder_attention(attended, rows(query_, first, n), kv_);
  multiply({{branch, &layer().o_proj}}, attended);
  backend_.norm_add(rows(residual_, first, n), branch, layer().post_attention_norm,
                    config_.rms_norm_eps, 1.0F);
}

// x = x + norm(Wdown (gelu(Wgate f) * Wup f)) where f = norm(x)
void TowerEncoding::feed_forward(std::int64_t first, std::int64_t n) {
  const Tensor x = rows(residual_, first, n);
  const Tensor normed = tower_.work_.normed.top(n);
  const Tensor branch = tower_.work_.branch.top(n);
  const Tensor gate = tower_.work_.gate.top(n);
  const Tensor up = tower_.work_.up.top(n);
  backend_.rms_norm(normed, x, &layer().ffn_norm, config_.rms_norm_eps);
  if (layer().gate_proj.clips() || layer().up_proj.clips() || layer().down_proj.clips()) {
    multiply({{gate, &layer().gate_proj}, {up, &layer().up_proj}}, normed);
    backend_.gated_gelu(gate, up);
    multiply({{branch, &layer().down_proj}}, gate);
  } else {
    backend_.feed_forward(
        branch, normed,
        {&layer().gate_proj.weight, &layer().up_proj.weight, &layer().down_proj.weight}, gate, up);
  }
  backend_.norm_add(x, branch, layer().post_ffn_norm, config_.rms_norm_eps, 1.0F);
}

// s = (mean of 3x3 patches * sqrt(hidden_dim) - bias) * scale; soft token = W norm(s)
void TowerEncoding::pool_and_project(std::int64_t first, std::int64_t n) {
  const Tensor pooled = tower_.work_.normed.top(n);
  const auto means = host(n, pooled.cols);
  pool_patches(backend_, residual_, grid_, config_.pooling, first, n, means);
  const float root = std::sqrt(static_cast<float>(config_.hidden_dim));
  scale_and_standardize(means, root, tower_.std_bias_, tower_.std_scale_);
  backend_.write(pooled, means);
  project(first, pooled, config_.rms_norm_eps, tower_.projector_, tower_.work_.soft.top(n));
}

void TowerEncoding::multiply(std::initializer_list<ClippedProduct> products, Tensor x) {
  clipped_products(backend_, products, x, tower_.work_.clipped);
}

}  // namespace pleiad::gemma4
