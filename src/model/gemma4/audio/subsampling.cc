#include "model/gemma4/audio/subsampling.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace pleiad::gemma4 {
namespace {

constexpr std::int64_t kSide = 3;

}  // namespace

FirstConvolution::FirstConvolution(std::span<const float> weight, std::vector<float> norm,
                                   float eps)
    : weight_(weight.size()), norm_(std::move(norm)), eps_(eps) {
  const std::size_t n = norm_.size();
  CHECK(weight.size() == n * kSide * kSide);
  for (std::size_t channel = 0; channel < n; ++channel) {
    for (std::size_t k = 0; k < kSide * kSide; ++k) {
      weight_[k * n + channel] = weight[channel * kSide * kSide + k];
    }
  }
}

void FirstConvolution::fill_row(std::span<const float> features, std::int64_t t,
                                std::span<float> out) const {
  const auto n_frames = static_cast<std::int64_t>(features.size()) / kMelBands;
  const std::size_t n = norm_.size();
  CHECK(out.size() == n * (kMelBands / 2));
  std::ranges::fill(out, 0.0F);
  for (std::int64_t band = 0; band < kMelBands / 2; ++band) {
    float* sums = out.data() + static_cast<std::size_t>(band) * n;
    for (std::int64_t k = 0; k < kSide * kSide; ++k) {
      const std::int64_t frame = 2 * t - 1 + k / kSide;
      const std::int64_t from = 2 * band - 1 + k % kSide;
      if (frame < 0 || frame >= n_frames || from < 0 || from >= kMelBands) continue;
      const float value = features[static_cast<std::size_t>(frame * kMelBands + from)];
      const float* weights = weight_.data() + static_cast<std::size_t>(k) * n;
      for (std::size_t channel = 0; channel < n; ++channel) {
        sums[channel] += value * weights[channel];
      }
    }
  }
  layer_norm_relu(out, norm_, eps_);
}

void gather_squares(std::span<const float> rows, std::int64_t channels, std::span<float> out) {
  const std::int64_t before = static_cast<std::int64_t>(rows.size()) / kSide / channels;
  const std::int64_t bands = before / 2;
  CHECK(static_cast<std::int64_t>(out.size()) == bands * channels * kSide * kSide);
  float* next = out.data();
  for (std::int64_t band = 0; band < bands; ++band) {
    for (std::int64_t k = 0; k < kSide * kSide; ++k, next += channels) {
      const std::int64_t from = 2 * band - 1 + k % kSide;
      if (from < 0 || from >= before) {
        std::fill_n(next, channels, 0.0F);
      } else {
        std::copy_n(rows.data() + ((k / kSide) * before + from) * channels, channels, next);
      }
    }
  }
}

std::vector<float> ordered_as_squares(std::span<const float> weight, std::int64_t n_in) {
  const auto channels = static_cast<std::size_t>(n_in);
  constexpr std::size_t kSquare = kSide * kSide;
  CHECK(weight.size() % (kSquare * channels) == 0);
  std::vector<float> ordered(weight.size());
  for (std::size_t first = 0; first < weight.size(); first += kSquare * channels) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      for (std::size_t k = 0; k < kSquare; ++k) {
        ordered[first + k * channels + channel] = weight[first + channel * kSquare + k];
      }
    }
  }
  return ordered;
}

void layer_norm_relu(std::span<float> x, std::span<const float> weight, float eps) {
  const std::size_t n = weight.size();
  for (std::size_t first = 0; first < x.size(); first += n) {
    const std::span<float> row = x.subspan(first, n);
    double sum = 0.0;
    for (const float value : row) sum += value;
    const auto mean = static_cast<float>(sum / static_cast<double>(n));
    double squares = 0.0;
    for (const float value : row) squares += static_cast<double>(value - mean) * (value - mean);
    const auto factor = static_cast<float>(
        1.0 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(eps)));
    for (std::size_t i = 0; i < n; ++i) {
      row[i] = std::max((row[i] - mean) * factor * weight[i], 0.0F);
    }
  }
}

}  // namespace pleiad::gemma4
