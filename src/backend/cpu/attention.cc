#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/attention_work.h"
#include "base/error.h"
#include "base/round_up.h"

namespace pleiad::cpu {
namespace {

// A generated token's positions are cut at multiples of this many, or of enough
// pages that there are at most kMaxPieces: by its position alone.
constexpr std::int64_t kPiecePositions = 256;
constexpr std::int64_t kMaxPieces = 64;
constexpr std::int64_t kRowsAtOnce = 16;  // generated rows whose pieces are in memory

std::int64_t piece_positions(std::int64_t first, std::int64_t last, std::int64_t page_tokens) {
  const std::int64_t pages = last / page_tokens - first / page_tokens + 1;
  const std::int64_t least = (kPiecePositions + page_tokens - 1) / page_tokens;
  return std::max(least, (pages + kMaxPieces - 2) / (kMaxPieces - 1)) * page_tokens;
}

// Freed before it is made anew: both together may be too much.
void make_room(HugeMemory& memory, std::size_t bytes) {
  if (bytes <= memory.size()) return;
  memory = HugeMemory();
  memory = HugeMemory(bytes);
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
  CHECK(scratch_[0].size() >= static_cast<std::size_t>(head_dim));

  pool_.run(key.rows, [&](std::int64_t row, int worker) {
    const auto index = static_cast<std::size_t>(row);
    const std::int64_t position = step_.positions[index];
    const PageTable pages = cache.tables[static_cast<std::size_t>(step_.sequences[index])];
    std::byte* page = pages[static_cast<std::size_t>(position / layout.page_tokens)];
    const auto slot = static_cast<int>(position % layout.page_tokens);
    const float* cos = rope.row(row);
    for (std::int64_t head = 0; head < layout.n_kv_heads; ++head) {
      const std::size_t block = static_cast<std::size_t>(head) * layout.head_bytes();
      std::byte* keys = page + layout.key_offset + block;
      std::byte* values = page + layout.value_offset + block;
      float* k = key.row(row) + head * head_dim;
      float* v = value.row(row) + head * head_dim;
      float* normed_value = value_is_key ? scratch(worker) : v;
      kernels_.rms_norm(normed_value, v, nullptr, head_dim, eps);
      kernels_.store_value(values, slot, normed_value, layout.head_dim, type);
      kernels_.rms_norm(k, k, weight, head_dim, eps);
      kernels_.rope(k, head_dim, cos, cos + n_pairs, n_pairs);
      kernels_.store_key(keys, layout.page_tokens, slot, k, layout.head_dim, type);
    }
  });
}

void CpuBackend::attention(Tensor out, Tensor query, const KvView& cache, int window) {
  const KvLayout& layout = cache.layout;
  const std::int64_t n_heads = query.cols / layout.head_dim;
  CHECK(out.rows == query.rows && out.cols == query.cols && query.cols % layout.head_dim == 0);
  CHECK(n_heads % layout.n_kv_heads == 0);
  CHECK(query.rows == static_cast<std::int64_t>(kept_rows_.size()));
  CHECK(layout.head_dim % kernels::kLanes == 0 && layout.page_tokens % kernels::kLanes == 0,
        "head_dim {}, pages of {}", layout.head_dim, layout.page_tokens);
  CHECK(scratch_[0].size() >= static_cast<std::size_t>(kernels::kMaxQueries * layout.page_tokens) +
                                  2 * kernels::kMaxQueries);
  const AttentionWork work = {out, query, cache, window, n_heads / layout.n_kv_heads};
  for (std::int64_t row = 0; row < n_generated_; row += kRowsAtOnce) {
    attend_generated(work, row, std::min(row + kRowsAtOnce, n_generated_));
  }
  if (uses_prompt_tiles(layout)) {
    attend_prompt_in_tiles(work);
  } else {
    attend_prompt(work);
  }
}

bool CpuBackend::uses_generated_tiles(const KvLayout& layout) const {
  constexpr int kSlots = 32;  // of a tile of values
  return kernels_.generated_attention && layout.type == KvType::bf16 &&
         layout.head_dim % kernels::kTileCols == 0 && layout.page_tokens % kSlots == 0;
}

std::size_t CpuBackend::attention_scratch_bytes(std::int64_t head_dim) {
  constexpr std::int64_t kLine = 64;
  return static_cast<std::size_t>(rounded_up(kernels::prompt_attention_scratch(head_dim), kLine));
}

std::byte* CpuBackend::attention_scratch(std::int64_t head_dim) {
  const std::size_t needed =
      static_cast<std::size_t>(pool_.size()) * attention_scratch_bytes(head_dim);
  CHECK(attention_scratch_.size() >= needed, "room for {} bytes, {} needed",
        attention_scratch_.size(), needed);
  return attention_scratch_.data();
}

void CpuBackend::attend_generated(const AttentionWork& work, std::int64_t first_row,
                                  std::int64_t last_row) {
  const KvLayout& layout = work.cache.layout;
  const std::int64_t head_dim = layout.head_dim;
  const std::int64_t group = work.group;
  const std::int64_t piece_floats = group * (head_dim + 2);
  struct Row {
    std::int64_t first;
    std::int64_t last;
    std::int64_t piece;  // positions
    std::int64_t n_pieces() const { return last / piece - first / piece + 1; }
  };
  std::array<Row, kRowsAtOnce> rows;
  std::int64_t n_tasks = 0;
  for (std::int64_t row = first_row; row < last_row; ++row) {
    const auto index = static_cast<std::size_t>(kept_rows_[static_cast<std::size_t>(row)]);
    Row& r = rows[static_cast<std::size_t>(row - first_row)];
    r.last = step_.positions[index];
    // A prompt's last row, computed as a generated one, may end a block.
    r.first = first_of(row, work.window);
    r.piece = piece_positions(r.first, r.last, layout.page_tokens);
    n_tasks += r.n_pieces() * layout.n_kv_heads;
  }
  CHECK(static_cast<std::int64_t>(pieces_.size()) >= n_tasks * piece_floats * 4,
        "room for {} bytes, {} needed", pieces_.size(), n_tasks * piece_floats * 4);
  auto* pieces = reinterpret_cast<float*>(pieces_.data());
  std::byte* worker_memory = nullptr;
  if (uses_generated_tiles(layout)) {
    worker_memory = attention_scratch(head_dim);
    // A prompt's is more, but for pages of a thousand positions, which nobody makes.
    CHECK(static_cast<std::size_t>(kernels::generated_attention_scratch(
              head_dim, layout.page_tokens)) <= attention_scratch_bytes(head_dim));
  }

  pool_.run(n_tasks, [&](std::int64_t task, int worker) {
    float* result = pieces + task * piece_floats;
    std::size_t i = 0;
    while (task >= rows[i].n_pieces() * layout.n_kv_heads) {
      task -= rows[i++].n_pieces() * layout.n_kv_heads;
    }
    const Row& r = rows[i];
    const std::int64_t row = first_row + static_cast<std::int64_t>(i);
    const auto index = static_cast<std::size_t>(kept_rows_[static_cast<std::size_t>(row)]);
    const std::int64_t kv_head = task / r.n_pieces();
    const std::int64_t start = (r.first / r.piece + task % r.n_pieces()) * r.piece;
    kernels::AttentionArgs args =
        work.args(kv_head, work.cache.tables[static_cast<std::size_t>(step_.sequences[index])]);
    for (std::int64_t done = 0; done < group; done += args.n_queries) {
      args.n_queries = static_cast<int>(std::min<std::int64_t>(kernels::kMaxQueries, group - done));
      for (int q = 0; q < args.n_queries; ++q) {
        args.queries[q] = work.query.row(row) + (kv_head * group + done + q) * head_dim;
        args.out[q] = result + (done + q) * head_dim;
        args.first[q] = std::max(r.first, start);
        args.last[q] = std::min(r.last, start + r.piece - 1);
      }
      args.maximum = result + group * head_dim + done;
      args.total = result + group * (head_dim + 1) + done;
      if (worker_memory) {
        kernels_.generated_attention(args, worker_memory + static_cast<std::size_t>(worker) *
                                                               attention_scratch_bytes(head_dim));
      } else {
        kernels_.attention(args, scratch(worker));
      }
    }
  });

  // The pieces of a head come together in the order of their positions.
  const std::int64_t n_heads = group * layout.n_kv_heads;
  pool_.run((last_row - first_row) * n_heads, [&](std::int64_t task, int) {
    const std::int64_t head = task % n_heads;
    const std::int64_t row = task / n_heads;
    const float* piece = pieces;
    for (std::int64_t i = 0; i < row; ++i) {
      piece += rows[static_cast<std::size_t>(i)].n_pieces() * layout.n_kv_heads * piece_floats;
    }
    const std::int64_t n_pieces = rows[static_cast<std::size_t>(row)].n_pieces();
    piece += head / group * n_pieces * piece_floats;
    const std::int64_t q = head % group;
    const float* maxima = piece + group * head_dim + q;
    const float* totals = piece + group * (head_dim + 1) + q;
    float maximum = maxima[0];
    for (std::int64_t p = 1; p < n_pieces; ++p) {
      maximum = std::max(maximum, maxima[p * piece_floats]);
    }
    float total = 0.0F;
    for (std::int64_t p = 0; p < n_pieces; ++p) {
      total += totals[p * piece_floats] * std::exp(maxima[p * piece_floats] - maximum);
    }
    float* out = work.out.row(first_row + row) + head * head_dim;
    for (std::int64_t p = 0; p < n_pieces; ++p) {
      const float share = std::exp(maxima[p * piece_floats] - maximum) / total;
      const float* part = piece + p * piece_floats + q * head_dim;
      kernels_.axpby(out, p == 0 ? 0.0F : 1.0F, p == 0 ? part : out, share, part, head_dim);
    }
  });
}

void CpuBackend::reserve_attention(int n_heads, int head_dim) {
  if (head_dim % kernels::kLanes != 0) {
    throw LoadError("heads of {} values: the CPU computes with multiples of {}", head_dim,
                    kernels::kLanes);
  }
  const std::size_t bytes = static_cast<std::size_t>(kRowsAtOnce * kMaxPieces) *
                            static_cast<std::size_t>(n_heads) *
                            static_cast<std::size_t>(head_dim + 2) * sizeof(float);
  make_room(pieces_, bytes);
  if (kernels_.prompt_attention || kernels_.generated_attention) {
    make_room(attention_scratch_,
              static_cast<std::size_t>(pool_.size()) * attention_scratch_bytes(head_dim));
  }
}

}  // namespace pleiad::cpu
