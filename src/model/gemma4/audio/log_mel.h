#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/gemma4/audio/config.h"

namespace pleiad::gemma4 {

/// Log-mel features as the reference's Gemma4AudioFeatureExtractor makes them: a frame every 10 ms
/// of the 20 ms around it, 160 zeros before the first sample; a periodic Hann window, magnitudes
/// of an FFT of 512, 128 triangles on the HTK mel scale from 0 to 8,000 Hz that are not normed,
/// ln(x + 0.001). Computed in double precision, where the reference is.
class LogMel {
 public:
  LogMel();

  /// Frames [first, first + n) of the clip: [n, kMelBands]; n is features.size() / kMelBands.
  void fill(std::span<const float> samples, std::int64_t first, std::span<float> features) const;

 private:
  static constexpr int kFrame = 320;
  static constexpr int kFft = 512;
  static constexpr int kBins = kFft / 2 + 1;

  /// A triangle's bins that are not zero.
  struct Band {
    int first = 0;
    std::vector<double> weights;
  };

  void magnitudes(std::span<const double, kFrame> frame, std::span<double, kBins> out) const;

  std::array<float, kFrame> window_;
  std::array<double, kFft / 2> cos_;  // of 2 pi i / kFft
  std::array<double, kFft / 2> sin_;
  std::array<int, kFft> reversed_;  // bits of an index
  std::vector<Band> bands_;
};

}  // namespace pleiad::gemma4
