#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/gemma4/vision/config.h"
#include "model/picture_input.h"
#include "tensor/host_tensor.h"

namespace pleiad::gemma4 {

/// A picture cut into squares, row after row: patch i stands at (x(i), y(i)).
struct PatchGrid {
  int columns = 0;
  int rows = 0;

  std::int64_t count() const { return std::int64_t{columns} * rows; }
  std::int32_t x(std::int64_t patch) const { return static_cast<std::int32_t>(patch % columns); }
  std::int32_t y(std::int64_t patch) const { return static_cast<std::int32_t>(patch / columns); }
};

/// Throws Error where the picture is too long, or its pixels are not there.
PatchGrid patch_grid(const PictureInput& picture, const VisionConfig& config);

/// The values of patches [first, first + n) as the patch embedding takes them, from -1 to 1 (an
/// embedder's norm: from 0 to 1): `out` is [n, patch_values].
void fill_patches(const PictureInput& picture, const VisionConfig& config, std::int64_t first,
                  std::int64_t n, std::span<float> out);

/// The learned embeddings of a grid's columns and rows.
class GridPositions {
 public:
  /// `table` [2, positions, hidden_dim]: x, then y; or of an embedder in the order of pixels
  /// [positions, 2, hidden_dim]. Its rows are decoded here.
  GridPositions(const HostTensor& table, const VisionConfig& config, const PatchGrid& grid);

  /// Those of patches [first, first + n): `out` is [n, hidden_dim].
  void fill(std::int64_t first, std::int64_t n, std::span<float> out) const;

 private:
  PatchGrid grid_;
  std::int64_t hidden_dim_;
  std::vector<float> xs_;  // [columns, hidden_dim]
  std::vector<float> ys_;  // [rows, hidden_dim]
};

}  // namespace pleiad::gemma4
