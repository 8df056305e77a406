#pragma once

#include <span>
#include <string>
#include <vector>

namespace pleiad::chart {

enum class Scale { linear, logarithmic };

/// True where `value` has a place on such an axis: finite, and above 0 where
/// the axis is logarithmic.
bool can_show(double value, Scale scale);

struct Tick {
  double value = 0;
  std::string label;  // "0.5", "2,000"; empty: a line without a label
};

/// From values to the pixels [from, to], with round ticks.
class AxisMap {
 public:
  /// A little wider than `values`, of which those that cannot be shown are
  /// left out; linear axes that `begins_at_zero` begin there.
  AxisMap(std::span<const double> values, Scale scale, double from, double to, bool begins_at_zero);

  double pixel(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  double first() const { return first_; }
  double last() const { return last_; }

 private:
  void make_linear_ticks();
  void make_logarithmic_ticks();
  double place(double value) const;

  Scale scale_;
  double from_;
  double to_;
  double first_ = 0;
  double last_ = 1;
  std::vector<Tick> ticks_;
};

/// "1,234", "12.3", "0.052": three digits or more, never an exponent between
/// 0.001 and 1e15.
std::string number_label(double value);

}  // namespace pleiad::chart
