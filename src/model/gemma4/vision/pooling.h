#pragma once

#include <cstdint>
#include <span>

#include "backend/backend.h"
#include "model/gemma4/vision/patches.h"

namespace pleiad::gemma4 {

/// The means of squares of `pooling` by `pooling` patches, for soft tokens [first, first + n) in
/// rows of grid.columns / pooling: `patches` is [grid.count(), cols], `out` [n, cols].
void pool_patches(Backend& backend, Tensor patches, const PatchGrid& grid, int pooling,
                  std::int64_t first, std::int64_t n, std::span<float> out);

/// x = (x * factor - bias) * scale for every row of `x`; without bias and scale x * factor.
void scale_and_standardize(std::span<float> x, float factor, std::span<const float> bias,
                           std::span<const float> scale);

}  // namespace pleiad::gemma4
