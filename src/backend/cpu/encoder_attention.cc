// What an encoder computes besides products and norms: rotation by two positions, and attention of
// all rows to all rows. Keys and values lie in f32 as the kernel wants them; where there is a
// matrix unit and they may be rounded, in pages of bf16 as the cache of a text, which its kernel
// for prompts goes over.

#include <algorithm>
#include <cmath>

#include "backend/cpu/cpu_backend.h"
#include "base/round_up.h"

namespace pleiad::cpu {
namespace {

constexpr int kEncoderPageTokens = 64;
constexpr int kRowsPerStoreTask = kernels::kLanes;  // that share lines of the cache

/// One head's keys and values in f32; heads lie one after the other.
struct FloatHead {
  std::int64_t head_dim;
  std::int64_t n_padded;

  explicit FloatHead(const EncoderKvLayout& layout)
      : head_dim(layout.head_dim), n_padded(rounded_up(layout.n_rows, kernels::kEncoderPadding)) {}

  std::int64_t key_floats() const { return n_padded * head_dim; }
  std::int64_t floats() const {
    return key_floats() + n_padded * kernels::encoder_value_dim(head_dim);
  }
  float* keys(const EncoderKv& kv, std::int64_t head) const {
    return reinterpret_cast<float*>(kv.memory) + head * floats();
  }
  float* values(const EncoderKv& kv, std::int64_t head) const {
    return keys(kv, head) + key_floats();
  }
  void store_value(float* values, std::int64_t row, const float* x) const {
    for (std::int64_t dim = 0; dim < head_dim; dim += kernels::kLanes) {
      float* to = values + (dim / kernels::kLanes * n_padded + row) * kernels::kLanes;
      const std::int64_t n = std::min<std::int64_t>(kernels::kLanes, head_dim - dim);
      std::copy_n(x + dim, n, to);
      std::fill_n(to + n, kernels::kLanes - n, 0.0F);
    }
  }
};

/// The pages of all heads; dimensions behind a head's own are zeros.
KvLayout page_layout(const EncoderKvLayout& layout) {
  KvLayout pages;
  pages.type = KvType::bf16;
  pages.page_tokens = kEncoderPageTokens;
  pages.n_kv_heads = layout.n_heads;
  pages.head_dim = static_cast<int>(rounded_up(layout.head_dim, kernels::kTileCols));
  pages.value_offset = pages.block_bytes();
  return pages;
}

std::int64_t n_pages(const EncoderKvLayout& layout) {
  return divided_up(layout.n_rows, std::int64_t{kEncoderPageTokens});
}

std::byte* page_of(const EncoderKv& kv, const KvLayout& pages, std::int64_t page) {
  return kv.memory + static_cast<std::size_t>(page) * 2 * pages.block_bytes();
}

void check_heads(Tensor x, const EncoderKvLayout& layout) {
  CHECK(x.cols == std::int64_t{layout.n_heads} * layout.head_dim, "{} columns, {} heads of {}",
        x.cols, layout.n_heads, layout.head_dim);
}

}  // namespace

void CpuBackend::rope_table_2d(Tensor out, std::span<const std::int32_t> xs,
                               std::span<const std::int32_t> ys,
                               std::span<const float> frequencies) {
  const auto n_pairs = static_cast<std::int64_t>(frequencies.size());
  CHECK(out.rows == std::ssize(xs) && out.rows == std::ssize(ys) && out.cols == 4 * n_pairs);
  pool_.run(out.rows, [&](std::int64_t row, int) {
    const auto index = static_cast<std::size_t>(row);
    float* cos = out.row(row);
    for (const std::int32_t place : {xs[index], ys[index]}) {
      for (std::int64_t pair = 0; pair < n_pairs; ++pair) {
        const float angle = static_cast<float>(place) * frequencies[static_cast<std::size_t>(pair)];
        cos[pair] = std::cos(angle);
        cos[pair + n_pairs] = std::sin(angle);
      }
      cos += 2 * n_pairs;
    }
  });
}

void CpuBackend::norm_rope_2d(Tensor query, const Weight& norm, int head_dim, Tensor rope,
                              float eps) {
  CHECK(query.cols % head_dim == 0 && rope.cols == head_dim && head_dim % 4 == 0 &&
        rope.rows >= query.rows);
  const float* weight = CpuWeight::of(norm).vector();
  pool_.run(query.rows, [&](std::int64_t row, int) {
    for (float* q = query.row(row); q < query.row(row) + query.cols; q += head_dim) {
      kernels_.rms_norm(q, q, weight, head_dim, eps);
      rotate_2d(q, head_dim, rope.row(row));
    }
  });
}

void CpuBackend::rotate_2d(float* head, std::int64_t head_dim, const float* rope) const {
  const std::int64_t n_pairs = head_dim / 4;
  for (int axis = 0; axis < 2; ++axis) {
    kernels_.rope(head, head_dim / 2, rope, rope + n_pairs, n_pairs);
    head += head_dim / 2;
    rope += 2 * n_pairs;
  }
}

bool CpuBackend::uses_encoder_tiles(const EncoderKvLayout& layout) const {
  return kernels_.prompt_attention && layout.type == KvType::bf16;
}

std::size_t CpuBackend::encoder_kv_bytes(const EncoderKvLayout& layout) const {
  if (uses_encoder_tiles(layout)) {
    return static_cast<std::size_t>(n_pages(layout)) * 2 * page_layout(layout).block_bytes();
  }
  return static_cast<std::size_t>(layout.n_heads * FloatHead(layout).floats()) * sizeof(float);
}

// In tiles: the kernel's, and room for queries and results of padded heads.
std::size_t CpuBackend::encoder_scratch_bytes(const EncoderKvLayout& layout) const {
  if (!uses_encoder_tiles(layout)) {
    return static_cast<std::size_t>(
        rounded_up(kernels::encoder_attention_scratch(layout.head_dim) * 4, 64));
  }
  const std::int64_t head_dim = page_layout(layout).head_dim;
  return attention_scratch_bytes(head_dim) +
         static_cast<std::size_t>(2 * kernels::kPromptQueries * head_dim) * sizeof(float);
}

void CpuBackend::reserve_encoder_attention(const EncoderKvLayout& largest) {
  const std::size_t bytes = static_cast<std::size_t>(pool_.size()) * encoder_scratch_bytes(largest);
  if (bytes > encoder_scratch_.size()) {
    encoder_scratch_ = HugeMemory();
    encoder_scratch_ = HugeMemory(bytes);
  }
  if (uses_encoder_tiles(largest)) {
    encoder_pages_.reserve(static_cast<std::size_t>(n_pages(largest)));
  }
}

void CpuBackend::store_encoder_kv(const EncoderKv& kv, std::int64_t first_row, Tensor key,
                                  Tensor value, const Weight& key_norm, Tensor rope, float eps) {
  const EncoderKvLayout& layout = kv.layout;
  const std::int64_t head_dim = layout.head_dim;
  check_heads(key, layout);
  CHECK(value.rows == key.rows && value.cols == key.cols && value.data != key.data);
  CHECK(first_row >= 0 && first_row + key.rows <= layout.n_rows, "rows {}+{} of {}", first_row,
        key.rows, layout.n_rows);
  CHECK(rope.cols == head_dim && head_dim % 4 == 0 && rope.rows >= key.rows);
  const float* weight = CpuWeight::of(key_norm).vector();
  const bool in_tiles = uses_encoder_tiles(layout);
  const FloatHead floats(layout);
  const KvLayout pages = page_layout(layout);
  CHECK(scratch_[0].size() >= static_cast<std::size_t>(2 * pages.head_dim));

  const auto store = [&](std::int64_t row, std::int64_t head, float* padded, const float* k,
                         const float* v) {
    if (!in_tiles) {
      float* keys = floats.keys(kv, head) + row / kernels::kLanes * kernels::kLanes * head_dim;
      kernels_.store_key(reinterpret_cast<std::byte*>(keys), kernels::kLanes,
                         static_cast<int>(row % kernels::kLanes), k, layout.head_dim,
                         kernels::CacheType::f32);
      floats.store_value(floats.values(kv, head), row, v);
      return;
    }
    std::byte* page = page_of(kv, pages, row / kEncoderPageTokens) +
                      static_cast<std::size_t>(head) * pages.head_bytes();
    const auto slot = static_cast<int>(row % kEncoderPageTokens);
    std::copy_n(k, head_dim, padded);
    kernels_.store_key(page, kEncoderPageTokens, slot, padded, pages.head_dim,
                       kernels::CacheType::bf16);
    std::copy_n(v, head_dim, padded);
    kernels_.store_value(page + pages.value_offset, slot, padded, pages.head_dim,
                         kernels::CacheType::bf16);
  };

  const std::int64_t end = first_row + key.rows;
  const std::int64_t first_task = first_row / kRowsPerStoreTask;
  pool_.run(divided_up(end, std::int64_t{kRowsPerStoreTask}) - first_task,
            [&](std::int64_t task, int worker) {
              float* padded = scratch(worker);
              std::fill_n(padded, pages.head_dim, 0.0F);
              const std::int64_t begin = (first_task + task) * kRowsPerStoreTask;
              const std::int64_t task_end = std::min(begin + kRowsPerStoreTask, end);
              for (std::int64_t row = std::max(begin, first_row); row < task_end; ++row) {
                const std::int64_t at = row - first_row;
                for (std::int64_t head = 0; head < layout.n_heads; ++head) {
                  float* k = key.row(at) + head * head_dim;
                  float* v = value.row(at) + head * head_dim;
                  kernels_.rms_norm(k, k, weight, head_dim, eps);
                  rotate_2d(k, head_dim, rope.row(at));
                  kernels_.rms_norm(v, v, nullptr, head_dim, eps);
                  store(row, head, padded, k, v);
                }
              }
              // What was kept here before may have been more rows.
              if (in_tiles || task_end < layout.n_rows) return;
              std::fill_n(padded, head_dim, 0.0F);
              for (std::int64_t row = layout.n_rows; row < floats.n_padded; ++row) {
                for (std::int64_t head = 0; head < layout.n_heads; ++head) {
                  store(row, head, padded, padded, padded);
                }
              }
            });
}

void CpuBackend::encoder_attention(Tensor out, Tensor query, const EncoderKv& kv) {
  check_heads(query, kv.layout);
  CHECK(out.rows == query.rows && out.cols == query.cols && kv.layout.n_rows > 0);
  const std::size_t needed =
      static_cast<std::size_t>(pool_.size()) * encoder_scratch_bytes(kv.layout);
  CHECK(encoder_scratch_.size() >= needed, "room for {} bytes, {} needed", encoder_scratch_.size(),
        needed);
  if (uses_encoder_tiles(kv.layout)) {
    attend_encoder_in_tiles(out, query, kv);
  } else {
    attend_encoder(out, query, kv);
  }
}

// Heads one after the other: the keys and values of one stay in the caches.
void CpuBackend::attend_encoder(Tensor out, Tensor query, const EncoderKv& kv) {
  const FloatHead floats(kv.layout);
  const std::size_t worker_bytes = encoder_scratch_bytes(kv.layout);
  const std::int64_t n_tiles = divided_up(query.rows, std::int64_t{kernels::kEncoderQueries});
  pool_.run(n_tiles * kv.layout.n_heads, [&](std::int64_t task, int worker) {
    const std::int64_t head = task / n_tiles;
    const std::int64_t first = task % n_tiles * kernels::kEncoderQueries;
    kernels::EncoderAttentionArgs args = {};
    args.query = query.row(first) + head * floats.head_dim;
    args.query_stride = query.stride;
    args.out = out.row(first) + head * floats.head_dim;
    args.out_stride = out.stride;
    args.n_queries =
        static_cast<int>(std::min<std::int64_t>(kernels::kEncoderQueries, query.rows - first));
    args.head_dim = kv.layout.head_dim;
    args.keys = floats.keys(kv, head);
    args.values = floats.values(kv, head);
    args.n_keys = kv.layout.n_rows;
    args.n_padded = floats.n_padded;
    kernels_.encoder_attention(
        args, reinterpret_cast<float*>(encoder_scratch_.data() +
                                       static_cast<std::size_t>(worker) * worker_bytes));
  });
}

void CpuBackend::attend_encoder_in_tiles(Tensor out, Tensor query, const EncoderKv& kv) {
  const KvLayout pages = page_layout(kv.layout);
  CHECK(static_cast<std::int64_t>(encoder_pages_.capacity()) >= n_pages(kv.layout));
  encoder_pages_.resize(static_cast<std::size_t>(n_pages(kv.layout)));
  for (std::int64_t page = 0; page < n_pages(kv.layout); ++page) {
    encoder_pages_[static_cast<std::size_t>(page)] = page_of(kv, pages, page);
  }
  const std::int64_t head_dim = kv.layout.head_dim;
  const std::size_t kernel_bytes = attention_scratch_bytes(pages.head_dim);
  const std::size_t worker_bytes = encoder_scratch_bytes(kv.layout);
  const std::int64_t n_tiles = divided_up(query.rows, std::int64_t{kernels::kPromptQueries});
  pool_.run(n_tiles * kv.layout.n_heads, [&](std::int64_t task, int worker) {
    const std::int64_t head = task / n_tiles;
    const std::int64_t first = task % n_tiles * kernels::kPromptQueries;
    const std::size_t block = static_cast<std::size_t>(head) * pages.head_bytes();
    std::byte* const memory =
        encoder_scratch_.data() + static_cast<std::size_t>(worker) * worker_bytes;
    auto* const queries = reinterpret_cast<float*>(memory + kernel_bytes);
    float* const results = queries + kernels::kPromptQueries * pages.head_dim;
    kernels::PromptAttentionArgs args = {};
    args.n_rows =
        static_cast<int>(std::min<std::int64_t>(kernels::kPromptQueries, query.rows - first));
    args.n_heads = 1;
    args.query = queries;
    args.query_stride = pages.head_dim;
    args.out = results;
    args.out_stride = pages.head_dim;
    args.pages = encoder_pages_.data();
    args.key_offset = block;
    args.value_offset = pages.value_offset + block;
    args.page_tokens = pages.page_tokens;
    args.head_dim = pages.head_dim;
    for (int row = 0; row < args.n_rows; ++row) {
      args.first[row] = 0;
      args.last[row] = kv.layout.n_rows - 1;
      float* to = queries + std::int64_t{row} * pages.head_dim;
      std::copy_n(query.row(first + row) + head * head_dim, head_dim, to);
      std::fill_n(to + head_dim, pages.head_dim - head_dim, 0.0F);
    }
    kernels_.prompt_attention(args, memory);
    for (int row = 0; row < args.n_rows; ++row) {
      std::copy_n(results + std::int64_t{row} * pages.head_dim, head_dim,
                  out.row(first + row) + head * head_dim);
    }
  });
}

}  // namespace pleiad::cpu
