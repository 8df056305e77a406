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
  integers_ = HugeMemory();
  integers_ = HugeMemory(static_cast<std::size_t>(max_rows_ * kernels::IntegerRow{padded}.bytes()));
  if (kernels_.fill_batch) {
    batch_ = HugeMemory();
    batch_ = HugeMemory(static_cast<std::size_t>(divided_up(max_rows_, kernels::kBatchRows) *
                                                 kernels::BatchBlock{padded}.bytes()));
  }
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

void Activations::fill_batch_row(std::int64_t row, const std::byte* integers) {
  const std::int64_t block_bytes = kernels::BatchBlock{padded_cols_}.bytes();
  std::byte* block = batch_.data() + row / kernels::kBatchRows * block_bytes;
  auto place = static_cast<int>(row % kernels::kBatchRows);
  kernels_.fill_batch(block, place, integer_layout(), integers);
  if (row + 1 < n_batched_) return;
  while (++place < kernels::kBatchRows) {
    kernels_.fill_batch(block, place, integer_layout(), nullptr);
  }
}

void Activations::prepare(Tensor x, std::int64_t n_generated, Forms forms, ThreadPool& pool) {
  CHECK(x.rows <= max_rows_ && x.cols <= reserved_cols_, "{} x {}, room for {} x {}", x.rows,
        x.cols, max_rows_, reserved_cols_);
  padded_cols_ = rounded_up(x.cols, kernels::kColumnPadding);
  n_batched_ = forms.integers && kernels_.fill_batch ? kernels::batched_rows(n_generated) : 0;
  if (forms.integers) {
    const kernels::IntegerRow layout = integer_layout();
    const std::int64_t n = forms.tiles ? n_generated : x.rows;
    pool.run(n, [&](std::int64_t row, int) {
      const kernels::QuantizeRow quantize =
          row < n_generated ? kernels_.quantize_generated : kernels_.quantize_prompt;
      std::byte* integers = integers_.data() + row * layout.bytes();
      quantize(integers, layout, x.row(row), x.cols);
      if (row < n_batched_) fill_batch_row(row, integers);
    });
  }
  if (forms.tiles) {
    const std::int64_t n = x.rows - n_generated;
    const std::int64_t n_blocks = tile_row_blocks(n);
    tile_chunk_bytes_ = n_blocks / 2 * kernels::kRowPairBytes;
    pool.run(n_blocks, [&](std::int64_t block, int) {
      kernels_.fill_tiles(tiles_.data(), tile_chunk_bytes_, x.row(n_generated), x.stride, n, x.cols,
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
  for (std::int64_t row = 0; row < x.rows; ++row) {
    std::copy_n(x.row(row), x.cols, copy + row * padded);
    std::fill_n(copy + row * padded + x.cols, padded - x.cols, 0.0F);
  }
  floats_ = copy;
  float_stride_ = padded * 4;
}

}  // namespace pleiad::cpu
