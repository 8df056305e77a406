#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pleiad::eval {

/// Between which values something lies with 95 % confidence.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Wilson's score interval for a share of `right` in `n` (E. B. Wilson, 1927); [0, 1] for n = 0.
Interval wilson_interval(std::int64_t right, std::int64_t n);

/// The same cases answered by A and by B: how many only one of them got right.
struct PairedCounts {
  std::int64_t n = 0;
  std::int64_t only_a = 0;
  std::int64_t only_b = 0;

  /// B's share less A's.
  double difference() const {
    return n == 0 ? 0 : static_cast<double>(only_b - only_a) / static_cast<double>(n);
  }
};

/// For the difference of the shares, B less A: the adjusted interval for matched pairs of
/// Bonett and Price (2012), which counts one more case of each disagreement.
Interval paired_interval(const PairedCounts& counts);

/// A mean of values that come in groups which are alike within (the tokens of a window).
/// Standard error: of a ratio of sums over groups, which are taken as independent, with
/// Student's t for the interval; infinite with a single group.
class GroupedMean {
 public:
  void add(double value);
  void end_group();

  std::int64_t count() const { return n_; }
  std::int64_t groups() const { return static_cast<std::int64_t>(groups_.size()); }
  double mean() const;
  /// As if all values were independent of each other.
  double plain_error() const;
  double error() const;
  Interval interval() const;

 private:
  struct Group {
    double sum = 0;
    std::int64_t n = 0;
  };
  std::vector<Group> groups_;
  Group open_;
  std::int64_t n_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

/// The value below which `share` of the sorted values lie, interpolated; 0 without values.
double quantile(std::span<const float> sorted, double share);

/// The factor of a standard error for a two-sided 95 % interval with so many degrees of freedom
/// (Student's t); at least 1.
double t_factor(std::int64_t degrees_of_freedom);

}  // namespace pleiad::eval
