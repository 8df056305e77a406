#include "model/gemma4/vision/pooling.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace pleiad::gemma4 {

void pool_patches(Backend& backend, Tensor patches, const PatchGrid& grid, int pooling,
                  std::int64_t first, std::int64_t n, std::span<float> out) {
  const auto cols = static_cast<std::size_t>(patches.cols);
  CHECK(out.size() == static_cast<std::size_t>(n) * cols);
  const std::int64_t soft_columns = grid.columns / pooling;
  const auto side = static_cast<std::size_t>(pooling);
  const float share = 1.0F / static_cast<float>(pooling * pooling);
  std::vector<float> run(side * cols);  // patches beside each other
  for (std::int64_t token = first; token < first + n; ++token) {
    const auto sum = out.subspan(static_cast<std::size_t>(token - first) * cols, cols);
    std::ranges::fill(sum, 0.0F);
    const std::int64_t left = token % soft_columns * pooling;
    const std::int64_t top = token / soft_columns * pooling;
    for (std::int64_t row = top; row < top + pooling; ++row) {
      backend.read(run, patches.from(row * grid.columns + left).top(pooling));
      for (std::size_t i = 0; i < run.size(); ++i) sum[i % cols] += run[i];
    }
    for (float& value : sum) value *= share;
  }
}

void scale_and_standardize(std::span<float> x, float factor, std::span<const float> bias,
                           std::span<const float> scale) {
  for (float& value : x) value *= factor;
  if (bias.empty()) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = (x[i] - bias[i % bias.size()]) * scale[i % scale.size()];
  }
}

}  // namespace pleiad::gemma4
