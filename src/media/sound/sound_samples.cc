#include "media/sound/sound_samples.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace pleiad::media {

void SoundSamples::append(std::span<const float> samples) {
  while (!samples.empty()) {
    const std::span<float> room = extend(samples.size());
    std::ranges::copy(samples.first(room.size()), room.begin());
    samples = samples.subspan(room.size());
  }
}

std::span<float> SoundSamples::extend(std::size_t most) {
  CHECK(most > 0);
  if (size_ == kPiece * pieces_.size()) {
    pieces_.emplace_back();
    // Of a sound that is longer than one, the next will be full as well, mostly.
    if (size_ > 0) pieces_.back().reserve(kPiece);
  }
  std::vector<float>& piece = pieces_.back();
  const std::size_t begin = piece.size();
  piece.resize(std::min(kPiece, begin + most));
  size_ += piece.size() - begin;
  return std::span(piece).subspan(begin);
}

void SoundSamples::resize(std::size_t n) {
  while (n > size_) extend(n - size_);
  if (n == size_) return;
  pieces_.resize((n + kPiece - 1) / kPiece);
  if (!pieces_.empty()) pieces_.back().resize(n - (pieces_.size() - 1) * kPiece);
  size_ = n;
}

std::vector<float> SoundSamples::whole() const {
  std::vector<float> all;
  all.reserve(size_);
  for (const std::vector<float>& piece : pieces_) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

std::vector<float> SoundSamples::take(std::size_t begin, std::size_t end) {
  CHECK(begin < end && end <= size_, "samples {} to {} of {}", begin, end, size_);
  const std::size_t first = begin / kPiece;
  if (begin == first * kPiece && end == begin + pieces_[first].size()) {
    return std::exchange(pieces_[first], {});
  }
  std::vector<float> taken;
  taken.reserve(end - begin);
  for (std::size_t at = begin; at < end;) {
    std::vector<float>& piece = pieces_[at / kPiece];
    const std::size_t from = at % kPiece;
    const std::size_t n = std::min(end - at, kPiece - from);
    CHECK(from + n <= piece.size(), "samples that were taken before");
    const auto start = piece.begin() + static_cast<std::ptrdiff_t>(from);
    taken.insert(taken.end(), start, start + static_cast<std::ptrdiff_t>(n));
    at += n;
    if (at % kPiece == 0) piece = {};
  }
  return taken;
}

}  // namespace pleiad::media
