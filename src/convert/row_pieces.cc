#include "convert/row_pieces.h"

#include <algorithm>

namespace pleiad::convert {

std::int64_t slice_count(const Shape& shape) { return shape.size() > 2 ? shape[0] : 1; }

std::vector<RowPiece> row_pieces(const HostTensor& tensor, std::size_t target_row_bytes) {
  constexpr std::size_t kPieceBytes = 1 << 20;
  const std::size_t row = std::max(tensor.bytes_per_row(), target_row_bytes);
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(1, kPieceBytes / row));
  const std::int64_t n_slices = slice_count(tensor.shape);
  const std::int64_t rows_per_slice = tensor.rows() / n_slices;
  std::vector<RowPiece> pieces;
  for (std::int64_t slice = 0; slice < n_slices; ++slice) {
    for (std::int64_t row_in = 0; row_in < rows_per_slice; row_in += most) {
      const std::int64_t count = std::min(most, rows_per_slice - row_in);
      pieces.push_back({slice * rows_per_slice + row_in, count, slice});
    }
  }
  return pieces;
}

std::span<const std::byte> source_bytes(const HostTensor& tensor, const RowPiece& piece) {
  const std::size_t row = tensor.bytes_per_row();
  return tensor.data.subspan(static_cast<std::size_t>(piece.first) * row,
                             static_cast<std::size_t>(piece.count) * row);
}

}  // namespace pleiad::convert
