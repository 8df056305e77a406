#include "chart/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_format.h"

namespace pleiad::chart {
namespace {

constexpr int kTicksWanted = 6;

/// 1, 2 or 5 times a power of ten, not below `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

bool can_show(double value, Scale scale) {
  return std::isfinite(value) && (scale == Scale::linear || value > 0);
}

std::string number_label(double value) {
  if (value < 0) return "-" + number_label(-value);
  if (value >= 1e15 || (value > 0 && value < 1e-3)) return fmt::format("{:.3g}", value);
  if (value >= 1000) return format_count(static_cast<std::uint64_t>(std::llround(value)));
  std::string text = fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 3);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

AxisMap::AxisMap(std::span<const double> values, Scale scale, double from, double to,
                 bool begins_at_zero)
    : scale_(scale), from_(from), to_(to) {
  std::vector<double> shown;
  std::ranges::copy_if(values, std::back_inserter(shown),
                       [&](double value) { return can_show(value, scale); });
  if (shown.empty())
    shown = scale == Scale::linear ? std::vector{0.0, 1.0} : std::vector{1.0, 10.0};
  if (begins_at_zero && scale == Scale::linear) shown.push_back(0);
  const auto [low, high] = std::ranges::minmax(shown);
  first_ = low;
  last_ = high;
  scale == Scale::linear ? make_linear_ticks() : make_logarithmic_ticks();
}

void AxisMap::make_linear_ticks() {
  if (last_ <= first_) last_ = first_ + std::max(1.0, std::abs(first_));
  const double step = round_step((last_ - first_) / kTicksWanted);
  const double begin = std::floor(first_ / step + 1e-9);
  const double end = std::ceil(last_ / step - 1e-9);
  first_ = begin * step;
  last_ = end * step;
  for (double tick = begin; tick <= end; ++tick) {
    ticks_.push_back({tick * step, number_label(tick * step)});
  }
}

void AxisMap::make_logarithmic_ticks() {
  constexpr double kMargin = 1.12;  // so that no mark lies on the frame
  constexpr double kLeast = 7;      // so that two ticks lie between, at least
  const double widen = std::max(kMargin, std::sqrt(kLeast / (last_ / first_)));
  first_ /= widen;
  last_ *= widen;
  const bool few_decades = std::log10(last_ / first_) < 3.5;
  for (double power = std::pow(10.0, std::floor(std::log10(first_))); power <= last_; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * power;
      if (value < first_ || value > last_) continue;
      const bool labelled = few_decades || factor == 1.0;
      ticks_.push_back({value, labelled ? number_label(value) : std::string()});
    }
  }
}

double AxisMap::place(double value) const {
  return scale_ == Scale::linear ? value : std::log10(value);
}

double AxisMap::pixel(double value) const {
  const double share = (place(value) - place(first_)) / (place(last_) - place(first_));
  return from_ + share * (to_ - from_);
}

}  // namespace pleiad::chart
