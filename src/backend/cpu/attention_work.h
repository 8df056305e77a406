#pragma once

#include "backend/cpu/cpu_backend.h"
#include "base/check.h"

namespace pleiad::cpu {

inline kernels::CacheType cache_type(KvType type) {
  switch (type) {
    case KvType::f32:
      return kernels::CacheType::f32;
    case KvType::f16:
      return kernels::CacheType::f16;
    case KvType::bf16:
      return kernels::CacheType::bf16;
    case KvType::q8_0:
      return kernels::CacheType::q8_0;
    case KvType::q4_0:
      return kernels::CacheType::q4_0;
  }
  CHECK(false, "cache type {}", static_cast<int>(type));
}

/// One call of attention(): its rows are divided among tasks, each with the query
/// heads of one key head.
struct CpuBackend::AttentionWork {
  Tensor out;
  Tensor query;
  const KvView& cache;
  int window;
  std::int64_t group;  // query heads of a key head

  kernels::AttentionArgs args(std::int64_t kv_head, PageTable pages) const {
    const KvLayout& layout = cache.layout;
    const std::size_t block = static_cast<std::size_t>(kv_head) * layout.head_bytes();
    kernels::AttentionArgs result = {};
    result.pages = pages.data();
    result.key_offset = layout.key_offset + block;
    result.value_offset = layout.value_offset + block;
    result.type = cache_type(layout.type);
    result.page_tokens = layout.page_tokens;
    result.head_dim = layout.head_dim;
    return result;
  }
};

}  // namespace pleiad::cpu
