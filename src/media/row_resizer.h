#pragma once

#include <functional>
#include <vector>

#include "base/aligned_buffer.h"
#include "media/decoders/decoder.h"
#include "media/kernels/kernels.h"
#include "media/resample.h"

namespace pleiad::media {

/// Resizes a picture while its rows come, and turns what comes out upright. It holds the rows that
/// the next row of the result needs, and the result.
///
/// Pillow turns first and resizes then, along the width of the upright picture first. Here the rows
/// come as they are stored, so that weights are mirrored instead of pixels, and of a picture whose
/// axes are exchanged columns are resampled first: the same sums, and the same bits.
class RowResizer final : public RowSink {
 public:
  /// Told the size of the upright picture: what it is to become.
  using ChooseTarget = std::function<PictureSize(PictureSize)>;

  explicit RowResizer(ChooseTarget choose_target, const Kernels& kernels);

  void begin(PictureSize stored, Orientation orientation) override;
  void rows(const std::uint8_t* rgbx, int n_rows) override;

  /// Of the upright picture, as it came.
  PictureSize original() const { return original_; }
  /// The upright result, once all rows were there.
  Pixels take();

 private:
  /// An axis with the weights as the kernel for rows wants them (HorizontalJob).
  struct Columns {
    int n_in = 0;
    int n_out = 0;
    int n_groups = 0;
    std::vector<std::int32_t> starts;
    std::vector<std::int32_t> weights;
  };
  static Columns columns_of(const AxisWeights& axis, const Digits& digits);

  void set_vertical_weights();
  void resample_columns(const std::uint8_t* const* rows, std::uint8_t* const* out, int n_rows);
  void take_rows(const std::uint8_t* rgbx, int n_rows);
  void make_row();
  void finish_added_up();
  std::uint8_t* slot(std::int64_t row);
  std::uint8_t* out_row(int row);

  ChooseTarget choose_target_;
  Kernels kernels_;
  PictureSize stored_;
  PictureSize original_;
  Orientation orientation_;
  Columns columns_;                             // along a stored row
  AxisWeights vertical_;                        // across the stored rows
  std::vector<std::int32_t> vertical_weights_;  // [height, groups, digits] (see VerticalJob)
  std::size_t vertical_stride_ = 0;             // of them, for a row
  bool rows_first_ = true;  // rows are resampled along their width before they are added up
  std::size_t kept_size_ = 0;
  std::size_t out_size_ = 0;
  int n_kept_ = 0;
  int n_seen_ = 0;
  int n_made_ = 0;
  std::vector<std::uint8_t> kept_;  // [n_kept]: rows, each with slack; row y lies at y % n_kept
  // Not rows_first_: [kRowsAtOnce] rows of the stored width that were made and wait for each other.
  std::vector<std::uint8_t> added_up_;
  int n_added_up_ = 0;
  AlignedBuffer<std::uint8_t> scratch_;  // of resample_columns()
  std::vector<std::uint8_t> out_;        // [height, width, 4] as stored, and slack
  std::vector<const std::uint8_t*> sources_;
};

}  // namespace pleiad::media
