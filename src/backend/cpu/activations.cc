#include "backend/cpu/activations.h"

#include <algorithm>
#include <cstring>

#include "base/round_up.h"

namespace pleiad::cpu {
namespace {

constexpr std::int64_t kFloatPadding = 32;  // columns; the step of every float kind

std::int64_t tile_row_blocks(std::int64_t rows) {
  return rounded_up(rows, 2 * kernels::kTileRows) / kernels::kTileRows;
}

}  // namespace

void Activations::reserve(std::int64_t cols) {
  const std::int64_t padded = rounded_up(cols, kernels::kColumnPadding);
  if (padded <= reserved_cols_) return;
  reserved_cols_ = padded;
  reserve(integers_, word_form(padded));
  reserve(superblocks_, superblock_form(padded));
  if (kernels_.fill_tiles) {
    const auto bytes = static_cast<std::size_t>(tile_row_blocks(max_rows_) *
                                                rounded_up(padded, kernels::kTileChunk) /
                                                kernels::kTileCols * kernels::kTileBytes);
    for (HugeMemory* memory : {&tiles_, &hidden_tiles_}) {
      *memory = HugeMemory();
      *memory = HugeMemory(bytes);
    }
  }
  padded_floats_ = HugeMemory();
  padded_floats_ = HugeMemory(static_cast<std::size_t>(max_rows_ * padded) * sizeof(float));
}

Activations::IntegerForm Activations::word_form(std::int64_t cols) const {
  return {kernels_.quantize_words, kernels_.fill_batch, kernels::IntegerRow{cols}.bytes(),
          kernels::BatchBlock{cols}.bytes()};
}

Activations::IntegerForm Activations::superblock_form(std::int64_t cols) const {
  return {kernels_.quantize_superblocks, kernels_.fill_superblock_batch,
          kernels::SuperblockRow{cols}.bytes(), kernels::SuperblockBatch{cols}.bytes()};
}

void Activations::reserve(IntegerMemory& memory, const IntegerForm& form) const {
  memory = IntegerMemory();
  memory.rows = HugeMemory(static_cast<std::size_t>(max_rows_ * form.row_bytes));
  if (!form.fill_batch) return;
  memory.batch = HugeMemory(
      static_cast<std::size_t>(divided_up(max_rows_, kernels::kBatchRows) * form.block_bytes));
}

Activations::Integers Activations::integers() const {
  return {integers_.rows.data(), word_form(padded_cols_).row_bytes,
          forms_.words && n_batched_ > 0 ? integers_.batch.data() : nullptr};
}

Activations::Integers Activations::superblocks() const {
  return {superblocks_.rows.data(), superblock_form(padded_cols_).row_bytes,
          forms_.superblocks && n_batched_ > 0 ? superblocks_.batch.data() : nullptr};
}

// Of rows in blocks, the last one also fills the rest of its block.
void Activations::quantize(const IntegerForm& form, IntegerMemory& memory, Tensor x,
                           std::int64_t row) const {
  std::byte* integers = memory.rows.data() + row * form.row_bytes;
  form.quantize(integers, padded_cols_, x.row(row), x.cols);
  if (row >= n_batched_) return;
  std::byte* block = memory.batch.data() + row / kernels::kBatchRows * form.block_bytes;
  auto place = static_cast<int>(row % kernels::kBatchRows);
  form.fill_batch(block, place, padded_cols_, integers);
  if (row + 1 < n_batched_) return;
  while (++place < kernels::kBatchRows) form.fill_batch(block, place, padded_cols_, nullptr);
}

void Activations::prepare(Tensor x, std::int64_t n_words, Forms forms, ThreadPool& pool) {
  CHECK(x.rows <= max_rows_ && x.cols <= reserved_cols_, "{} x {}, room for {} x {}", x.rows,
        x.cols, max_rows_, reserved_cols_);
  padded_cols_ = rounded_up(x.cols, kernels::kColumnPadding);
  forms_ = forms;
  n_batched_ = kernels_.fill_batch ? kernels::batched_rows(n_words) : 0;
  const bool any_bytes = forms.bytes || forms.sixteens;
  if (forms.words || forms.superblocks || any_bytes) {
    const IntegerForm word = word_form(padded_cols_);
    const IntegerForm superblock = superblock_form(padded_cols_);
    pool.run(any_bytes ? x.rows : n_words, [&](std::int64_t row, int) {
      if (row >= n_words) {
        std::byte* out = integers_.rows.data() + row * word.row_bytes;
        if (forms.bytes) kernels_.quantize_bytes(out, padded_cols_, x.row(row), x.cols);
        if (forms.sixteens) kernels_.quantize_sixteens(out, padded_cols_, x.row(row), x.cols);
        return;
      }
      if (forms.words) quantize(word, integers_, x, row);
      if (forms.superblocks) quantize(superblock, superblocks_, x, row);
    });
  }
  if (forms.tiles) {
    const std::int64_t n = x.rows - n_words;
    const std::int64_t n_blocks = tile_row_blocks(n);
    tile_chunk_bytes_ = n_blocks / 2 * kernels::kRowPairBytes;
    pool.run(n_blocks, [&](std::int64_t block, int) {
      kernels_.fill_tiles(tiles_.data(), tile_chunk_bytes_, x.row(n_words), x.stride, n, x.cols,
                          block);
    });
  }
  if (!forms.floats) return;
  if (x.cols % kFloatPadding == 0) {
    floats_ = x.data;
    float_stride_ = x.stride * 4;
    return;
  }
  const std::int64_t padded = rounded_up(x.cols, kFloatPadding);
  auto* copy = reinterpret_cast<float*>(padded_floats_.data());
  pool.run(x.rows, [&](std::int64_t row, int) {
    std::copy_n(x.row(row), x.cols, copy + row * padded);
    std::fill_n(copy + row * padded + x.cols, padded - x.cols, 0.0F);
  });
  floats_ = copy;
  float_stride_ = padded * 4;
}

}  // namespace pleiad::cpu
