// CpuBackend::experts: each expert is computed with its own part of the weights and of their
// scales.

#include <cmath>
#include <span>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/kernels_testing.h"

namespace pleiad::cpu {
namespace {

class ExpertScales : public KernelsTest {
 protected:
  static constexpr std::int64_t kDim = 256;
  static constexpr std::int64_t kFfn = 256;
  static constexpr int kExperts = 3;
  static constexpr std::int64_t kRows = 4;  // two are generated, two a prompt's

  /// Matrices of all experts, with a scale for each row.
  struct Matrices {
    StoredTensor stored;
    std::vector<float> row_scales;  // [n_experts * rows]

    /// Those of one expert, or of all.
    HostTensor view(int expert, int n_experts) const {
      HostTensor host = stored.host;
      const auto n = static_cast<std::size_t>(n_experts);
      const auto part = [&](const auto& all) {
        const std::size_t size = all.size() / kExperts;
        return std::span(all).subspan(static_cast<std::size_t>(expert) * size, n * size);
      };
      host.shape[0] = n_experts;
      host.data = part(stored.data);
      host.scales.block_scales = part(stored.block_scales);
      const auto scales = part(row_scales);
      host.scales.row_scales.assign(scales.begin(), scales.end());
      return host;
    }
  };

  Matrices matrices(DType type, std::int64_t rows, std::int64_t cols) {
    Matrices made = {stored(type, {kExperts, rows, cols}), {}};
    made.row_scales = normal(static_cast<std::size_t>(kExperts * rows), 0.1F);
    return made;
  }

  /// What the chosen one of `n_experts`, of which the first is `first`, makes of x.
  std::vector<float> run(const Matrices& gate_up, const Matrices& down, int first, int n_experts,
                         int chosen, std::vector<float> x) const {
    CpuBackend backend({.isa = std::string(name(GetParam())), .n_threads = 2, .max_rows = kRows});
    const Weight gate_up_weight = backend.upload(gate_up.view(first, n_experts), WeightUse::matrix);
    const Weight down_weight = backend.upload(down.view(first, n_experts), WeightUse::matrix);
    const std::vector<float> ones(static_cast<std::size_t>(n_experts), 1.0F);
    HostTensor shares;
    shares.dtype = DType::f32;
    shares.shape = {n_experts};
    shares.data = std::as_bytes(std::span(ones));
    const Weight scale_weight = backend.upload(shares, WeightUse::vector);
    ExpertWeights weights;
    weights.gate_up = &gate_up_weight;
    weights.down = &down_weight;
    weights.scale = &scale_weight;
    weights.n_experts = n_experts;
    weights.n_used = 1;
    weights.ffn_dim = kFfn;
    backend.reserve_experts(kDim, weights);
    std::vector<float> router(static_cast<std::size_t>(kRows * n_experts), 0.0F);
    for (std::int64_t row = 0; row < kRows; ++row) {
      router[static_cast<std::size_t>(row * n_experts + chosen)] = 1.0F;
    }
    std::vector<float> out(static_cast<std::size_t>(kRows * kDim), 0.0F);
    const std::vector<std::int32_t> zeros(kRows, 0);
    backend.begin_step({zeros, zeros, zeros, kRows / 2});
    backend.experts(Tensor(out.data(), kRows, kDim), Tensor(x.data(), kRows, kDim),
                    Tensor(router.data(), kRows, n_experts), weights);
    backend.end_step();
    return out;
  }
};

TEST_P(ExpertScales, AnExpertAmongOthersGivesTheBitsThatItGivesAlone) {
  for (const DType type :
       {DType::f8_e4m3, DType::bf16, DType::q8_0, DType::q4_k, DType::q4_1, DType::nvfp4_packed}) {
    SCOPED_TRACE(name(type));
    const Matrices gate_up = matrices(type, 2 * kFfn, kDim);
    const Matrices down = matrices(type, kDim, kFfn);
    const std::vector<float> x = normal(static_cast<std::size_t>(kRows * kDim), 0.1F);
    for (int expert = 0; expert < kExperts; ++expert) {
      const std::vector<float> alone = run(gate_up, down, expert, 1, 0, x);
      EXPECT_EQ(run(gate_up, down, 0, kExperts, expert, x), alone) << "expert " << expert;
      EXPECT_NE(alone[0], 0.0F);
      EXPECT_TRUE(std::isfinite(alone[0]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, ExpertScales, ::testing::ValuesIn(usable_isas()), isa_name);

}  // namespace
}  // namespace pleiad::cpu
