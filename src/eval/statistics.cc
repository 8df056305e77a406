#include "eval/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace pleiad::eval {
namespace {

constexpr double kNormal95 = 1.959963984540054;  // the 97.5 % quantile of the normal distribution

}  // namespace

Interval wilson_interval(std::int64_t right, std::int64_t n) {
  CHECK(right >= 0 && right <= n, "{} of {}", right, n);
  if (n == 0) return {0, 1};
  const auto count = static_cast<double>(n);
  const double share = static_cast<double>(right) / count;
  const double z2 = kNormal95 * kNormal95;
  const double center = (share + z2 / (2 * count)) / (1 + z2 / count);
  const double half = kNormal95 *
                      std::sqrt(share * (1 - share) / count + z2 / (4 * count * count)) /
                      (1 + z2 / count);
  // Exact at the ends, where rounding would leave a trace.
  return {right == 0 ? 0 : std::max(0.0, center - half),
          right == n ? 1 : std::min(1.0, center + half)};
}

Interval paired_interval(const PairedCounts& counts) {
  if (counts.n == 0) return {-1, 1};
  const double n = static_cast<double>(counts.n) + 2;
  const double a = static_cast<double>(counts.only_a + 1) / n;
  const double b = static_cast<double>(counts.only_b + 1) / n;
  const double center = b - a;
  const double half = kNormal95 * std::sqrt((a + b - center * center) / n);
  return {std::max(-1.0, center - half), std::min(1.0, center + half)};
}

void GroupedMean::add(double value) {
  open_.sum += value;
  ++open_.n;
  ++n_;
  sum_ += value;
  squares_ += value * value;
}

void GroupedMean::end_group() {
  if (open_.n > 0) groups_.push_back(open_);
  open_ = {};
}

double GroupedMean::mean() const { return n_ == 0 ? 0 : sum_ / static_cast<double>(n_); }

double GroupedMean::plain_error() const {
  if (n_ < 2) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(n_);
  const double variance = std::max(0.0, squares_ / n - mean() * mean());
  return std::sqrt(variance / (n - 1));
}

double GroupedMean::error() const {
  if (groups() < 2) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const Group& group : groups_) {
    const double off = group.sum - mean() * static_cast<double>(group.n);
    sum += off * off;
  }
  const auto n_groups = static_cast<double>(groups());
  return std::sqrt(n_groups / (n_groups - 1) * sum) / static_cast<double>(n_);
}

Interval GroupedMean::interval() const {
  const double half = t_factor(groups() - 1) * error();
  return {mean() - half, mean() + half};
}

double quantile(std::span<const float> sorted, double share) {
  if (sorted.empty()) return 0;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return (1 - part) * double{sorted[below]} + part * double{sorted[above]};
}

double t_factor(std::int64_t degrees_of_freedom) {
  // Up to 10 from the table of the distribution; above, the first terms of its expansion in
  // 1 / degrees (Abramowitz and Stegun 26.7.5), within 0.1 %.
  constexpr double kTable[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706,
                               2.4469,  2.3646, 2.3060, 2.2622, 2.2281};
  const std::int64_t degrees = std::max<std::int64_t>(degrees_of_freedom, 1);
  if (degrees <= 10) return kTable[degrees - 1];
  const double z = kNormal95;
  const double v = static_cast<double>(degrees);
  const double first = (std::pow(z, 3) + z) / 4;
  const double second = (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / 96;
  return z + first / v + second / (v * v);
}

}  // namespace pleiad::eval
