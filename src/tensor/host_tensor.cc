#include "tensor/host_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "tensor/checked_math.h"

namespace pleiad {

std::int64_t element_count(const Shape& shape) {
  const auto count = checked_element_count(shape);
  CHECK(count.has_value(), "shape {}", to_string(shape));
  return static_cast<std::int64_t>(*count);
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace pleiad
