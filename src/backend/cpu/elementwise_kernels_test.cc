// Norms, activations and the rotary embedding, against double precision on odd
// sizes and on the ends of the range.

#include <cmath>
#include <numbers>

#include "backend/cpu/kernels_testing.h"

namespace pleiad::cpu {
namespace {

class ElementwiseKernels : public KernelsTest {};

TEST_P(ElementwiseKernels, RmsNormMatchesDoublePrecision) {
  for (const std::int64_t n : {1L, 15L, 16L, 33L, 256L, 1537L}) {
    const std::vector<float> x = normal(static_cast<std::size_t>(n), 100.0F);
    const std::vector<float> weight = normal(static_cast<std::size_t>(n));
    double squares = 0;
    for (const float value : x) squares += static_cast<double>(value) * value;
    const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-6);
    std::vector<float> out(x.size());
    kernels_.rms_norm(out.data(), x.data(), weight.data(), n, 1e-6F);
    std::vector<float> residual = weight;
    kernels_.norm_add(residual.data(), x.data(), weight.data(), n, 1e-6F, 0.5F);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = x[i] * factor * weight[i];
      ASSERT_NEAR(out[i], expected, std::abs(expected) * 1e-6 + 1e-9);
      ASSERT_NEAR(residual[i], (weight[i] + expected) * 0.5, std::abs(expected) * 1e-6 + 1e-6);
    }
  }
}

TEST_P(ElementwiseKernels, GeluAndSoftcapMatchDoublePrecisionOverTheWholeRange) {
  std::vector<float> x = {0.0F,  -0.0F,  1e-30F, -1e-30F, 1e-4F,  -1e-4F, 0.5F,  -0.5F,  3.0F,
                          -3.0F, 8.0F,   -8.0F,  20.0F,   -20.0F, 9.9F,   -9.9F, 10.05F, -10.05F,
                          10.3F, -10.3F, 1e4F,   -1e4F,   1e30F,  -1e30F, 88.0F, -88.0F, 5.5F};
  const std::vector<float> more = normal(301, 3.0F);
  x.insert(x.end(), more.begin(), more.end());
  std::vector<float> gate = x;
  const std::vector<float> up(x.size(), 2.0F);
  kernels_.gated_gelu(gate.data(), up.data(), static_cast<std::int64_t>(x.size()));
  std::vector<float> capped = x;
  kernels_.softcap(capped.data(), static_cast<std::int64_t>(x.size()), 30.0F);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i];
    const double gelu =
        0.5 * v * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
    ASSERT_NEAR(gate[i], 2 * gelu, std::abs(gelu) * 2e-6 + std::abs(v) * 1e-7) << v;
    ASSERT_NEAR(capped[i], 30 * std::tanh(v / 30), 6e-6) << v;
  }
}

TEST_P(ElementwiseKernels, RopeTurnsPairsOfTheTwoHalvesAndLeavesTheRest) {
  const std::vector<float> head = normal(32);
  std::vector<float> turned = head;
  const std::vector<float> cos = {0.6F, 1.0F, 0.0F};
  const std::vector<float> sin = {0.8F, 0.0F, 1.0F};
  kernels_.rope(turned.data(), 32, cos.data(), sin.data(), 3);
  for (std::size_t i = 0; i < 16; ++i) {
    const float c = i < 3 ? cos[i] : 1.0F;
    const float s = i < 3 ? sin[i] : 0.0F;
    EXPECT_FLOAT_EQ(turned[i], head[i] * c - head[i + 16] * s);
    EXPECT_FLOAT_EQ(turned[i + 16], head[i + 16] * c + head[i] * s);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, ElementwiseKernels, ::testing::ValuesIn(usable_isas()),
                         isa_name);

}  // namespace
}  // namespace pleiad::cpu
