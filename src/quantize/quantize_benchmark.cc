// Elements encoded a second on one core, for every type, rounding and instruction set
// that this machine has: rows of 2,560 columns, as a matrix of E4B has them.

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "quantize/encode_with.h"
#include "quantize/pick_kernels.h"

namespace pleiad::quantize {
namespace {

constexpr std::size_t kCols = 2560;
constexpr std::size_t kRows = 64;

void encode_rows(benchmark::State& state, const Kernels& kernels, EncodeOptions options,
                 bool weighted) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0.0F, 0.02F);
  std::vector<float> values(kRows * kCols);
  for (float& x : values) x = normal(random);
  std::vector<float> importance(weighted ? kCols : 0);
  for (float& x : importance) x = normal(random) * normal(random) + 0.001F;
  for (float& x : importance) x = x < 0 ? -x : x;
  options.importance = importance;
  options.tensor_scale = options.type == DType::f8_e4m3 ? fp8_tensor_scale(0.1F)
                         : options.type == DType::nvfp4 ? nvfp4_tensor_scale(0.1F)
                                                        : 1.0F;
  std::vector<std::byte> out(row_bytes(options.type, kCols));
  for (auto _ : state) {
    for (std::size_t row = 0; row < kRows; ++row) {
      encode_row_with(kernels, options, {values.data() + row * kCols, kCols}, out.data(), nullptr);
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows * kCols));
}

void register_all() {
  constexpr DType kTypes[] = {DType::bf16, DType::f16,  DType::f8_e4m3, DType::q8_0,
                              DType::q4_0, DType::q5_0, DType::q5_1,    DType::q4_k,
                              DType::q5_k, DType::q6_k, DType::nvfp4};
  for (const Kernels& kernels : usable_kernels()) {
    for (const DType type : kTypes) {
      const std::string base = std::string(kernels.isa) + "/" + std::string(name(type));
      const EncodeOptions nearest{.type = type, .rounding = Rounding::nearest};
      const EncodeOptions search{.type = type, .rounding = Rounding::search};
      benchmark::RegisterBenchmark((base + "/nearest").c_str(), encode_rows, kernels, nearest,
                                   false);
      if (traits(type).block_size == 1) continue;
      benchmark::RegisterBenchmark((base + "/search").c_str(), encode_rows, kernels, search, false);
      benchmark::RegisterBenchmark((base + "/importance").c_str(), encode_rows, kernels, search,
                                   true);
    }
  }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace pleiad::quantize
