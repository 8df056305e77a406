// A gated feed-forward as one operation: a prompt's on the matrix unit goes from tiles to
// tiles, everything else is its products and their gating one after the other.

#include <algorithm>
#include <array>

#include "backend/cpu/cpu_backend.h"
#include "base/round_up.h"

namespace pleiad::cpu {
namespace {

constexpr std::int64_t kGatedTilePanels = 8;  // of each of two weights, in a task
static_assert(kGatedTilePanels % 2 == 0 && 2 * kGatedTilePanels <= kernels::kTileMaxPanels);

}  // namespace

void CpuBackend::feed_forward(Tensor out, Tensor x, const FeedForwardWeights& weights, Tensor gate,
                              Tensor up) {
  const CpuWeight& gate_weight = CpuWeight::of(*weights.gate);
  const CpuWeight& up_weight = CpuWeight::of(*weights.up);
  const CpuWeight& down_weight = CpuWeight::of(*weights.down);
  const std::int64_t ffn_dim = gate_weight.rows;
  CHECK(up_weight.rows == ffn_dim && down_weight.cols == ffn_dim && gate_weight.cols == x.cols &&
            up_weight.cols == x.cols && down_weight.rows == out.cols && out.rows == x.rows,
        "gate [{}, {}], up [{}, {}], down [{}, {}]", gate_weight.rows, gate_weight.cols,
        up_weight.rows, up_weight.cols, down_weight.rows, down_weight.cols);
  CHECK(gate.rows == x.rows && gate.cols == ffn_dim && up.rows == x.rows && up.cols == ffn_dim);
  const std::int64_t n_generated = std::min(n_generated_, x.rows);
  const bool is_tiled = uses_tiles(gate_weight) && uses_tiles(up_weight) &&
                        uses_tiles(down_weight) &&
                        gate_weight.packed->kind == up_weight.packed->kind;
  if (is_tiled && n_generated < x.rows) {
    run_tiled_feed_forward(out.from(n_generated), x.from(n_generated), gate_weight, up_weight,
                           down_weight);
  }
  const std::int64_t n = is_tiled ? n_generated : x.rows;
  if (n == 0) return;
  const Tensor hidden = gate.top(n);
  const std::array parts = {LinearPart{&gate_weight, 0, hidden},
                            LinearPart{&up_weight, 0, up.top(n)}};
  const std::int64_t n_words = rows_as_words(n, n_generated);
  run_linear(parts, x.top(n), n_words);
  gated_gelu(hidden, up.top(n));
  const LinearPart part = {&down_weight, 0, out.top(n)};
  run_linear({&part, 1}, hidden, n_words);
}

// The hidden activations go from tiles to tiles: in f32 they would be the larger part of
// all memory traffic.
void CpuBackend::run_tiled_feed_forward(Tensor out, Tensor x, const CpuWeight& gate,
                                        const CpuWeight& up, const CpuWeight& down) {
  activations_.prepare(x, 0, {.tiles = true}, pool_);
  jobs_.clear();
  LinearJob job = {};
  job.kernel = LinearJob::Kernel::tiles_gated;
  job.units = gate.packed->panels;
  const std::int64_t n_blocks = divided_up(x.rows, kernels::kTileMaxRows);
  job.units_per_task = std::min(kGatedTilePanels, even_share(job.units * n_blocks));
  std::byte* hidden = activations_.hidden_tiles();
  for (std::int64_t row = 0; row < x.rows; row += kernels::kTileMaxRows) {
    const std::int64_t n = std::min(kernels::kTileMaxRows, x.rows - row);
    job.tiles_gated.weights[0] = tile_args({&gate, 0, {}}, activations_.tiles(), row, n);
    job.tiles_gated.weights[1] = tile_args({&up, 0, {}}, activations_.tiles(), row, n);
    job.tiles_gated.out = hidden + row / (2 * kernels::kTileRows) * kernels::kRowPairBytes;
    job.tiles_gated.out_chunk_bytes = activations_.tile_chunk_bytes();
    jobs_.push_back(job);
  }
  run_jobs();
  jobs_.clear();
  add_tile_jobs({&down, 0, out}, hidden);
  run_jobs();
}

}  // namespace pleiad::cpu
