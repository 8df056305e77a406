#include <algorithm>
#include <cstring>

#include "backend/cpu/cpu_backend.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "tensor/decode.h"

namespace pleiad::cpu {
namespace {

void decode_all(const HostTensor& tensor, CpuWeight& weight) {
  weight.copy = AlignedBuffer<float>(static_cast<std::size_t>(weight.rows * weight.cols));
  for (std::int64_t row = 0; row < weight.rows; ++row) {
    decode_row(tensor, row, weight.copy.data() + row * weight.cols);
  }
  weight.dtype = DType::f32;
  weight.data = reinterpret_cast<const std::byte*>(weight.copy.data());
  weight.row_bytes = weight.cols * 4;
}

/// Asks for `n` bytes from `first` on in each of these rows, ascending; what lies close
/// together is one request.
void request_rows(const std::byte* data, std::int64_t row_bytes, std::int64_t first, std::int64_t n,
                  std::span<const std::int32_t> rows) {
  constexpr std::int64_t kNear = 4096;  // likely in the same page or the next one
  std::int64_t begin = 0;
  std::int64_t end = 0;
  const auto request = [&] {
    if (begin < end) request_pages({data + begin, static_cast<std::size_t>(end - begin)});
  };
  for (const std::int32_t row : rows) {
    const std::int64_t at = row * row_bytes + first;
    if (begin == end || at > end + kNear) {
      request();
      begin = at;
    }
    end = at + n;
  }
  request();
}

}  // namespace

Weight CpuBackend::upload(const HostTensor& tensor, WeightUse use) {
  auto weight = std::make_unique<CpuWeight>();
  weight->rows = tensor.rows();
  weight->cols = tensor.cols();
  if (use == WeightUse::vector) {
    decode_all(tensor, *weight);
    return {tensor.shape, std::move(weight), false};
  }
  weight->dtype = tensor.dtype;
  weight->row_scales = tensor.scales.row_scales;
  weight->tensor_scale = tensor.scales.tensor_scale;
  if (use != WeightUse::table) {
    activations_.reserve(weight->cols);
    if (const auto kind = packed_kind(tensor)) {
      weight->packed = pack(tensor, *kind, arena_, pool_);
      weight->product = read_ahead_.add();
    }
  }
  // Tables, and matrices without a packed form, are read in place: kernels take
  // the file's bytes at any alignment.
  weight->data = tensor.data.data();
  weight->row_bytes = static_cast<std::int64_t>(tensor.bytes_per_row());
  if (!tensor.scales.block_scales.empty()) {
    weight->block_scales = tensor.scales.block_scales.data();
  }
  const bool reads_file = use == WeightUse::table || !weight->packed;
  return {tensor.shape, std::move(weight), reads_file};
}

void CpuBackend::expect_rows(const Weight& table, std::span<const std::int32_t> tokens,
                             std::int64_t first_column, std::int64_t n_columns) {
  const CpuWeight& weight = CpuWeight::of(table);
  const DTypeTraits& type = traits(weight.dtype);
  CHECK(static_cast<std::int64_t>(tokens.size()) <= max_rows_);
  CHECK(first_column >= 0 && n_columns >= 0 && first_column + n_columns <= weight.cols);
  expected_.assign(tokens.begin(), tokens.end());
  std::ranges::sort(expected_);
  CHECK(expected_.empty() || (expected_.front() >= 0 && expected_.back() < weight.rows));
  // Of the blocks that hold these columns.
  const std::int64_t first = first_column / type.block_size;
  const std::int64_t end = (first_column + n_columns + type.block_size - 1) / type.block_size;
  request_rows(weight.data, weight.row_bytes, first * type.block_bytes,
               (end - first) * type.block_bytes, expected_);
  if (weight.block_scales) {
    request_rows(weight.block_scales, weight.cols / 16, first_column / 16, n_columns / 16,
                 expected_);
  }
}

void CpuBackend::embed(Tensor out, const Weight& table, std::int64_t first_column, float scale) {
  const CpuWeight& weight = CpuWeight::of(table);
  const DTypeTraits& type = traits(weight.dtype);
  CHECK(out.rows == static_cast<std::int64_t>(kept_rows_.size()) &&
        first_column + out.cols <= weight.cols);
  CHECK(first_column % type.block_size == 0 && out.cols % type.block_size == 0);
  for (const std::int32_t token : step_.tokens) {
    CHECK(token >= 0 && token < weight.rows, "token {} of {}", token, weight.rows);
  }
  const kernels::Decode decode = kernels_.decode[static_cast<int>(weight.dtype)];
  pool_.run(out.rows, [&](std::int64_t row, int) {
    const std::int32_t step_row = kept_rows_[static_cast<std::size_t>(row)];
    const std::int64_t token = step_.tokens[static_cast<std::size_t>(step_row)];
    const std::byte* data =
        weight.data + token * weight.row_bytes + first_column / type.block_size * type.block_bytes;
    const std::byte* scales = nullptr;
    if (weight.block_scales) {
      scales = weight.block_scales + token * (weight.cols / 16) + first_column / 16;
    }
    decode(data, scales, out.cols, out.row(row));
    const float row_scale =
        weight.row_scales.empty() ? 1.0F : weight.row_scales[static_cast<std::size_t>(token)];
    const float factor = weight.tensor_scale * row_scale * scale;
    kernels_.axpby(out.row(row), factor, out.row(row), 0.0F, out.row(row), out.cols);
  });
}

}  // namespace pleiad::cpu
