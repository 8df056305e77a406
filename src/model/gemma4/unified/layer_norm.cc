#include "model/gemma4/unified/layer_norm.h"

#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace pleiad::gemma4 {
namespace {

constexpr double kLayerNormEps = 1e-5;

/// Sums of every eighth value side by side, which is vector code and the same everywhere.
constexpr std::size_t kLanes = 8;

template <typename Term>
double sum_of(std::span<const float> row, Term term) {
  double lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= row.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(row[i + lane]);
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  for (; i < row.size(); ++i) sum += term(row[i]);
  return sum;
}

}  // namespace

void LayerNorm::apply(std::span<float> rows) const {
  const std::size_t dim = weight.size();
  CHECK(dim > 0 && bias.size() == dim && rows.size() % dim == 0);
  for (std::size_t first = 0; first < rows.size(); first += dim) {
    const std::span<float> row = rows.subspan(first, dim);
    const double mean = sum_of(row, [](float value) { return static_cast<double>(value); }) /
                        static_cast<double>(dim);
    const double variance = sum_of(row,
                                   [mean](float value) {
                                     const double distance = value - mean;
                                     return distance * distance;
                                   }) /
                            static_cast<double>(dim);
    const double scale = 1.0 / std::sqrt(variance + kLayerNormEps);
    for (std::size_t i = 0; i < dim; ++i) {
      row[i] = static_cast<float>((row[i] - mean) * scale) * weight[i] + bias[i];
    }
  }
}

}  // namespace pleiad::gemma4
