#include "constrain/schema/same_value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constrain/mix_hash.h"

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

/// A whole number beside a double, without making a double of it.
std::partial_ordering compare_whole(const Json& whole, double other) {
  constexpr double kBeyondWhole = 18446744073709551616.0;  // 2^64
  constexpr double kLeastWhole = -9223372036854775808.0;   // -2^63
  if (std::isnan(other)) return std::partial_ordering::unordered;
  if (other >= kBeyondWhole) return std::partial_ordering::less;
  if (other < kLeastWhole) return std::partial_ordering::greater;
  const double floor = std::floor(other);
  if (is_negative(whole) != (floor < 0)) {
    return is_negative(whole) ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  const std::partial_ordering order =
      floor < 0 ? whole.get<std::int64_t>() <=> static_cast<std::int64_t>(floor)
                : whole.get<std::uint64_t>() <=> static_cast<std::uint64_t>(floor);
  return order == 0 && floor < other ? std::partial_ordering::less : order;
}

}  // namespace

std::partial_ordering compare_numbers(const Json& left, const Json& right) {
  if (!left.is_number() || !right.is_number()) return std::partial_ordering::unordered;
  // Json's own operators take an unsigned number for a signed one beside another.
  if (!right.is_number_integer()) {
    const auto other = right.get<double>();
    return left.is_number_integer() ? compare_whole(left, other) : left.get<double>() <=> other;
  }
  if (!left.is_number_integer()) return 0 <=> compare_whole(right, left.get<double>());
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

std::uint64_t hash_of_value(const Json& value) {
  const auto of_text = [](std::string_view text) { return std::hash<std::string_view>()(text); };
  std::uint64_t hash = 0;
  if (value.is_number()) {
    const auto number = value.get<double>();  // as numbers are compared beside a fraction
    return mix_hash(1, std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number));
  }
  if (value.is_string()) return mix_hash(2, of_text(value.get_ref<const std::string&>()));
  if (value.is_array()) {
    for (const Json& part : value) hash = mix_hash(hash, hash_of_value(part));
    return mix_hash(3, hash);
  }
  if (!value.is_object()) return mix_hash(4, value == true ? 1 : value == false ? 2 : 3);
  for (const auto& [name, part] : value.items()) {
    hash += mix_hash(of_text(name), hash_of_value(part));
  }
  return mix_hash(5, hash);
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
