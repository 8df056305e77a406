#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace pleiad::testing_support {

/// Root mean square of the differences in relation to the expected values'; without end where
/// there are more values, or fewer.
inline double relative_error(const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double errors = 0;
  double squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    errors += std::pow(found[i] - expected[i], 2);
    squares += std::pow(expected[i], 2);
  }
  return std::sqrt(errors / squares);
}

}  // namespace pleiad::testing_support
