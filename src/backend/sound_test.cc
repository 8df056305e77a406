// What encoders of sound compute with every backend, against double precision.

#include <algorithm>
#include <cmath>

#include "backend/backend_testing.h"

namespace pleiad {
namespace {

class SoundTest : public BackendTest {
 protected:
  std::vector<float> random_values(std::int64_t n) {
    const Tensor made = random_tensor(1, n);
    return {made.data, made.data + n};
  }
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

TEST_P(SoundTest, Silu) {
  const Tensor x = random_tensor(3, 37);
  x.row(0)[0] = -200.0F;
  x.row(1)[36] = 200.0F;
  const std::vector<float> before(x.data, x.data + 3 * 37);
  backend_.silu(x);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(x.data[i], before[i] * logistic(before[i]), 2e-6 * (1 + std::abs(before[i])));
  }
}

TEST_P(SoundTest, GatedLinearUnit) {
  const Tensor x = random_tensor(5, 2 * 21);
  const Tensor out = tensor(5, 21);
  backend_.gated_linear_unit(out, x);
  for (std::int64_t row = 0; row < 5; ++row) {
    for (std::int64_t i = 0; i < 21; ++i) {
      EXPECT_NEAR(out.row(row)[i], x.row(row)[i] * logistic(x.row(row)[21 + i]), 1e-6);
    }
  }
}

TEST_P(SoundTest, CausalConvolutionSeesWhatCameBefore) {
  constexpr std::int64_t kRows = 11;
  constexpr std::int64_t kCols = 35;
  constexpr std::int64_t kTaps = 5;
  const Tensor x = random_tensor(kRows, kCols);
  const std::vector<float> taps = random_values(kTaps * kCols);
  const Weight weight = vector(taps);
  const Tensor out = tensor(kRows, kCols);
  backend_.causal_convolution(out.top(4), x, 0, weight);
  backend_.causal_convolution(out.from(4), x, 4, weight);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t i = 0; i < kCols; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < kTaps && k <= row; ++k) {
        sum +=
            static_cast<double>(taps[static_cast<std::size_t>(k * kCols + i)]) * x.row(row - k)[i];
      }
      EXPECT_NEAR(out.row(row)[i], sum, 1e-5);
    }
  }
}

/// Heads of `head_dim` values, by the definition in backend.h.
void expect_local_attention(Backend& backend, const LocalAttention& shape, Tensor query, Tensor key,
                            Tensor value, const std::vector<float>& scale,
                            const std::vector<float>& distances, const Weight& scale_weight,
                            const Weight& distance_weight, Tensor out) {
  const std::int64_t n = query.rows;
  backend.local_attention(out.top(n / 2), query.top(n / 2), key, value, 0, scale_weight,
                          distance_weight, shape);
  backend.local_attention(out.from(n / 2), query.from(n / 2), key, value, n / 2, scale_weight,
                          distance_weight, shape);
  for (std::int64_t row = 0; row < n; ++row) {
    const std::int64_t seen = std::min<std::int64_t>(shape.window, row + 1);
    for (std::int64_t head = 0; head < shape.n_heads; ++head) {
      const std::int64_t at = head * shape.head_dim;
      std::vector<double> weights;
      double total = 0;
      for (std::int64_t d = 0; d < seen; ++d) {
        double score = 0;
        for (std::int64_t i = 0; i < shape.head_dim; ++i) {
          const double q =
              static_cast<double>(query.row(row)[at + i]) * scale[static_cast<std::size_t>(i)];
          score += q * key.row(row - d)[at + i] * shape.key_scale +
                   q * distances[static_cast<std::size_t>(d * query.cols + at + i)];
        }
        weights.push_back(std::exp(shape.cap * std::tanh(score / shape.cap)));
        total += weights.back();
      }
      for (std::int64_t i = 0; i < shape.head_dim; ++i) {
        double sum = 0;
        for (std::int64_t d = 0; d < seen; ++d) {
          sum += weights[static_cast<std::size_t>(d)] / total * value.row(row - d)[at + i];
        }
        ASSERT_NEAR(out.row(row)[at + i], sum, 2e-5) << "row " << row << ", head " << head;
      }
    }
  }
}

TEST_P(SoundTest, LocalAttentionSeesARowAndTheFewBeforeIt) {
  for (const int head_dim : {8, 20, 64}) {
    SCOPED_TRACE(head_dim);
    const LocalAttention shape = {
        .n_heads = 3, .head_dim = head_dim, .window = 12, .key_scale = 1.25F, .cap = 4.0F};
    const std::int64_t cols = 3 * std::int64_t{head_dim};
    const Tensor query = random_tensor(31, cols);
    const Tensor key = random_tensor(31, cols);
    const Tensor value = random_tensor(31, cols);
    std::vector<float> scale = random_values(head_dim);
    for (float& factor : scale) factor /= std::sqrt(static_cast<float>(head_dim));
    const std::vector<float> distances = random_values(12 * cols);
    expect_local_attention(backend_, shape, query, key, value, scale, distances, vector(scale),
                           vector(distances), tensor(31, cols));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, SoundTest, ::testing::ValuesIn(variants()), variant_name);

}  // namespace
}  // namespace pleiad
