#include <algorithm>
#include <cmath>

#include "backend/cpu/cpu_backend.h"

namespace pleiad::cpu {
namespace {

kernels::CacheType cache_type(KvType type) {
  switch (type) {
    case KvType::f32:
      return kernels::CacheType::f32;
    case KvType::f16:
      return kernels::CacheType::f16;
    case KvType::bf16:
      return kernels::CacheType::bf16;
  }
  CHECK(false, "cache type {}", static_cast<int>(type));
}

}  // namespace

void CpuBackend::rope_table(Tensor out, std::span<const float> frequencies) {
  const auto n_pairs = static_cast<std::int64_t>(frequencies.size());
  CHECK(out.rows == step_.count() && out.cols == 2 * n_pairs);
  pool_.run(out.rows, [&](std::int64_t row, int) {
    // Single precision throughout, as the reference has it: at long contexts
    // the rounding of the angle shows in the result.
    const auto position = static_cast<float>(step_.positions[static_cast<std::size_t>(row)]);
    float* cos = out.row(row);
    float* sin = cos + n_pairs;
    for (std::int64_t pair = 0; pair < n_pairs; ++pair) {
      const float angle = position * frequencies[static_cast<std::size_t>(pair)];
      cos[pair] = std::cos(angle);
      sin[pair] = std::sin(angle);
    }
  });
}

void CpuBackend::norm_rope(Tensor query, const Weight& norm, int head_dim, Tensor rope, float eps) {
  const std::int64_t n_heads = query.cols / head_dim;
  const std::int64_t n_pairs = rope.cols / 2;
  CHECK(query.cols % head_dim == 0 && 2 * n_pairs <= head_dim && rope.rows >= query.rows);
  const float* weight = CpuWeight::of(norm).vector();
  pool_.run(query.rows, [&](std::int64_t row, int) {
    const float* cos = rope.row(row);
    for (std::int64_t head = 0; head < n_heads; ++head) {
      float* q = query.row(row) + head * head_dim;
      kernels_.rms_norm(q, q, weight, head_dim, eps);
      kernels_.rope(q, head_dim, cos, cos + n_pairs, n_pairs);
    }
  });
}

void CpuBackend::store_kv(const KvView& cache, Tensor key, Tensor value, const Weight& key_norm,
                          Tensor rope, float eps) {
  const KvLayout& layout = cache.layout;
  const std::int64_t head_dim = layout.head_dim;
  CHECK(key.rows == step_.count() && value.rows == key.rows);
  CHECK(key.cols == layout.n_kv_heads * head_dim && value.cols == key.cols);
  const bool value_is_key = value.data == key.data;
  const std::int64_t n_pairs = rope.cols / 2;
  const float* weight = CpuWeight::of(key_norm).vector();
  const kernels::CacheType type = cache_type(layout.type);
  const std::size_t head_bytes = static_cast<std::size_t>(head_dim) * bytes_per_value(layout.type);
  CHECK(scratch_[0].size() >= static_cast<std::size_t>(head_dim));

  pool_.run(key.rows, [&](std::int64_t row, int worker) {
    const auto index = static_cast<std::size_t>(row);
    const std::int64_t position = step_.positions[index];
    const PageTable pages = cache.tables[static_cast<std::size_t>(step_.sequences[index])];
    std::byte* page = pages[static_cast<std::size_t>(position / layout.page_tokens)];
    const std::int64_t slot = position % layout.page_tokens;
    const float* cos = rope.row(row);
    for (std::int64_t head = 0; head < layout.n_kv_heads; ++head) {
      const std::size_t place =
          static_cast<std::size_t>(head * layout.page_tokens + slot) * head_bytes;
      float* k = key.row(row) + head * head_dim;
      float* v = value.row(row) + head * head_dim;
      float* normed_value = value_is_key ? scratch(worker) : v;
      kernels_.rms_norm(normed_value, v, nullptr, head_dim, eps);
      kernels_.to_cache(page + layout.value_offset + place, normed_value, head_dim, type);
      kernels_.rms_norm(k, k, weight, head_dim, eps);
      kernels_.rope(k, head_dim, cos, cos + n_pairs, n_pairs);
      kernels_.to_cache(page + layout.key_offset + place, k, head_dim, type);
    }
  });
}

void CpuBackend::attention(Tensor out, Tensor query, const KvView& cache, int window) {
  const KvLayout& layout = cache.layout;
  const std::int64_t head_dim = layout.head_dim;
  const std::int64_t n_heads = query.cols / head_dim;
  const std::int64_t group = n_heads / layout.n_kv_heads;
  CHECK(out.rows == query.rows && out.cols == query.cols && query.cols % head_dim == 0);
  CHECK(n_heads % layout.n_kv_heads == 0);
  CHECK(query.rows == static_cast<std::int64_t>(kept_rows_.size()));
  CHECK(scratch_[0].size() >= static_cast<std::size_t>(layout.page_tokens));
  const std::size_t head_bytes =
      static_cast<std::size_t>(layout.page_tokens * head_dim) * bytes_per_value(layout.type);

  const kernels::CacheType type = cache_type(layout.type);
  pool_.run(query.rows * n_heads, [&](std::int64_t task, int worker) {
    const std::int64_t row = task / n_heads;
    const std::int64_t head = task % n_heads;
    const auto index = static_cast<std::size_t>(kept_rows_[static_cast<std::size_t>(row)]);
    const std::int64_t position = step_.positions[index];
    const auto kv_head = static_cast<std::size_t>(head / group);
    kernels::AttentionArgs args = {};
    args.query = query.row(row) + head * head_dim;
    args.pages = cache.tables[static_cast<std::size_t>(step_.sequences[index])].data();
    args.key_offset = layout.key_offset + kv_head * head_bytes;
    args.value_offset = layout.value_offset + kv_head * head_bytes;
    args.type = type;
    args.page_tokens = layout.page_tokens;
    args.head_dim = layout.head_dim;
    args.first = window > 0 ? std::max<std::int64_t>(0, position - window + 1) : 0;
    args.last = position;
    args.out = out.row(row) + head * head_dim;
    kernels_.attention(args, scratch(worker));
  });
}

}  // namespace pleiad::cpu
