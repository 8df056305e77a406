#include "base/statistics.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad {

Spread spread_of(std::vector<double> values) {
  CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t upper = values.size() / 2;
  const std::size_t lower = (values.size() - 1) / 2;
  return {(values[lower] + values[upper]) / 2, values.front(), values.back()};
}

}  // namespace pleiad
