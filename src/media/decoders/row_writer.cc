#include "media/decoders/row_writer.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad::media {

RowWriter::RowWriter(RowSink& sink, PictureSize stored, Orientation orientation)
    : sink_(sink), row_size_(static_cast<std::size_t>(stored.width) * 4) {
  constexpr std::size_t kBatchBytes = 128 * 1024;
  batch_ = static_cast<int>(std::clamp<std::size_t>(kBatchBytes / row_size_, 4, 64));
  batch_ = std::min(batch_, std::max(stored.height, 4));
  sink_.begin(stored, orientation);
  buffer_.resize(row_size_ * static_cast<std::size_t>(batch_) + kRowSlack);
}

std::uint8_t* RowWriter::next_row() { return next_rows(1); }

std::uint8_t* RowWriter::next_rows(int n) {
  CHECK(n <= batch_, "{} rows", n);
  if (filled_ + n > batch_) flush();
  std::uint8_t* const row = buffer_.data() + static_cast<std::size_t>(filled_) * row_size_;
  filled_ += n;
  return row;
}

void RowWriter::finish() { flush(); }

void RowWriter::flush() {
  if (filled_ > 0) sink_.rows(buffer_.data(), filled_);
  filled_ = 0;
}

}  // namespace pleiad::media
