#include "model/gemma4/audio/log_mel.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/check.h"

namespace pleiad::gemma4 {
namespace {

constexpr double kFloor = 1e-3;
constexpr double kHighest = 8'000.0;  // Hz

double mel(double hertz) { return 2595.0 * std::log10(1.0 + hertz / 700.0); }
double hertz(double mels) { return 700.0 * (std::pow(10.0, mels / 2595.0) - 1.0); }

}  // namespace

LogMel::LogMel() {
  for (int i = 0; i < kFrame; ++i) {
    window_[static_cast<std::size_t>(i)] =
        static_cast<float>(0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * i / kFrame));
  }
  for (int i = 0; i < kFft / 2; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kFft;
    cos_[static_cast<std::size_t>(i)] = std::cos(angle);
    sin_[static_cast<std::size_t>(i)] = std::sin(angle);
  }
  for (int i = 0; i < kFft; ++i) {
    int bits = 0;
    for (int bit = 1, other = kFft / 2; bit < kFft; bit *= 2, other /= 2) {
      if ((i & bit) != 0) bits |= other;
    }
    reversed_[static_cast<std::size_t>(i)] = bits;
  }
  const double highest = mel(kHighest);
  const auto edge = [&](int i) { return hertz(highest * i / (kMelBands + 1)); };
  for (int band = 0; band < kMelBands; ++band) {
    const double low = edge(band);
    const double centre = edge(band + 1);
    const double high = edge(band + 2);
    Band& triangle = bands_.emplace_back();
    for (int bin = 0; bin < kBins; ++bin) {
      const double at = kHighest * bin / (kBins - 1);
      const double weight = std::min((at - low) / (centre - low), (high - at) / (high - centre));
      if (weight <= 0.0) continue;
      if (triangle.weights.empty()) triangle.first = bin;
      triangle.weights.push_back(weight);
    }
  }
}

void LogMel::fill(std::span<const float> samples, std::int64_t first,
                  std::span<float> features) const {
  const auto n = static_cast<std::int64_t>(features.size()) / kMelBands;
  CHECK(first >= 0 && first + n <= sound_frames(static_cast<std::int64_t>(samples.size())));
  std::array<double, kFrame> frame = {};
  std::array<double, kBins> spectrum = {};
  float* out = features.data();
  for (std::int64_t t = first; t < first + n; ++t) {
    const std::int64_t begin = t * kFrameHop - kFrame / 2;
    for (std::int64_t i = 0; i < kFrame; ++i) {
      const std::int64_t at = begin + i;
      const float sample = at < 0 ? 0.0F : samples[static_cast<std::size_t>(at)];
      frame[static_cast<std::size_t>(i)] = sample * window_[static_cast<std::size_t>(i)];
    }
    magnitudes(frame, spectrum);
    for (const Band& band : bands_) {
      double sum = 0.0;
      for (std::size_t i = 0; i < band.weights.size(); ++i) {
        sum += band.weights[i] * spectrum[static_cast<std::size_t>(band.first) + i];
      }
      *out++ = static_cast<float>(std::log(sum + kFloor));
    }
  }
}

// Radix 2, in place, decimation in time.
void LogMel::magnitudes(std::span<const double, kFrame> frame, std::span<double, kBins> out) const {
  std::array<std::complex<double>, kFft> values = {};
  for (int i = 0; i < kFrame; ++i) {
    values[static_cast<std::size_t>(reversed_[static_cast<std::size_t>(i)])] =
        frame[static_cast<std::size_t>(i)];
  }
  for (std::size_t half = 1; half < kFft; half *= 2) {
    const std::size_t step = kFft / 2 / half;
    for (std::size_t begin = 0; begin < kFft; begin += 2 * half) {
      for (std::size_t i = 0; i < half; ++i) {
        const double c = cos_[i * step];
        const double s = sin_[i * step];
        const std::complex<double> b = values[begin + half + i];
        const std::complex<double> turned(b.real() * c + b.imag() * s, b.imag() * c - b.real() * s);
        values[begin + half + i] = values[begin + i] - turned;
        values[begin + i] += turned;
      }
    }
  }
  for (std::size_t i = 0; i < kBins; ++i) {
    out[i] = std::hypot(values[i].real(), values[i].imag());
  }
}

}  // namespace pleiad::gemma4
