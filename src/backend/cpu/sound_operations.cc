// The operations of an encoder of sound. Rows and heads are divided among threads, never a sum.

#include <algorithm>

#include "backend/cpu/cpu_backend.h"

namespace pleiad::cpu {

void CpuBackend::local_attention(Tensor out, Tensor query, Tensor key, Tensor value,
                                 std::int64_t first, const Weight& query_scale,
                                 const Weight& distances, const LocalAttention& shape) {
  const std::int64_t cols = std::int64_t{shape.n_heads} * shape.head_dim;
  CHECK(out.rows == query.rows && out.cols == cols && query.cols == cols && key.cols == cols &&
        value.cols == cols);
  CHECK(key.rows == value.rows && first >= 0 && first + query.rows <= key.rows);
  CHECK(key.stride == value.stride, "one stride serves both");
  CHECK(element_count(query_scale.shape()) == shape.head_dim && shape.window > 0 &&
        element_count(distances.shape()) == shape.window * cols);
  CHECK(kernels::local_attention_scratch(shape.head_dim, shape.window) <=
        static_cast<std::int64_t>(scratch_[0].size()));
  const float* scales = CpuWeight::of(query_scale).vector();
  const float* by_distance = CpuWeight::of(distances).vector();
  pool_.run(query.rows * shape.n_heads, [&](std::int64_t task, int worker) {
    const std::int64_t row = task / shape.n_heads;
    const std::int64_t at = task % shape.n_heads * shape.head_dim;
    const auto n_rows = static_cast<int>(std::min<std::int64_t>(shape.window, first + row + 1));
    const kernels::LocalAttentionArgs args = {
        .query = query.row(row) + at,
        .query_scale = scales,
        .key = key.row(first + row) + at,
        .value = value.row(first + row) + at,
        .stride = key.stride,
        .distances = by_distance + at,
        .distance_stride = cols,
        .n_rows = n_rows,
        .head_dim = shape.head_dim,
        .key_scale = shape.key_scale,
        .cap = shape.cap,
        .out = out.row(row) + at,
    };
    kernels_.local_attention(args, scratch_[static_cast<std::size_t>(worker)].data());
  });
}

void CpuBackend::causal_convolution(Tensor out, Tensor x, std::int64_t first, const Weight& taps) {
  const std::int64_t n_values = element_count(taps.shape());
  CHECK(out.cols == x.cols && first >= 0 && first + out.rows <= x.rows && n_values > 0 &&
        n_values % x.cols == 0);
  const std::int64_t n_taps = n_values / x.cols;
  const float* factors = CpuWeight::of(taps).vector();
  pool_.run(out.rows, [&](std::int64_t row, int) {
    const auto reached = static_cast<int>(std::min(n_taps, first + row + 1));
    kernels_.convolve(out.row(row), x.row(first + row), x.stride, factors, reached, x.cols);
  });
}

void CpuBackend::silu(Tensor x) {
  pool_.run(x.rows, [&](std::int64_t row, int) { kernels_.silu(x.row(row), x.cols); });
}

void CpuBackend::gated_linear_unit(Tensor out, Tensor x) {
  CHECK(out.rows == x.rows && x.cols == 2 * out.cols);
  pool_.run(x.rows, [&](std::int64_t row, int) {
    kernels_.sigmoid_gate(out.row(row), x.row(row), x.row(row) + out.cols, out.cols);
  });
}

}  // namespace pleiad::cpu
