#include <algorithm>
#include <array>
#include <cmath>

#include "backend/cpu/attention_pieces.h"
#include "backend/cpu/attention_work.h"
#include "base/error.h"
#include "base/round_up.h"

namespace pleiad::cpu {
namespace {

// Of generated rows, whose results are in memory at a time: so many pieces, of so many rows.
constexpr std::int64_t kPiecesAtOnce = 1024;
constexpr std::size_t kRowsAtOnce = 16;
constexpr int kMostPageTokens = 256;  // that room is made for; nobody makes larger pages

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
  CHECK(scratch_[0].size() >= attention_floats(layout));
  const AttentionWork work = {out, query, cache, window, n_heads / layout.n_kv_heads};
  attend_generated(work);
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

// A generated row, or as much of it as is computed at a time: pieces [begin, end).
struct CpuBackend::RowPieces {
  std::int64_t row;
  std::int64_t first;  // positions
  std::int64_t last;
  std::int64_t begin;
  std::int64_t end;
  bool is_first;  // of the row
  bool is_last;

  std::int64_t count() const { return end - begin; }
};

void CpuBackend::attend_generated(const AttentionWork& work) {
  const std::int64_t piece = piece_positions(work.cache.layout.page_tokens);
  std::array<RowPieces, kRowsAtOnce> rows;
  std::size_t n_rows = 0;
  std::int64_t n_pieces = 0;
  const auto flush = [&] {
    attend_pieces(work, std::span(rows).first(n_rows));
    n_rows = 0;
    n_pieces = 0;
  };
  for (std::int64_t row = 0; row < n_generated_; ++row) {
    // A prompt's last row, computed as a generated one, may end a block.
    const std::int64_t first = first_of(row, work.window);
    const std::int64_t last = position_of(row);
    const std::int64_t end = last / piece + 1;
    for (std::int64_t begin = first / piece; begin < end;) {
      const std::int64_t n = std::min(end - begin, kPiecesAtOnce - n_pieces);
      rows[n_rows++] = {
          row, first, last, begin, begin + n, begin == first / piece, begin + n == end};
      begin += n;
      n_pieces += n;
      if (n_rows == kRowsAtOnce || n_pieces == kPiecesAtOnce) flush();
    }
  }
  if (n_rows > 0) flush();
}

void CpuBackend::attend_pieces(const AttentionWork& work, std::span<const RowPieces> rows) {
  const KvLayout& layout = work.cache.layout;
  const std::int64_t head_dim = layout.head_dim;
  const std::int64_t group = work.group;
  const std::int64_t piece_positions = cpu::piece_positions(layout.page_tokens);
  const std::int64_t piece_floats = group * (head_dim + 2);  // sums, maxima, totals
  std::int64_t n_tasks = 0;
  for (const RowPieces& row : rows) n_tasks += row.count() * layout.n_kv_heads;
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
    const RowPieces* row = rows.data();
    while (task >= row->count() * layout.n_kv_heads) {
      task -= row->count() * layout.n_kv_heads;
      ++row;
    }
    const std::int64_t kv_head = task / row->count();
    const std::int64_t start = (row->begin + task % row->count()) * piece_positions;
    kernels::AttentionArgs args =
        work.args(kv_head, work.cache.tables[static_cast<std::size_t>(sequence_of(row->row))]);
    for (std::int64_t done = 0; done < group; done += args.n_queries) {
      args.n_queries = static_cast<int>(std::min<std::int64_t>(kernels::kMaxQueries, group - done));
      for (int q = 0; q < args.n_queries; ++q) {
        args.queries[q] = work.query.row(row->row) + (kv_head * group + done + q) * head_dim;
        args.out[q] = result + (done + q) * head_dim;
        args.first[q] = std::max(row->first, start);
        args.last[q] = std::min(row->last, start + piece_positions - 1);
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

  const std::int64_t n_heads = group * layout.n_kv_heads;
  pool_.run(std::ssize(rows) * n_heads, [&](std::int64_t task, int) {
    const std::int64_t head = task % n_heads;
    const auto index = static_cast<std::size_t>(task / n_heads);
    float* piece = pieces;
    for (const RowPieces& before : rows.first(index)) {
      piece += before.count() * layout.n_kv_heads * piece_floats;
    }
    const RowPieces& row = rows[index];
    piece += head / group * row.count() * piece_floats;
    const std::int64_t q = head % group;
    // What came before of a long row waits in `out` and here.
    float* const state = attention_state_.data() + 2 * (row.row * n_heads + head);
    float* const out = work.out.row(row.row) + head * head_dim;
    AttentionPart all = {row.is_first ? 0.0F : state[0], row.is_first ? 0.0F : state[1], out};
    for (std::int64_t p = 0; p < row.count(); ++p, piece += piece_floats) {
      join(all,
           {piece[group * head_dim + q], piece[group * (head_dim + 1) + q], piece + q * head_dim},
           layout.head_dim, kernels_);
    }
    state[0] = all.maximum;
    state[1] = all.total;
    if (row.is_last) kernels_.axpby(out, 1.0F / all.total, out, 0.0F, out, head_dim);
  });
}

void CpuBackend::reserve_attention(int n_heads, int head_dim) {
  if (head_dim % kernels::kLanes != 0) {
    throw LoadError("heads of {} values: the CPU computes with multiples of {}", head_dim,
                    kernels::kLanes);
  }
  const std::size_t bytes = static_cast<std::size_t>(kPiecesAtOnce) *
                            static_cast<std::size_t>(n_heads) *
                            static_cast<std::size_t>(head_dim + 2) * sizeof(float);
  make_room(pieces_, bytes);
  KvLayout largest;
  largest.page_tokens = kMostPageTokens;
  largest.head_dim = head_dim;
  for (AlignedBuffer<float>& floats : scratch_) {
    if (floats.size() >= attention_floats(largest)) continue;
    floats = AlignedBuffer<float>(attention_floats(largest));
  }
  const auto state = static_cast<std::size_t>(2 * max_rows_ * n_heads);
  if (attention_state_.size() < state) attention_state_.resize(state);
  if (kernels_.prompt_attention || kernels_.generated_attention) {
    make_room(attention_scratch_,
              static_cast<std::size_t>(pool_.size()) * attention_scratch_bytes(head_dim));
  }
}

}  // namespace pleiad::cpu
