#pragma once

#include <cstdint>
#include <vector>

#include "media/decoders/decoder.h"

namespace pleiad::media {

/// Hands rows to a sink, several at a time: few enough to stay in a core's cache.
class RowWriter {
 public:
  /// Begins the picture.
  RowWriter(RowSink& sink, PictureSize stored, Orientation orientation);

  /// Where the next row goes, [width, 4]; what was there before is handed over when the batch is
  /// full.
  std::uint8_t* next_row();
  /// Where the next n rows go, one behind the other, n <= batch().
  std::uint8_t* next_rows(int n);
  int batch() const { return batch_; }
  std::size_t row_size() const { return row_size_; }

  /// After the last row.
  void finish();

 private:
  void flush();

  RowSink& sink_;
  std::size_t row_size_;
  int batch_;
  int filled_ = 0;
  std::vector<std::uint8_t> buffer_;  // [batch, width, 4] and slack
};

}  // namespace pleiad::media
