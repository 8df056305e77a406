// Attention in the shapes of E2B's layers: rows of a prompt, and a generated token,
// after so many positions. Threads: PLEIAD_THREADS, instruction set: PLEIAD_ISA.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <numeric>
#include <random>

#include "backend/cpu/attention_testing.h"
#include "backend/cpu/cpu_backend.h"

namespace pleiad {
namespace {

constexpr int kHeads = 8;  // that share one key head
constexpr int kPageTokens = 64;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<float> normal(std::size_t n, float deviation) {
  static std::mt19937 random(1);
  std::normal_distribution<float> distribution(0.0F, deviation);
  std::vector<float> values(n);
  for (float& value : values) value = distribution(random);
  return values;
}

/// Sliding layers have a window of 512 and heads of 256, full ones heads of 512.
void attention(benchmark::State& state) {
  const bool sliding = state.range(0) != 0;
  const std::int64_t depth = state.range(1);
  const std::int64_t n_rows = state.range(2);
  const auto type = static_cast<KvType>(state.range(3));
  const int head_dim = sliding ? 256 : 512;
  const int window = sliding ? 512 : 0;
  const std::string isa = variable("PLEIAD_ISA");
  cpu::CpuBackend backend(
      {.isa = isa, .n_threads = std::atoi(variable("PLEIAD_THREADS").c_str()), .max_rows = n_rows});
  backend.reserve_attention(kHeads, head_dim);
  const auto size = static_cast<std::size_t>((depth + n_rows) * head_dim);
  const cpu::CachedSequence cache(cpu::kernels_for(cpu::pick_isa(isa)), type, kPageTokens, head_dim,
                                  normal(size, 0.2F), normal(size, 1.0F));
  const std::int64_t cols = std::int64_t{kHeads} * head_dim;
  std::vector<float> query = normal(static_cast<std::size_t>(n_rows * cols), 1.0F);
  std::vector<float> out(query.size());
  const std::vector<std::int32_t> zeros(static_cast<std::size_t>(n_rows), 0);
  std::vector<std::int32_t> positions(static_cast<std::size_t>(n_rows));
  std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(depth));
  double visible = 0;
  for (const std::int64_t position : positions) {
    visible +=
        static_cast<double>(sliding ? std::min<std::int64_t>(position + 1, window) : position + 1);
  }
  const PageTable tables[] = {cache.pages};
  for (auto _ : state) {
    backend.begin_step({zeros, positions, zeros, n_rows == 1 ? 1 : 0});
    backend.attention(Tensor(out.data(), n_rows, cols), Tensor(query.data(), n_rows, cols),
                      {cache.layout, tables}, window);
    backend.end_step();
  }
  state.SetLabel(std::string(name(type)));
  state.counters["TFLOP/s"] = benchmark::Counter(visible * 4 * static_cast<double>(cols) * 1e-12,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(attention)
    ->ArgNames({"sliding", "depth", "rows", "kv"})
    ->ArgsProduct({{0, 1}, {0, 1536}, {512}, {static_cast<int>(KvType::bf16)}})
    ->ArgsProduct({{0, 1}, {8192}, {1}, {static_cast<int>(KvType::bf16)}})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pleiad
