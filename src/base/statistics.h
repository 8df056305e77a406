#pragma once

#include <vector>

namespace pleiad {

/// What is told of some measurements of the same thing.
struct Spread {
  double median = 0;  // the mean of the two in the middle for an even count
  double min = 0;
  double max = 0;
};

/// Needs at least one value.
Spread spread_of(std::vector<double> values);

}  // namespace pleiad
