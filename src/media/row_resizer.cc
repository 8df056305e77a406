#include "media/row_resizer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/round_up.h"

namespace pleiad::media {
namespace {

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

/// A weight's digits, as the tap-th of a group.
void put_weight(std::int32_t weight, const Digits& digits, int tap, std::int32_t* group) {
  const int width = 32 / digits.taps;
  const std::int32_t unit = 1 << digits.bits;
  for (int i = 0; i < digits.n; ++i) {
    std::int32_t digit = weight;
    if (i + 1 < digits.n) {
      digit = weight & (unit - 1);
      if (digits.has_signs && digit >= unit / 2) digit -= unit;
    }
    weight = (weight - digit) / unit;
    CHECK(digit >= -(1 << (width - 1)) && digit < 1 << (width - 1), "a digit of {}", digit);
    const std::uint32_t bits = static_cast<std::uint32_t>(digit) & ((1U << width) - 1);
    group[i] =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(group[i]) | bits << tap * width);
  }
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
  columns_ = columns_of(horizontal, kernels_.digits);
  vertical_ = bicubic_weights(stored.height, target.height);
  if (orientation.mirror_y) vertical_ = mirrored(vertical_);
  set_vertical_weights();
  const auto groups = divided_up(stored.width, kernels_.digits.taps) + columns_.n_groups;
  scratch_ = AlignedBuffer<std::uint8_t>(
      static_cast<std::size_t>(groups * kernels_.digits.taps * 8 * kRowsAtOnce));

  out_size_ = row_bytes(target.width);
  kept_size_ = (rows_first_ ? out_size_ : row_bytes(stored.width)) + kRowSlack;
  n_kept_ = rows_to_keep(vertical_);
  kept_.resize(kept_size_ * static_cast<std::size_t>(n_kept_));
  if (!rows_first_) added_up_.resize(kept_size_ * kRowsAtOnce);
  out_.resize(out_size_ * static_cast<std::size_t>(target.height) + kRowSlack);
  sources_.resize(static_cast<std::size_t>(vertical_.n_weights));
}

RowResizer::Columns RowResizer::columns_of(const AxisWeights& axis, const Digits& digits) {
  Columns columns;
  columns.n_in = axis.n_in;
  columns.n_out = axis.n_out;
  const auto n_out = static_cast<std::size_t>(axis.n_out);
  for (std::size_t out = 0; out < n_out; ++out) {
    const int first = axis.starts[out] / digits.taps;
    const auto end = divided_up(axis.starts[out] + axis.counts[out], digits.taps);
    columns.starts.push_back(first);
    columns.n_groups = std::max(columns.n_groups, static_cast<int>(end) - first);
  }
  columns.weights.resize(n_out * static_cast<std::size_t>(columns.n_groups * digits.n));
  for (std::size_t out = 0; out < n_out; ++out) {
    std::int32_t* const to =
        columns.weights.data() + out * static_cast<std::size_t>(columns.n_groups * digits.n);
    for (int i = 0; i < axis.counts[out]; ++i) {
      const int place = axis.starts[out] % digits.taps + i;
      put_weight(axis.weights[out * static_cast<std::size_t>(axis.n_weights) +
                              static_cast<std::size_t>(i)],
                 digits, place % digits.taps, to + place / digits.taps * digits.n);
    }
  }
  return columns;
}

void RowResizer::set_vertical_weights() {
  const Digits& digits = kernels_.digits;
  vertical_stride_ =
      static_cast<std::size_t>(divided_up(vertical_.n_weights, digits.taps) * digits.n);
  vertical_weights_.resize(vertical_stride_ * static_cast<std::size_t>(vertical_.n_out));
  for (std::size_t out = 0; out < static_cast<std::size_t>(vertical_.n_out); ++out) {
    for (int i = 0; i < vertical_.counts[out]; ++i) {
      put_weight(vertical_.weights[out * static_cast<std::size_t>(vertical_.n_weights) +
                                   static_cast<std::size_t>(i)],
                 digits, i % digits.taps,
                 vertical_weights_.data() + out * vertical_stride_ + i / digits.taps * digits.n);
    }
  }
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
  job.in_width = columns_.n_in;
  job.out_width = columns_.n_out;
  job.n_groups = columns_.n_groups;
  job.starts = columns_.starts.data();
  job.weights = columns_.weights.data();
  job.scratch = scratch_.data();
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
  job.weights = vertical_weights_.data() + made * vertical_stride_;
  job.n_bytes = static_cast<int>(rows_first_ ? out_size_ : row_bytes(stored_.width));
  job.out = rows_first_ ? out_row(n_made_)
                        : added_up_.data() + kept_size_ * static_cast<std::size_t>(n_added_up_);
  kernels_.vertical(job);
  ++n_made_;
  if (rows_first_) return;
  ++n_added_up_;
  if (n_added_up_ == kRowsAtOnce || n_made_ == vertical_.n_out) finish_added_up();
}

void RowResizer::finish_added_up() {
  std::array<const std::uint8_t*, kRowsAtOnce> from = {};
  std::array<std::uint8_t*, kRowsAtOnce> to = {};
  for (int row = 0; row < n_added_up_; ++row) {
    const auto at = static_cast<std::size_t>(row);
    from[at] = added_up_.data() + kept_size_ * at;
    to[at] = out_row(n_made_ - n_added_up_ + row);
  }
  resample_columns(from.data(), to.data(), n_added_up_);
  n_added_up_ = 0;
}

Pixels RowResizer::take() {
  CHECK(n_made_ == vertical_.n_out, "{} of {} rows", n_made_, vertical_.n_out);
  Pixels pixels = {{columns_.n_out, vertical_.n_out}, {}};
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
