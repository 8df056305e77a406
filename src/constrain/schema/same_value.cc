#include "constrain/schema/same_value.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace pleiad::constrain {
namespace {

std::vector<std::pair<std::string_view, const Json*>> in_order_of_names(const Json& object) {
  std::vector<std::pair<std::string_view, const Json*>> out;
  for (const auto& [name, value] : object.items()) out.emplace_back(name, &value);
  std::ranges::sort(out);
  return out;
}

bool is_negative(const Json& whole) {
  return !whole.is_number_unsigned() && whole.get<std::int64_t>() < 0;
}

}  // namespace

std::partial_ordering compare_numbers(const Json& left, const Json& right) {
  if (!left.is_number() || !right.is_number()) return std::partial_ordering::unordered;
  // Json's own operators take an unsigned number for a signed one beside another.
  if (!left.is_number_integer() || !right.is_number_integer()) {
    return left.get<double>() <=> right.get<double>();
  }
  if (is_negative(left) != is_negative(right)) {
    return is_negative(left) ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  if (is_negative(left)) return left.get<std::int64_t>() <=> right.get<std::int64_t>();
  return left.get<std::uint64_t>() <=> right.get<std::uint64_t>();
}

std::size_t n_values(const Json& value) {
  std::size_t n = 1;
  if (value.is_string()) n += value.get_ref<const std::string&>().size() / 64;
  if (!value.is_structured()) return n;
  for (const Json& part : value) n += n_values(part);
  return n;
}

bool same_value(const Json& left, const Json& right) {
  if (left.is_array() && right.is_array()) {
    return std::ranges::equal(left, right, same_value);
  }
  if (left.is_number() && right.is_number()) return compare_numbers(left, right) == 0;
  if (!left.is_object() || !right.is_object()) return left == right;
  return left.size() == right.size() &&
         std::ranges::equal(in_order_of_names(left), in_order_of_names(right),
                            [](const auto& one, const auto& other) {
                              return one.first == other.first &&
                                     same_value(*one.second, *other.second);
                            });
}

}  // namespace pleiad::constrain
