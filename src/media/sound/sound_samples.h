#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pleiad::media {

/// Samples of a sound, in pieces, so that no memory holds all of them twice while they grow or
/// while they are cut into clips.
class SoundSamples {
 public:
  /// Of a piece: a clip, as towers hear it.
  static constexpr std::size_t kPiece = 480'000;

  SoundSamples() = default;
  explicit SoundSamples(std::span<const float> samples) { append(samples); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void append(std::span<const float> samples);
  /// Room behind the last one, for `most` more or fewer (at least one), which count as zeros until
  /// they are written.
  std::span<float> extend(std::size_t most);

  /// Cuts the end off, or adds zeros.
  void resize(std::size_t n);

  /// All but the last have kPiece samples.
  std::span<const std::vector<float>> pieces() const { return pieces_; }
  std::vector<float> whole() const;

  /// Those from `begin` to `end`; all before `end` are let go of, whole pieces at once. Ranges
  /// ascend, and whoever takes asks for nothing else any more.
  std::vector<float> take(std::size_t begin, std::size_t end);

  bool operator==(const SoundSamples&) const = default;

 private:
  std::size_t size_ = 0;
  std::vector<std::vector<float>> pieces_;
};

}  // namespace pleiad::media
