#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/gemma4/audio/config.h"

// How an audio tower takes four frames of 10 ms together: two convolutions of 3x3 with a stride of
// 2 and zeros around, each with a LayerNorm over its channels and a ReLU. A map is
// [frames, bands, channels].

namespace pleiad::gemma4 {

/// The first convolution, of features [frames, kMelBands], with its norm and ReLU.
class FirstConvolution {
 public:
  FirstConvolution() = default;
  /// weight: [channels, 1, 3, 3], time before bands; norm: [channels].
  FirstConvolution(std::span<const float> weight, std::vector<float> norm, float eps);

  std::int64_t channels() const { return static_cast<std::int64_t>(norm_.size()); }

  /// Row `t` of the result, [kMelBands / 2, channels].
  void fill_row(std::span<const float> features, std::int64_t t, std::span<float> out) const;

 private:
  std::vector<float> weight_;  // [9, channels]
  std::vector<float> norm_;
  float eps_ = 0.0F;
};

/// What the second convolution multiplies for one frame: for each of its bands the 3x3 square of
/// all channels, [bands, 9 * channels]. `rows` are the three rows of the first one's map around it,
/// [3, 2 * bands, channels]; those outside the map are zeros.
void gather_squares(std::span<const float> rows, std::int64_t channels, std::span<float> out);

/// A convolution's weight [out, in, 3, 3] as squares are gathered: [out, 9 * in].
std::vector<float> ordered_as_squares(std::span<const float> weight, std::int64_t n_in);

/// LayerNorm without a bias, then ReLU, of each [weight.size()] of x.
void layer_norm_relu(std::span<float> x, std::span<const float> weight, float eps);

}  // namespace pleiad::gemma4
