// Products with weights. Which kernel computes a row is decided by the weight's type and by
// the form of activations; where there is a matrix unit, also by what the row is (a token being
// generated, or part of a prompt). How many rows there are changes no bit.

#include <algorithm>
#include <array>

#include "backend/cpu/cpu_backend.h"
#include "base/round_up.h"

namespace pleiad::cpu {
namespace {

// Weights of a task: little enough that threads finish together, large enough
// that taking a task costs nothing.
constexpr std::int64_t kBytesPerTask = 32 << 10;
constexpr std::size_t kMaxParts = 4;       // products that share an input
constexpr std::int64_t kRowsPerTask = 32;  // of weights that are not packed
// Of a task with many rows, where panels wait in the second-level cache for the next ones.
constexpr std::int64_t kManyRows = 32;
constexpr std::int64_t kManyRowsBytesPerTask = 160 << 10;
// Panels of a task on the matrix unit. With short inputs a block of rows stays in the
// second-level cache from task to task; longer ones have to be worth fetching anew.
constexpr std::int64_t kShortInput = 2048;
constexpr std::int64_t kTilePanels = 16;
constexpr std::int64_t kLongInputTilePanels = 24;
static_assert(kTilePanels % 2 == 0 && kTilePanels <= kernels::kTileMaxPanels);
static_assert(kLongInputTilePanels % 2 == 0 && kLongInputTilePanels <= kernels::kTileMaxPanels);

}  // namespace

kernels::LinearArgs CpuBackend::linear_args(const LinearPart& part, Tensor x) const {
  const CpuWeight& weight = *part.weight;
  const std::int64_t first_row = part.matrix * part.out.cols;
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
  args.out = part.out.data;
  args.out_stride = part.out.stride;
  return args;
}

template <typename Args>
Args CpuBackend::panel_args(const LinearPart& part, std::int64_t first_x, std::int64_t n_x) {
  const CpuWeight& weight = *part.weight;
  const PackedMatrices& packed = *weight.packed;
  Args args = {};
  args.data = packed.matrix(part.matrix);
  args.panel_bytes = packed.panel_bytes;
  args.n_rows = packed.rows;
  args.row_scales =
      weight.row_scales.empty() ? nullptr : weight.row_scales.data() + part.matrix * packed.rows;
  args.scale = weight.tensor_scale;
  args.n_x = n_x;
  args.out = part.out.row(first_x);
  args.out_stride = part.out.stride;
  return args;
}

kernels::PackedArgs CpuBackend::packed_args(const LinearPart& part, std::int64_t first_x,
                                            std::int64_t n_x, bool words) const {
  const kernels::PackedKind kind = part.weight->packed->kind;
  auto args = panel_args<kernels::PackedArgs>(part, first_x, n_x);
  args.n_steps = part.weight->packed->n_steps;
  if (is_integer(kind)) {
    const Activations::Integers integers = words && kernels::has_superblocks(kind)
                                               ? activations_.superblocks()
                                               : activations_.integers();
    args.x_cols = activations_.padded_cols();
    args.x_stride = integers.stride;
    args.x = integers.rows + first_x * args.x_stride;
    args.batch = words ? integers.batch : nullptr;
  } else {
    args.x_stride = activations_.float_stride();
    args.x = activations_.floats() + first_x * args.x_stride;
  }
  return args;
}

kernels::TileArgs CpuBackend::tile_args(const LinearPart& part, const std::byte* tiles,
                                        std::int64_t first_x, std::int64_t n_x) const {
  auto args = panel_args<kernels::TileArgs>(part, first_x, n_x);
  args.kind = part.weight->packed->kind;
  args.cols = part.weight->packed->padded_cols();
  args.x = tiles + first_x / (2 * kernels::kTileRows) * kernels::kRowPairBytes;
  args.x_chunk_bytes = activations_.tile_chunk_bytes();
  return args;
}

bool CpuBackend::uses_tiles(const CpuWeight& weight) const {
  return kernels_.tile_linear && weight.packed && weight.packed->kind != kernels::PackedKind::f32 &&
         weight.packed->kind != kernels::PackedKind::f16;
}

void CpuBackend::run_linear(std::span<const LinearPart> parts, Tensor x, std::int64_t n_words) {
  CHECK(parts.size() <= kMaxParts && x.rows <= max_rows_);
  const std::int64_t n_others = x.rows - n_words;
  Activations::Forms forms;
  for (const LinearPart& part : parts) {
    const CpuWeight& weight = *part.weight;
    CHECK(weight.cols == x.cols && part.out.rows == x.rows &&
              (part.matrix + 1) * part.out.cols <= weight.rows,
          "weight [{}, {}], x [{}, {}], out [{}, {}]", weight.rows, weight.cols, x.rows, x.cols,
          part.out.rows, part.out.cols);
    CHECK(!weight.packed || weight.packed->rows == part.out.cols);
    if (!weight.packed) continue;
    const kernels::PackedKind kind = weight.packed->kind;
    const bool tiles = uses_tiles(weight);
    if (is_integer(kind)) {
      (kernels::has_superblocks(kind) ? forms.superblocks : forms.words) |= n_words > 0;
      (kernels::has_sixteens(kind) ? forms.sixteens : forms.bytes) |= n_others > 0 && !tiles;
    } else {
      forms.floats |= n_words > 0 || !tiles;
    }
    forms.tiles |= n_others > 0 && tiles;
  }
  activations_.prepare(x, n_words, forms, pool_);

  jobs_.clear();
  for (const LinearPart& part : parts) {
    const CpuWeight& weight = *part.weight;
    LinearJob job = {};
    if (!weight.packed) {
      job.kernel = LinearJob::Kernel::unpacked;
      job.unpacked = linear_args(part, x);
      job.units = part.out.cols;
      job.units_per_task = kRowsPerTask;
      jobs_.push_back(job);
      continue;
    }
    const PackedMatrices& packed = *weight.packed;
    const auto kind = static_cast<std::size_t>(packed.kind);
    job.units = packed.panels;
    job.kernel = LinearJob::Kernel::packed;
    job.units_per_task = std::max<std::int64_t>(1, kBytesPerTask / packed.panel_bytes);
    if (n_words > 0) {
      job.run_packed = kernels_.word_linear[kind];
      job.packed = packed_args(part, 0, n_words, true);
      jobs_.push_back(job);
    }
    if (n_others == 0) continue;
    if (uses_tiles(weight)) {
      add_tile_jobs({part.weight, part.matrix, part.out.from(n_words)}, activations_.tiles());
    } else {
      job.run_packed = kernels_.byte_linear[kind];
      job.packed = packed_args(part, n_words, n_others, false);
      if (n_others >= kManyRows) {
        job.units_per_task = std::max(
            job.units_per_task,
            std::min(kManyRowsBytesPerTask / packed.panel_bytes, even_share(packed.panels)));
      }
      jobs_.push_back(job);
    }
  }
  if (n_generated_ > 0 && n_generated_ == std::ssize(kept_rows_) && parts[0].weight->product) {
    announce(*parts[0].weight);
  } else {
    read_ahead_.stop();
  }
  run_jobs();
}

// Tells which bytes each thread reads first: those of its first task.
void CpuBackend::announce(const CpuWeight& first) {
  std::int64_t n_tasks = 0;
  for (const LinearJob& job : jobs_) n_tasks += job.tasks();
  read_ahead_.begin(*first.product, [&](int worker) -> const std::byte* {
    std::int64_t task = pool_.first_task(n_tasks, worker);
    for (const LinearJob& job : jobs_) {
      if (task < job.tasks()) {
        return job.kernel == LinearJob::Kernel::packed
                   ? job.packed.data + task * job.units_per_task * job.packed.panel_bytes
                   : nullptr;
      }
      task -= job.tasks();
    }
    return nullptr;
  });
}

// In pairs of panels, and so that every thread gets two tasks.
std::int64_t CpuBackend::even_share(std::int64_t panels) const {
  return divided_up(panels, std::int64_t{2} * 2 * pool_.size()) * 2;
}

void CpuBackend::add_tile_jobs(const LinearPart& part, const std::byte* tiles) {
  const PackedMatrices& packed = *part.weight->packed;
  LinearJob job = {};
  job.kernel = LinearJob::Kernel::tiles;
  job.units = packed.panels;
  const std::int64_t n = part.out.rows;
  const std::int64_t n_blocks = divided_up(n, kernels::kTileMaxRows);
  const std::int64_t most =
      packed.padded_cols() <= kShortInput ? kTilePanels : kLongInputTilePanels;
  job.units_per_task = std::min(most, even_share(packed.panels * n_blocks));
  // Blocks of rows one after the other: a thread's own stay in its cache.
  for (std::int64_t row = 0; row < n; row += kernels::kTileMaxRows) {
    job.tiles = tile_args(part, tiles, row, std::min(kernels::kTileMaxRows, n - row));
    jobs_.push_back(job);
  }
}

void CpuBackend::run_jobs() {
  std::int64_t n_tasks = 0;
  for (const LinearJob& job : jobs_) n_tasks += job.tasks();
  pool_.run(n_tasks, [&](std::int64_t task, int worker) {
    const LinearJob* job = jobs_.data();
    while (task >= job->tasks()) task -= (job++)->tasks();
    const std::int64_t first = task * job->units_per_task;
    const std::int64_t last = std::min(first + job->units_per_task, job->units);
    switch (job->kernel) {
      case LinearJob::Kernel::unpacked:
        return kernels_.linear(job->unpacked, first, last, scratch(worker));
      case LinearJob::Kernel::packed:
        return job->run_packed(job->packed, first, last);
      case LinearJob::Kernel::tiles:
        return kernels_.tile_linear(job->tiles, first, last, tile_scratch(worker));
      case LinearJob::Kernel::tiles_gated:
        return kernels_.tile_gated_gelu(job->tiles_gated, first, last, tile_scratch(worker));
    }
  });
}

void CpuBackend::linear(std::span<const LinearTask> tasks, Tensor x) {
  CHECK(tasks.size() <= kMaxParts);
  std::array<LinearPart, kMaxParts> parts;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const CpuWeight& weight = CpuWeight::of(*tasks[i].weight);
    CHECK(tasks[i].out.cols == weight.rows, "out has {} columns, the weight {} rows",
          tasks[i].out.cols, weight.rows);
    parts[i] = {&weight, 0, tasks[i].out};
  }
  run_linear(std::span(parts).first(tasks.size()), x, rows_as_words(x.rows, n_generated_));
}

std::size_t CpuBackend::max_linear_jobs() const {
  return kMaxParts * static_cast<std::size_t>(1 + divided_up(max_rows_, kernels::kTileMaxRows));
}

}  // namespace pleiad::cpu
