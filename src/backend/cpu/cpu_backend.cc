#include "backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/cpu/processors.h"
#include "base/round_up.h"

namespace pleiad::cpu {
namespace {

class HostBuffer final : public Buffer {
 public:
  explicit HostBuffer(std::size_t bytes) : memory_(bytes) {}
  std::byte* data() override { return memory_.data(); }
  std::size_t size() const override { return memory_.size(); }

 private:
  AlignedBuffer<std::byte> memory_;
};

/// Of base pages: rows that are written one after the other may lie far apart in it (heads of keys
/// and values), and would take a huge page each.
class PagedBuffer final : public Buffer {
 public:
  explicit PagedBuffer(std::size_t bytes) : size_(bytes), memory_(bytes, PageSize::base) {}
  std::byte* data() override { return memory_.data(); }
  std::size_t size() const override { return size_; }

 private:
  std::size_t size_;
  HugeMemory memory_;
};

/// Less is zeroed sooner than mapped.
constexpr std::size_t kLeastPaged = std::size_t{1} << 20;

constexpr std::int64_t kMinScratch =
    8192;  // scores of a page and sums of a head, for several queries

int n_threads(const CpuOptions& options) {
  return options.n_threads > 0 ? options.n_threads : usable_cores();
}

// The matrix unit computes prompts in a form of its own.
kernels::Kernels without_matrix_unit(kernels::Kernels kernels) {
  kernels.fill_tiles = nullptr;
  kernels.tile_linear = nullptr;
  kernels.tile_gated_gelu = nullptr;
  kernels.prompt_attention = nullptr;
  kernels.generated_attention = nullptr;
  return kernels;
}

kernels::Kernels kernels_for(Isa isa, ActivationForm activations) {
  const kernels::Kernels kernels = kernels_for(isa);
  return activations == ActivationForm::automatic ? kernels : without_matrix_unit(kernels);
}

}  // namespace

CpuBackend::CpuBackend(const CpuOptions& options)
    : isa_(pick_isa(options.isa)),
      activation_form_(options.activations),
      kernels_(kernels_for(isa_, options.activations)),
      max_rows_(options.max_rows),
      n_threads_(n_threads(options)),
      read_ahead_(n_threads_),
      pool_(n_threads_, &read_ahead_,
            [](void* read_ahead, int worker) {
              return static_cast<ReadAhead*>(read_ahead)->advance(worker);
            }),
      activations_(kernels_, max_rows_),
      tile_scratch_(kernels_.tile_linear
                        ? static_cast<std::size_t>(pool_.size() * kernels::kTileScratch)
                        : 0) {
  jobs_.reserve(max_linear_jobs());
  expected_.reserve(static_cast<std::size_t>(max_rows_));
  kept_rows_.reserve(static_cast<std::size_t>(max_rows_));
  const std::int64_t size = std::max(kernels::linear_scratch(max_rows_), kMinScratch);
  for (int worker = 0; worker < pool_.size(); ++worker) {
    scratch_.emplace_back(static_cast<std::size_t>(size));
  }
}

std::string CpuBackend::description() const {
  const char* form = activation_form_ == ActivationForm::words   ? ", activations of 16 bits"
                     : activation_form_ == ActivationForm::bytes ? ", activations of 8 bits"
                                                                 : "";
  return fmt::format("cpu ({}, {} thread{}{})", name(isa_), pool_.size(),
                     pool_.size() == 1 ? "" : "s", form);
}

bool CpuBackend::has_one_arithmetic() const {
  return !kernels_.tile_linear && !kernels_.prompt_attention && !kernels_.generated_attention;
}

std::int64_t CpuBackend::rows_as_words(std::int64_t n_rows, std::int64_t n_generated) const {
  if (activation_form_ == ActivationForm::words) return n_rows;
  return kernels_.tile_linear ? std::min(n_generated, n_rows) : 0;
}

bool CpuBackend::multiplies_bytes(DType type) const {
  HostTensor weight;
  weight.dtype = type;
  const auto kind = packed_kind(weight);
  return kind && is_integer(*kind) && !kernels_.tile_linear &&
         activation_form_ != ActivationForm::words;
}

HugePageUse CpuBackend::packed_weights() const {
  const auto memory = arena_.given_out();
  HugePageUse use;
  for (const auto& piece : memory) use.bytes += piece.size();
  use.huge_bytes = bytes_in_huge_pages(memory);
  use.mode = huge_page_mode();
  return use;
}

std::unique_ptr<Buffer> CpuBackend::allocate(std::size_t bytes, Taken taken) {
  if (taken == Taken::when_written && bytes >= kLeastPaged) {
    return std::make_unique<PagedBuffer>(bytes);
  }
  return std::make_unique<HostBuffer>(bytes);
}

void CpuBackend::begin_step(const StepRows& rows) {
  CHECK(rows.count() <= max_rows_, "{} rows, at most {}", rows.count(), max_rows_);
  CHECK(rows.positions.size() == rows.tokens.size() && rows.sequences.size() == rows.tokens.size());
  CHECK(rows.n_generated >= 0 && rows.n_generated <= rows.count());
  CHECK(rows.last_visible.empty() || rows.last_visible.size() == rows.tokens.size());
  CHECK(rows.block_begin.empty() || rows.block_begin.size() == rows.last_visible.size());
  step_ = rows;
  kept_rows_.resize(static_cast<std::size_t>(rows.count()));
  std::iota(kept_rows_.begin(), kept_rows_.end(), 0);
  n_generated_ = rows.n_generated;
}

void CpuBackend::keep_rows(std::span<const std::int32_t> rows, std::int64_t n_generated) {
  CHECK(std::is_sorted(rows.begin(), rows.end()));
  CHECK(rows.empty() || (rows.front() >= 0 && rows.back() < step_.count()));
  kept_rows_.assign(rows.begin(), rows.end());
  CHECK(n_generated >= 0 && n_generated <= std::ssize(rows));
  n_generated_ = n_generated;
}

void CpuBackend::end_step() {
  step_ = {};
  kept_rows_.clear();
  n_generated_ = 0;
}

void CpuBackend::rms_norm(Tensor out, Tensor x, const Weight* weight, float eps) {
  CHECK(out.rows == x.rows && out.cols == x.cols);
  const float* factors = weight ? CpuWeight::of(*weight).vector() : nullptr;
  pool_.run(x.rows, [&](std::int64_t row, int) {
    kernels_.rms_norm(out.row(row), x.row(row), factors, x.cols, eps);
  });
}

void CpuBackend::norm_add(Tensor residual, Tensor branch, const Weight& weight, float eps,
                          float scale) {
  CHECK(residual.rows == branch.rows && residual.cols == branch.cols);
  const float* factors = CpuWeight::of(weight).vector();
  pool_.run(residual.rows, [&](std::int64_t row, int) {
    kernels_.norm_add(residual.row(row), branch.row(row), factors, residual.cols, eps, scale);
  });
}

void CpuBackend::gated_gelu(Tensor gate, Tensor up) {
  CHECK(gate.rows == up.rows && gate.cols == up.cols);
  pool_.run(gate.rows, [&](std::int64_t row, int) {
    kernels_.gated_gelu(gate.row(row), up.row(row), gate.cols);
  });
}

void CpuBackend::combine_per_layer(Tensor combined, Tensor context, const Weight& norm,
                                   int per_layer_dim, float context_scale, float eps) {
  CHECK(combined.rows == context.rows && combined.cols == context.cols);
  CHECK(combined.cols % per_layer_dim == 0);
  constexpr float kHalfRoot = 0.70710678118654752F;
  const float* factors = CpuWeight::of(norm).vector();
  const std::int64_t n_layers = combined.cols / per_layer_dim;
  pool_.run(combined.rows, [&](std::int64_t row, int) {
    for (std::int64_t layer = 0; layer < n_layers; ++layer) {
      float* token_part = combined.row(row) + layer * per_layer_dim;
      float* context_part = context.row(row) + layer * per_layer_dim;
      kernels_.axpby(context_part, context_scale, context_part, 0.0F, context_part, per_layer_dim);
      kernels_.rms_norm(context_part, context_part, factors, per_layer_dim, eps);
      kernels_.axpby(token_part, kHalfRoot, context_part, kHalfRoot, token_part, per_layer_dim);
    }
  });
}

void CpuBackend::add(Tensor a, Tensor b) {
  CHECK(a.rows == b.rows && a.cols == b.cols);
  pool_.run(a.rows, [&](std::int64_t row, int) {
    kernels_.axpby(a.row(row), 1.0F, a.row(row), 1.0F, b.row(row), a.cols);
  });
}

// Rows may be as long as the vocabulary: run(piece, n, its place in a dense tensor).
template <typename Run>
void CpuBackend::in_pieces(Tensor x, const Run& run) {
  constexpr std::int64_t kPiece = 8192;
  const std::int64_t pieces = divided_up(x.cols, kPiece);
  pool_.run(x.rows * pieces, [&](std::int64_t task, int) {
    const std::int64_t row = task / pieces;
    const std::int64_t first = task % pieces * kPiece;
    run(x.row(row) + first, std::min(kPiece, x.cols - first), row * x.cols + first);
  });
}

void CpuBackend::clamp(Tensor out, Tensor x, float low, float high) {
  CHECK(out.rows == x.rows && out.cols == x.cols && low <= high, "{} x {} of {} x {}, {} to {}",
        out.rows, out.cols, x.rows, x.cols, low, high);
  pool_.run(x.rows, [&](std::int64_t row, int) {
    kernels_.clamp(out.row(row), x.row(row), x.cols, low, high);
  });
}

void CpuBackend::softcap(Tensor x, float cap) {
  in_pieces(x,
            [&](float* piece, std::int64_t n, std::int64_t) { kernels_.softcap(piece, n, cap); });
}

void CpuBackend::gather_rows(Tensor out, Tensor x, std::span<const std::int32_t> rows) {
  CHECK(out.rows == static_cast<std::int64_t>(rows.size()) && out.cols == x.cols);
  for (std::int64_t i = 0; i < out.rows; ++i) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    std::memmove(out.row(i), x.row(row), static_cast<std::size_t>(x.cols) * sizeof(float));
  }
}

void CpuBackend::copy_page(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void CpuBackend::write(Tensor x, std::span<const float> host) {
  CHECK(static_cast<std::int64_t>(host.size()) == x.rows * x.cols);
  in_pieces(x, [&](float* piece, std::int64_t n, std::int64_t first) {
    std::copy_n(host.data() + first, n, piece);
  });
}

void CpuBackend::read(std::span<float> host, Tensor x) {
  CHECK(static_cast<std::int64_t>(host.size()) == x.rows * x.cols);
  in_pieces(x, [&](const float* piece, std::int64_t n, std::int64_t first) {
    std::copy_n(piece, n, host.data() + first);
  });
}

}  // namespace pleiad::cpu
