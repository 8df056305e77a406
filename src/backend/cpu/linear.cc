#include <algorithm>
#include <array>

#include "backend/cpu/cpu_backend.h"

namespace pleiad::cpu {
namespace {

// Weight rows of one task for the pool: small enough that threads finish
// together, large enough that taking a task costs nothing.
constexpr std::int64_t kRowsPerTask = 32;

}  // namespace

kernels::LinearArgs CpuBackend::linear_args(const CpuWeight& weight, Tensor out, Tensor x,
                                            std::int64_t first_row, std::int64_t n_rows) const {
  CHECK(weight.cols == x.cols && n_rows == out.cols && x.rows == out.rows,
        "weight [{}, {}], x [{}, {}], out [{}, {}]", n_rows, weight.cols, x.rows, x.cols, out.rows,
        out.cols);
  CHECK(first_row + n_rows <= weight.rows && x.rows <= max_rows_);
  const DTypeTraits& type = traits(weight.dtype);
  kernels::LinearArgs args = {};
  args.decode = kernels_.decode[static_cast<int>(weight.dtype)];
  args.data = weight.data + first_row * weight.row_bytes;
  args.scale_row_bytes = weight.cols / 16;
  args.scales =
      weight.block_scales ? weight.block_scales + first_row * args.scale_row_bytes : nullptr;
  args.row_scales = weight.row_scales.empty() ? nullptr : weight.row_scales.data() + first_row;
  args.scale = weight.tensor_scale;
  args.row_bytes = weight.row_bytes;
  args.cols = weight.cols;
  args.block_size = type.block_size;
  args.block_bytes = type.block_bytes;
  args.x = x.data;
  args.x_stride = x.stride;
  args.n_x = x.rows;
  args.out = out.data;
  args.out_stride = out.stride;
  return args;
}

void CpuBackend::run_linear(std::span<const LinearPart> parts) {
  constexpr std::size_t kMaxParts = 8;
  CHECK(parts.size() <= kMaxParts);
  // Checked here: nothing may throw once other threads are at work.
  std::array<kernels::LinearArgs, kMaxParts> args;
  std::int64_t n_tasks = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LinearPart& part = parts[i];
    args[i] = linear_args(*part.weight, part.out, part.x, part.first_row, part.n_rows);
    n_tasks += (part.n_rows + kRowsPerTask - 1) / kRowsPerTask;
  }
  pool_.run(n_tasks, [&](std::int64_t task, int worker) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t n_rows = parts[i].n_rows;
      const std::int64_t n_part_tasks = (n_rows + kRowsPerTask - 1) / kRowsPerTask;
      if (task >= n_part_tasks) {
        task -= n_part_tasks;
        continue;
      }
      const std::int64_t first = task * kRowsPerTask;
      kernels_.linear(args[i], first, std::min(first + kRowsPerTask, n_rows), scratch(worker));
      return;
    }
  });
}

void CpuBackend::linear(std::span<const LinearTask> tasks, Tensor x) {
  constexpr std::size_t kMaxTasks = 8;
  CHECK(tasks.size() <= kMaxTasks);
  std::array<LinearPart, kMaxTasks> parts;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const CpuWeight& weight = CpuWeight::of(*tasks[i].weight);
    parts[i] = {&weight, 0, weight.rows, tasks[i].out, x};
  }
  run_linear(std::span(parts).first(tasks.size()));
}

}  // namespace pleiad::cpu
