#include "media/resample.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/round_up.h"

namespace pleiad::media {
namespace {

constexpr int kFractionBits = 22;
constexpr double kSupport = 2.0;  // of the filter, in pixels

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::fabs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
  return 0.0;
}

std::int32_t fixed_point(double weight) {
  constexpr double kOne = 1 << kFractionBits;
  return static_cast<std::int32_t>((weight < 0 ? -0.5 : 0.5) + weight * kOne);
}

}  // namespace

AxisWeights bicubic_weights(int n_in, int n_out) {
  CHECK(n_in > 0 && n_out > 0, "{} to {}", n_in, n_out);
  const double scale = static_cast<double>(n_in) / n_out;
  const double filter_scale = std::max(scale, 1.0);
  const double support = kSupport * filter_scale;
  const double inverse = 1.0 / filter_scale;
  const int most = static_cast<int>(std::ceil(support)) * 2 + 1;

  AxisWeights axis;
  axis.n_in = n_in;
  axis.n_out = n_out;
  std::vector<double> values(static_cast<std::size_t>(most));
  std::vector<std::int32_t> all;  // [n_out, most]
  all.reserve(static_cast<std::size_t>(most) * static_cast<std::size_t>(n_out));
  int widest = 0;
  for (int out = 0; out < n_out; ++out) {
    const double center = (out + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(center - support + 0.5));
    const int end = std::min(n_in, static_cast<int>(center + support + 0.5));
    const int n = end - first;
    CHECK(n > 0 && n <= most, "{} weights", n);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      values[static_cast<std::size_t>(i)] = bicubic((i + first - center + 0.5) * inverse);
      sum += values[static_cast<std::size_t>(i)];
    }
    const std::size_t at = all.size();
    for (int i = 0; i < n; ++i) {
      double weight = values[static_cast<std::size_t>(i)];
      if (sum != 0.0) weight /= sum;
      all.push_back(fixed_point(weight));
    }
    all.resize(at + static_cast<std::size_t>(most));
    axis.starts.push_back(first);
    axis.counts.push_back(n);
    widest = std::max(widest, n);
  }
  axis.n_weights = static_cast<int>(rounded_up(widest, 4));
  axis.weights.resize(static_cast<std::size_t>(axis.n_weights) * static_cast<std::size_t>(n_out));
  for (std::size_t out = 0; out < static_cast<std::size_t>(n_out); ++out) {
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(out * static_cast<std::size_t>(most)),
                axis.counts[out],
                axis.weights.begin() +
                    static_cast<std::ptrdiff_t>(out * static_cast<std::size_t>(axis.n_weights)));
  }
  return axis;
}

AxisWeights mirrored(const AxisWeights& axis) {
  AxisWeights out = axis;
  const auto n_out = static_cast<std::size_t>(axis.n_out);
  const auto n_weights = static_cast<std::size_t>(axis.n_weights);
  for (std::size_t to = 0; to < n_out; ++to) {
    const std::size_t from = n_out - 1 - to;
    const std::int32_t count = axis.counts[from];
    out.starts[to] = axis.n_in - axis.starts[from] - count;
    out.counts[to] = count;
    std::fill_n(out.weights.begin() + static_cast<std::ptrdiff_t>(to * n_weights), n_weights, 0);
    std::reverse_copy(axis.weights.begin() + static_cast<std::ptrdiff_t>(from * n_weights),
                      axis.weights.begin() + static_cast<std::ptrdiff_t>(from * n_weights) + count,
                      out.weights.begin() + static_cast<std::ptrdiff_t>(to * n_weights));
  }
  return out;
}

bool columns_first(PictureSize from, PictureSize to) {
  const int shorter = from.height - to.height;
  return shorter > 0 && shorter > (from.width - to.width) * 2;
}

}  // namespace pleiad::media
