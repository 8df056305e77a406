#include "tensor/host_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "tensor/checked_math.h"

namespace pleiad {

std::int64_t element_count(const Shape& shape) {
  const auto count = checked_element_count(shape);
  CHECK(count.has_value(), "shape {}", to_string(shape));
  return static_cast<std::int64_t>(*count);
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

HostTensor row_range(const HostTensor& matrix, std::int64_t first, std::int64_t n) {
  CHECK(matrix.shape.size() == 2 && first >= 0 && n > 0 && first + n <= matrix.rows(),
        "rows {}+{} of {}", first, n, to_string(matrix.shape));
  HostTensor part = matrix;
  part.shape[0] = n;
  const auto bytes = [&](std::span<const std::byte> all, std::size_t by_row) {
    return all.subspan(static_cast<std::size_t>(first) * by_row,
                       static_cast<std::size_t>(n) * by_row);
  };
  part.data = bytes(matrix.data, matrix.bytes_per_row());
  if (!matrix.scales.block_scales.empty()) {
    part.scales.block_scales =
        bytes(matrix.scales.block_scales, static_cast<std::size_t>(matrix.cols() / 16));
  }
  if (!matrix.scales.row_scales.empty()) {
    const auto begin = matrix.scales.row_scales.begin() + first;
    part.scales.row_scales.assign(begin, begin + n);
  }
  return part;
}

}  // namespace pleiad
