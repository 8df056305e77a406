#include "media/row_resizer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/round_up.h"

namespace pleiad::media {
namespace {

constexpr int kRowsAtOnce = 8;

std::size_t row_bytes(int width) { return static_cast<std::size_t>(width) * 4; }

/// How many rows have to be kept, if up to kRowsAtOnce come between two looks at what can be made.
int rows_to_keep(const AxisWeights& axis) {
  int end = 0;
  int most = 0;
  for (std::size_t out = 0; out < axis.starts.size(); ++out) {
    end = std::max(end, axis.starts[out] + axis.counts[out]);
    most = std::max(most, end - axis.starts[out]);
  }
  return std::min(axis.n_in, most + kRowsAtOnce);
}

}  // namespace

RowResizer::RowResizer(ChooseTarget choose_target, const Kernels& kernels)
    : choose_target_(std::move(choose_target)), kernels_(kernels) {}

void RowResizer::begin(PictureSize stored, Orientation orientation) {
  stored_ = stored;
  orientation_ = orientation;
  original_ = oriented(stored, orientation);
  const PictureSize upright = choose_target_(original_);
  const PictureSize target = oriented(upright, orientation);  // as stored, too
  rows_first_ = columns_first(original_, upright) == orientation.transpose;

  AxisWeights horizontal = bicubic_weights(stored.width, target.width);
  if (orientation.mirror_x) horizontal = mirrored(horizontal);
  columns_ = columns_of(std::move(horizontal));
  vertical_ = bicubic_weights(stored.height, target.height);
  if (orientation.mirror_y) vertical_ = mirrored(vertical_);
  scratch_width_ = rounded_up(stored.width, kWeightGroup) + kWeightGroup;
  scratch_.resize(static_cast<std::size_t>(scratch_width_) * 4 * kRowsAtOnce);

  out_size_ = row_bytes(target.width);
  kept_size_ = (rows_first_ ? out_size_ : row_bytes(stored.width)) + kRowSlack;
  n_kept_ = rows_to_keep(vertical_);
  kept_.resize(kept_size_ * static_cast<std::size_t>(n_kept_));
  if (!rows_first_) row_.resize(row_bytes(stored.width) + kRowSlack);
  out_.resize(out_size_ * static_cast<std::size_t>(target.height) + kRowSlack);
  sources_.resize(static_cast<std::size_t>(vertical_.n_weights));
}

RowResizer::Columns RowResizer::columns_of(AxisWeights axis) {
  Columns columns;
  // Pixels are multiplied in pairs, so that the first one is even and may count nothing.
  columns.n_weights = static_cast<int>(rounded_up(axis.n_weights + 1, kWeightGroup));
  const auto n_weights = static_cast<std::size_t>(columns.n_weights);
  const auto n_out = static_cast<std::size_t>(axis.n_out);
  columns.low.resize(n_out * n_weights * 4);
  columns.high.resize(n_out * n_weights * 4);
  for (std::size_t out = 0; out < n_out; ++out) {
    const auto skipped = static_cast<std::size_t>(axis.starts[out] % 2);
    const auto count = static_cast<std::size_t>(axis.counts[out]);
    columns.starts.push_back(axis.starts[out] - static_cast<std::int32_t>(skipped));
    columns.n_groups.push_back(static_cast<std::int32_t>(
        divided_up(static_cast<std::int64_t>(skipped + count), kWeightGroup)));
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t weight = axis.weights[out * static_cast<std::size_t>(axis.n_weights) + i];
      const std::size_t place = skipped + i;
      const std::size_t at = (out * n_weights + place / 2 * 2) * 4 + place % 2;
      for (std::size_t channel = 0; channel < 4; ++channel) {
        columns.low[at + channel * 2] = static_cast<std::int16_t>(weight & ((1 << kLowBits) - 1));
        columns.high[at + channel * 2] = static_cast<std::int16_t>(weight >> kLowBits);
      }
    }
  }
  columns.axis = std::move(axis);
  return columns;
}

std::uint8_t* RowResizer::slot(std::int64_t row) {
  return kept_.data() + kept_size_ * static_cast<std::size_t>(row % n_kept_);
}

std::uint8_t* RowResizer::out_row(int row) {
  return out_.data() + out_size_ * static_cast<std::size_t>(row);
}

void RowResizer::rows(const std::uint8_t* rgbx, int n_rows) {
  for (int row = 0; row < n_rows; row += kRowsAtOnce) {
    take_rows(rgbx + static_cast<std::size_t>(row) * row_bytes(stored_.width),
              std::min(kRowsAtOnce, n_rows - row));
    while (n_made_ < vertical_.n_out) {
      const auto next = static_cast<std::size_t>(n_made_);
      if (vertical_.starts[next] + vertical_.counts[next] > n_seen_) break;
      make_row();
    }
  }
}

void RowResizer::resample_columns(const std::uint8_t* const* rows, std::uint8_t* const* out,
                                  int n_rows) {
  HorizontalJob job;
  job.rows = rows;
  job.out = out;
  job.n_rows = n_rows;
  job.out_width = columns_.axis.n_out;
  job.in_width = columns_.axis.n_in;
  job.n_weights = columns_.n_weights;
  job.starts = columns_.starts.data();
  job.n_groups = columns_.n_groups.data();
  job.low = columns_.low.data();
  job.high = columns_.high.data();
  job.scratch = scratch_.data();
  job.scratch_width = scratch_width_;
  kernels_.horizontal(job);
}

void RowResizer::take_rows(const std::uint8_t* rgbx, int n_rows) {
  CHECK(n_seen_ + n_rows <= stored_.height, "{} rows", n_seen_ + n_rows);
  std::array<const std::uint8_t*, kRowsAtOnce> from = {};
  std::array<std::uint8_t*, kRowsAtOnce> to = {};
  for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
    from[row] = rgbx + row * row_bytes(stored_.width);
    to[row] = slot(n_seen_ + static_cast<int>(row));
    if (!rows_first_) std::memcpy(to[row], from[row], row_bytes(stored_.width));
  }
  if (rows_first_) resample_columns(from.data(), to.data(), n_rows);
  n_seen_ += n_rows;
}

void RowResizer::make_row() {
  const auto made = static_cast<std::size_t>(n_made_);
  VerticalJob job;
  job.n_rows = vertical_.counts[made];
  for (int row = 0; row < job.n_rows; ++row) {
    sources_[static_cast<std::size_t>(row)] = slot(vertical_.starts[made] + row);
  }
  job.rows = sources_.data();
  job.weights = vertical_.weights.data() + made * static_cast<std::size_t>(vertical_.n_weights);
  job.n_bytes = static_cast<int>(rows_first_ ? out_size_ : row_bytes(stored_.width));
  job.out = rows_first_ ? out_row(n_made_) : row_.data();
  kernels_.vertical(job);
  if (!rows_first_) {
    const std::uint8_t* const from = row_.data();
    std::uint8_t* const to = out_row(n_made_);
    resample_columns(&from, &to, 1);
  }
  ++n_made_;
}

Pixels RowResizer::take() {
  CHECK(n_made_ == vertical_.n_out, "{} of {} rows", n_made_, vertical_.n_out);
  Pixels pixels = {{columns_.axis.n_out, vertical_.n_out}, {}};
  const std::size_t n_pixels =
      static_cast<std::size_t>(pixels.size.width) * static_cast<std::size_t>(pixels.size.height);
  pixels.rgb.resize(n_pixels * 3);
  const std::uint8_t* from = out_.data();
  std::uint8_t* to = pixels.rgb.data();
  for (std::size_t pixel = 0; pixel < n_pixels; ++pixel, from += 4, to += 3)
    std::memcpy(to, from, 3);
  return orient(std::move(pixels), orientation_);
}

}  // namespace pleiad::media
