// Attention of a prompt's rows: tasks of several rows, which share the keys that are
// loaded. Which kernel computes them is decided by the cache alone.

#include <algorithm>
#include <array>

#include "backend/cpu/attention_pieces.h"
#include "backend/cpu/attention_work.h"
#include "base/round_up.h"

namespace pleiad::cpu {
namespace {

constexpr std::int64_t kLeastQueries = 32;  // of a task in tiles: a pair of tiles
constexpr std::int64_t kTasksPerThread = 4;

}  // namespace

bool CpuBackend::uses_prompt_tiles(const KvLayout& layout) const {
  return kernels_.prompt_attention && layout.type == KvType::bf16 &&
         layout.head_dim % kernels::kTileCols == 0;
}

std::int64_t CpuBackend::last_of(std::int64_t row, int window) const {
  const std::int64_t position = position_of(row);
  if (step_.last_visible.empty()) return position;
  if (window == 0 && step_.block_begin.empty()) return position;
  const std::int64_t last = step_.last_visible[step_index(row)];
  CHECK(last >= position, "position {} sees up to {}", position, last);
  return last;
}

std::int64_t CpuBackend::first_of(std::int64_t row, int window) const {
  const std::int64_t position = position_of(row);
  if (window == 0) return 0;
  const std::int64_t first = std::max<std::int64_t>(0, position - window + 1);
  if (step_.block_begin.empty()) return first;
  const std::int64_t begin = step_.block_begin[step_index(row)];
  CHECK(begin <= position, "position {} sees from {} on", position, begin);
  return std::min(first, begin);
}

void CpuBackend::attend_prompt_in_tiles(const AttentionWork& work) {
  const KvLayout& layout = work.cache.layout;
  const std::int64_t n_rows = work.query.rows - n_generated_;
  if (n_rows == 0) return;
  const std::int64_t heads_at_once = std::min<std::int64_t>(work.group, kernels::kPromptQueries);
  // Rows of a task: as many as the kernel takes, fewer where threads would have none.
  std::int64_t rows_per_task = 0;
  std::int64_t n_tiles = 0;
  for (std::int64_t queries = kernels::kPromptQueries; queries >= kLeastQueries; queries /= 2) {
    rows_per_task = std::max<std::int64_t>(1, queries / heads_at_once);
    n_tiles = divided_up(n_rows, rows_per_task);
    if (n_tiles * layout.n_kv_heads >= kTasksPerThread * pool_.size()) break;
  }
  std::byte* const worker_memory = attention_scratch(layout.head_dim);
  const std::size_t worker_bytes = attention_scratch_bytes(layout.head_dim);

  pool_.run(n_tiles * layout.n_kv_heads, [&](std::int64_t task, int worker) {
    // Last rows first: they take longest.
    const std::int64_t tile = n_tiles - 1 - task / layout.n_kv_heads;
    const std::int64_t kv_head = task % layout.n_kv_heads;
    const std::int64_t end = std::min((tile + 1) * rows_per_task, n_rows) + n_generated_;
    std::int64_t row = tile * rows_per_task + n_generated_;
    while (row < end) {
      kernels::PromptAttentionArgs args = {};
      const std::int32_t sequence = sequence_of(row);
      const PageTable pages = work.cache.tables[static_cast<std::size_t>(sequence)];
      const std::int64_t begin = row;
      for (; row < end && sequence_of(row) == sequence; ++row) {
        args.first[args.n_rows] = first_of(row, work.window);
        args.last[args.n_rows++] = last_of(row, work.window);
      }
      const std::size_t block = static_cast<std::size_t>(kv_head) * layout.head_bytes();
      args.pages = pages.data();
      args.key_offset = layout.key_offset + block;
      args.value_offset = layout.value_offset + block;
      args.page_tokens = layout.page_tokens;
      args.head_dim = layout.head_dim;
      args.query_stride = work.query.stride;
      args.out_stride = work.out.stride;
      for (std::int64_t head = 0; head < work.group; head += heads_at_once) {
        const std::int64_t offset = (kv_head * work.group + head) * layout.head_dim;
        args.query = work.query.row(begin) + offset;
        args.out = work.out.row(begin) + offset;
        args.n_heads = static_cast<int>(std::min(heads_at_once, work.group - head));
        kernels_.prompt_attention(args,
                                  worker_memory + static_cast<std::size_t>(worker) * worker_bytes);
      }
    }
  });
}

std::size_t CpuBackend::attention_floats(const KvLayout& layout) {
  return static_cast<std::size_t>(kernels::kMaxQueries) *
         static_cast<std::size_t>(layout.page_tokens + layout.head_dim + 4);
}

// For queries that share a key head and pages: piece after piece, joined to what came before.
void CpuBackend::attend_in_pieces(const kernels::AttentionArgs& whole, float* scratch) {
  constexpr int kQueries = kernels::kMaxQueries;
  const std::int64_t piece = piece_positions(whole.page_tokens);
  const int head_dim = whole.head_dim;
  kernels::AttentionArgs part = whole;
  part.maximum = scratch;
  part.total = scratch + kQueries;
  float* const sums = scratch + 2 * kQueries;
  float* const scores = sums + kQueries * head_dim;
  std::array<AttentionPart, kQueries> all;
  std::int64_t first = whole.first[0];
  std::int64_t last = whole.last[0];
  for (int q = 0; q < whole.n_queries; ++q) {
    all[static_cast<std::size_t>(q)] = {0.0F, 0.0F, whole.out[q]};
    first = std::min(first, whole.first[q]);
    last = std::max(last, whole.last[q]);
  }
  for (std::int64_t start = first / piece * piece; start <= last; start += piece) {
    std::int64_t least = start + piece;  // of the positions that somebody sees
    for (int q = 0; q < whole.n_queries; ++q) {
      if (whole.last[q] >= start) least = std::min(least, std::max(whole.first[q], start));
    }
    if (least == start + piece) continue;
    for (int q = 0; q < whole.n_queries; ++q) {
      part.first[q] = std::max(whole.first[q], start);
      part.last[q] = std::min(whole.last[q], start + piece - 1);
      if (part.first[q] > part.last[q]) {  // sees nothing of it, and asks for no page
        part.first[q] = least;
        part.last[q] = least - 1;
      }
      part.out[q] =
          all[static_cast<std::size_t>(q)].total == 0.0F ? whole.out[q] : sums + q * head_dim;
    }
    kernels_.attention(part, scores);
    for (int q = 0; q < whole.n_queries; ++q) {
      join(all[static_cast<std::size_t>(q)], {part.maximum[q], part.total[q], part.out[q]},
           head_dim, kernels_);
    }
  }
  for (int q = 0; q < whole.n_queries; ++q) {
    kernels_.axpby(whole.out[q], 1.0F / all[static_cast<std::size_t>(q)].total, whole.out[q], 0.0F,
                   whole.out[q], head_dim);
  }
}

void CpuBackend::attend_prompt(const AttentionWork& work) {
  const KvLayout& layout = work.cache.layout;
  // Rows that share a task; more than the group leaves room for share nothing.
  const std::int64_t rows_per_task = std::max<std::int64_t>(1, kernels::kMaxQueries / work.group);
  const std::int64_t n_rows = work.query.rows - n_generated_;
  const std::int64_t n_tiles = divided_up(n_rows, rows_per_task);
  pool_.run(n_tiles * layout.n_kv_heads, [&](std::int64_t task, int worker) {
    // Last rows first: they take longest.
    const std::int64_t tile = n_tiles - 1 - task / layout.n_kv_heads;
    const std::int64_t kv_head = task % layout.n_kv_heads;
    const std::int64_t begin = n_generated_ + tile * rows_per_task;
    const std::int64_t end = std::min(begin + rows_per_task, work.query.rows);
    kernels::AttentionArgs args = {};
    std::int32_t sequence = -1;
    const auto flush = [&] {
      if (args.n_queries == 0) return;
      attend_in_pieces(args, scratch(worker));
      args.n_queries = 0;
    };
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t head = kv_head * work.group; head < (kv_head + 1) * work.group; ++head) {
        if (sequence_of(row) != sequence || args.n_queries == kernels::kMaxQueries) {
          flush();
          sequence = sequence_of(row);
          args = work.args(kv_head, work.cache.tables[static_cast<std::size_t>(sequence)]);
        }
        const int q = args.n_queries++;
        args.queries[q] = work.query.row(row) + head * layout.head_dim;
        args.out[q] = work.out.row(row) + head * layout.head_dim;
        args.last[q] = last_of(row, work.window);
        args.first[q] = first_of(row, work.window);
      }
    }
    flush();
  });
}

}  // namespace pleiad::cpu
