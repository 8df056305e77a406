#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace pleiad {

/// Dimensions, outermost first; the last one is contiguous in memory. (GGUF
/// lists them innermost first; its reader reverses them, and nobody else.)
using Shape = std::vector<std::int64_t>;

std::int64_t element_count(const Shape& shape);

/// "[262144, 1536]"
std::string to_string(const Shape& shape);

/// Scales that live beside the data, for types that keep them apart. The value
/// of element (row, col) is
///   decode(data) * block_scales[row, col/16] * row_scales[row] * tensor_scale
/// where absent factors are 1.
struct SideScales {
  std::span<const std::byte> block_scales;  // E4M3 [rows, cols/16]; nvfp4_packed only
  std::vector<float> row_scales;            // [rows], or empty
  float tensor_scale = 1.0F;  // a factor (a divisor in the file is inverted by its reader)
};

/// A tensor that lies in host memory, as a rule inside a mapped file; a view
/// that owns nothing but its scales.
struct HostTensor {
  std::string name;  // as in the file, for messages
  DType dtype = DType::f32;
  Shape shape;
  std::span<const std::byte> data;
  SideScales scales;

  std::int64_t cols() const { return shape.empty() ? 1 : shape.back(); }
  std::int64_t rows() const { return cols() == 0 ? 0 : element_count(shape) / cols(); }
  std::size_t bytes_per_row() const { return row_bytes(dtype, static_cast<std::size_t>(cols())); }
};

/// Rows [first, first + n) of a matrix [rows, cols], with their scales.
HostTensor row_range(const HostTensor& matrix, std::int64_t first, std::int64_t n);

}  // namespace pleiad
