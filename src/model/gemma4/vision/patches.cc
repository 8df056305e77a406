#include "model/gemma4/vision/patches.h"

#include <array>

#include "base/check.h"
#include "base/error.h"
#include "tensor/decode.h"

namespace pleiad::gemma4 {
namespace {

using Levels = std::array<float, 256>;

/// v / 255 of every level, rounded where the reference rounds.
Levels unit_levels() {
  Levels units = {};
  for (std::size_t level = 0; level < units.size(); ++level) {
    units[level] = static_cast<float>(static_cast<double>(level) * (1.0 / 255.0));
  }
  return units;
}

/// 2 (v / 255 - 0.5), likewise.
Levels centred_levels() {
  Levels levels = unit_levels();
  for (float& level : levels) level = 2.0F * (level - 0.5F);
  return levels;
}

/// Rows first, first + step and so on.
std::vector<float> decoded_rows(const HostTensor& table, std::int64_t first, std::int64_t step,
                                std::int64_t n) {
  std::vector<float> rows(static_cast<std::size_t>(n * table.cols()));
  for (std::int64_t row = 0; row < n; ++row) {
    decode_row(table, first + row * step, rows.data() + row * table.cols());
  }
  return rows;
}

}  // namespace

PatchGrid patch_grid(const PictureInput& picture, const VisionConfig& config) {
  const int unit = config.patch_size * config.pooling;
  CHECK(picture.width > 0 && picture.height > 0 && picture.width % unit == 0 &&
            picture.height % unit == 0,
        "a picture of {}x{} for units of {}", picture.width, picture.height, unit);
  const PatchGrid grid = {picture.width / config.patch_size, picture.height / config.patch_size};
  for (const int side : {grid.columns, grid.rows}) {
    if (side <= config.position_table_size) continue;
    throw Error("a picture of {}x{} pixels is too long: at most {} patches of {} pixels on a side",
                picture.width, picture.height, config.position_table_size, config.patch_size);
  }
  const auto pixels =
      static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  if (picture.rgb.size() != 3 * pixels) {
    throw Error("a picture of {}x{} pixels: expected {} bytes of them, found {}", picture.width,
                picture.height, 3 * pixels, picture.rgb.size());
  }
  return grid;
}

void fill_patches(const PictureInput& picture, const VisionConfig& config, std::int64_t first,
                  std::int64_t n, std::span<float> out) {
  static const Levels kUnit = unit_levels();
  static const Levels kCentred = centred_levels();
  const Levels& levels = config.is_embedder() ? kUnit : kCentred;
  const PatchGrid grid = patch_grid(picture, config);
  const std::int64_t size = config.patch_size;
  CHECK(std::ssize(out) == n * config.patch_values());
  // Steps from one value to the next: of a channel, of a column, of a row.
  const bool by_pixel = config.patch_order == PatchOrder::pixels;
  const std::int64_t channel_step = by_pixel ? 1 : size * size;
  const std::int64_t column_step = by_pixel ? 3 : 1;
  const std::int64_t row_step = size * column_step;
  float* values = out.data();
  for (std::int64_t patch = first; patch < first + n; ++patch, values += config.patch_values()) {
    const std::int64_t left = grid.x(patch) * size;
    const std::int64_t top = grid.y(patch) * size;
    for (std::int64_t row = 0; row < size; ++row) {
      const std::uint8_t* rgb = picture.rgb.data() + ((top + row) * picture.width + left) * 3;
      for (std::int64_t column = 0; column < size; ++column) {
        float* pixel = values + row * row_step + column * column_step;
        for (int channel = 0; channel < 3; ++channel) {
          pixel[channel * channel_step] = levels[*rgb++];
        }
      }
    }
  }
}

GridPositions::GridPositions(const HostTensor& table, const VisionConfig& config,
                             const PatchGrid& grid)
    : grid_(grid), hidden_dim_(table.cols()) {
  const bool alternate = config.is_embedder() && config.patch_order == PatchOrder::pixels;
  const std::int64_t step = alternate ? 2 : 1;
  xs_ = decoded_rows(table, 0, step, grid.columns);
  ys_ = decoded_rows(table, alternate ? 1 : table.rows() / 2, step, grid.rows);
}

void GridPositions::fill(std::int64_t first, std::int64_t n, std::span<float> out) const {
  CHECK(std::ssize(out) == n * hidden_dim_);
  float* sum = out.data();
  for (std::int64_t patch = first; patch < first + n; ++patch) {
    const float* x = xs_.data() + grid_.x(patch) * hidden_dim_;
    const float* y = ys_.data() + grid_.y(patch) * hidden_dim_;
    for (std::int64_t i = 0; i < hidden_dim_; ++i) *sum++ = x[i] + y[i];
  }
}

}  // namespace pleiad::gemma4
