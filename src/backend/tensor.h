#pragma once

#include <cstdint>

#include "base/check.h"

namespace pleiad {

/// A matrix of f32 activations in a backend's memory; a view. `data` is an
/// address there: only the backend that allocated it may follow it.
struct Tensor {
  float* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stride = 0;  // elements from one row to the next

  Tensor() = default;
  Tensor(float* address, std::int64_t n_rows, std::int64_t n_cols)
      : data(address), rows(n_rows), cols(n_cols), stride(n_cols) {}

  float* row(std::int64_t index) const { return data + index * stride; }

  /// The first n rows.
  Tensor top(std::int64_t n) const {
    CHECK(n <= rows, "{} of {} rows", n, rows);
    Tensor part = *this;
    part.rows = n;
    return part;
  }

  /// The rows from `first` on.
  Tensor from(std::int64_t first) const {
    CHECK(first <= rows, "from {} of {} rows", first, rows);
    Tensor part = *this;
    part.data += first * stride;
    part.rows -= first;
    return part;
  }

  /// Columns [first, first + n) of every row.
  Tensor columns(std::int64_t first, std::int64_t n) const {
    CHECK(first + n <= cols, "columns {}+{} of {}", first, n, cols);
    Tensor part = *this;
    part.data += first;
    part.cols = n;
    return part;
  }

  /// The same memory as rows of another width; only for dense tensors.
  Tensor reshaped(std::int64_t n_rows, std::int64_t n_cols) const {
    CHECK(stride == cols && n_rows * n_cols <= rows * cols, "{}x{} as {}x{}", rows, cols, n_rows,
          n_cols);
    return {data, n_rows, n_cols};
  }
};

}  // namespace pleiad
