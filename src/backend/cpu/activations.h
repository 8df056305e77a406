#pragma once

#include <cstdint>

#include "backend/cpu/huge_memory.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/thread_pool.h"
#include "backend/tensor.h"

namespace pleiad::cpu {

/// The input of a product in the forms that the kernels of packed weights read:
/// made once, shared by all weights that the input meets.
class Activations {
 public:
  /// Which forms the weights at hand need.
  struct Forms {
    bool words = false;        // 16 bits
    bool superblocks = false;  // the same, where weights have superblocks
    bool bytes = false;        // 8 bits
    bool sixteens = false;     // the same, where weights have scales for 16 columns
    bool tiles = false;        // bf16, for the matrix unit
    bool floats = false;       // every row, padded with zeros
  };

  /// Rows as integers.
  struct Integers {
    const std::byte* rows = nullptr;
    std::int64_t stride = 0;  // bytes
    /// Blocks of the first batched_rows(n_words) rows; null where there are none.
    const std::byte* batch = nullptr;
  };

  Activations(const kernels::Kernels& kernels, std::int64_t max_rows)
      : kernels_(kernels), max_rows_(max_rows) {}

  /// Makes room for inputs of so many columns; prepare() allocates nothing.
  void reserve(std::int64_t cols);

  /// Rows [0, n_words) of x meet integer weights as words, the rest as bytes or in tiles.
  void prepare(Tensor x, std::int64_t n_words, Forms forms, ThreadPool& pool);

  std::int64_t padded_cols() const { return padded_cols_; }
  Integers integers() const;  // words and bytes
  Integers superblocks() const;
  const std::byte* tiles() const { return tiles_.data(); }
  /// Room for the tiles of a second input of as many rows.
  std::byte* hidden_tiles() { return hidden_tiles_.data(); }
  /// From one chunk of columns to the next.
  std::int64_t tile_chunk_bytes() const { return tile_chunk_bytes_; }
  const std::byte* floats() const { return reinterpret_cast<const std::byte*>(floats_); }
  std::int64_t float_stride() const { return float_stride_; }  // bytes

 private:
  /// How rows are made words.
  struct IntegerForm {
    kernels::QuantizeRow quantize;
    kernels::FillBatch fill_batch;
    std::int64_t row_bytes;
    std::int64_t block_bytes;
  };
  struct IntegerMemory {
    HugeMemory rows;
    HugeMemory batch;
  };

  IntegerForm word_form(std::int64_t cols) const;
  IntegerForm superblock_form(std::int64_t cols) const;
  void reserve(IntegerMemory& memory, const IntegerForm& form) const;
  void quantize(const IntegerForm& form, IntegerMemory& memory, Tensor x, std::int64_t row) const;

  const kernels::Kernels& kernels_;
  std::int64_t max_rows_;
  std::int64_t reserved_cols_ = 0;
  std::int64_t padded_cols_ = 0;
  Forms forms_;
  std::int64_t n_batched_ = 0;
  IntegerMemory integers_;
  IntegerMemory superblocks_;
  HugeMemory tiles_;
  HugeMemory hidden_tiles_;
  std::int64_t tile_chunk_bytes_ = 0;
  HugeMemory padded_floats_;
  const float* floats_ = nullptr;
  std::int64_t float_stride_ = 0;
};

}  // namespace pleiad::cpu
