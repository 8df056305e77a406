#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/host_tensor.h"

namespace pleiad::convert {

/// Consecutive rows of a tensor that one thread works on.
struct RowPiece {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t slice = 0;  // the expert that they belong to; 0 of a matrix
};

/// Rows of all pieces of `tensor`, in order: about a megabyte each of the larger of
/// source and target, at least one row, none with rows of two experts.
std::vector<RowPiece> row_pieces(const HostTensor& tensor, std::size_t target_row_bytes);

/// The outermost slices that have scales of their own: experts, or 1.
std::int64_t slice_count(const Shape& shape);

/// The bytes of a piece's rows in the source.
std::span<const std::byte> source_bytes(const HostTensor& tensor, const RowPiece& piece);

}  // namespace pleiad::convert
