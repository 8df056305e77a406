#include "constrain/schema/bounds.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "constrain/schema/same_value.h"

namespace pleiad::constrain {
namespace {

/// In early drafts "exclusiveMinimum" and "exclusiveMaximum" were flags.
bool is_flag_set(const Json& schema, std::string_view keyword) {
  const Json* flag = find_member(schema, keyword);
  return flag && *flag == true;
}

}  // namespace

/// Whether the number allows less than the bound so far.
bool NumberBounds::is_within(const Json* bound, const Json& number, bool exclusive,
                             std::partial_ordering when) {
  if (!bound) return true;
  const std::partial_ordering order = compare_numbers(number, *bound);
  return order == when || (order == 0 && exclusive);
}

void NumberBounds::add_least(const Json& number, bool exclusive) {
  if (!is_within(least_, number, exclusive, std::partial_ordering::greater)) return;
  least_ = &number;
  least_exclusive_ = exclusive;
}

void NumberBounds::add_most(const Json& number, bool exclusive) {
  if (!is_within(most_, number, exclusive, std::partial_ordering::less)) return;
  most_ = &number;
  most_exclusive_ = exclusive;
}

void NumberBounds::add(const Json& schema) {
  const auto number = [&](const char* keyword) {
    const Json* rule = find_member(schema, keyword);
    return rule && rule->is_number() ? rule : nullptr;
  };
  if (const Json* rule = number("minimum")) {
    add_least(*rule, is_flag_set(schema, "exclusiveMinimum"));
  }
  if (const Json* rule = number("maximum")) {
    add_most(*rule, is_flag_set(schema, "exclusiveMaximum"));
  }
  if (const Json* rule = number("exclusiveMinimum")) add_least(*rule, true);
  if (const Json* rule = number("exclusiveMaximum")) add_most(*rule, true);
}

void NumberBounds::add(const Denial& denial) {
  const Json& schema = *denial.schema;
  const Json* rule = find_member(schema, denial.keyword);
  if (!rule || !rule->is_number()) return;
  if (denial.keyword == "minimum") {
    add_most(*rule, !is_flag_set(schema, "exclusiveMinimum"));
  } else if (denial.keyword == "maximum") {
    add_least(*rule, !is_flag_set(schema, "exclusiveMaximum"));
  } else if (denial.keyword == "exclusiveMinimum") {
    add_most(*rule, false);
  } else if (denial.keyword == "exclusiveMaximum") {
    add_least(*rule, false);
  }
}

bool NumberBounds::exclude_all() const {
  if (!least_ || !most_) return false;
  const std::partial_ordering order = compare_numbers(*least_, *most_);
  return order > 0 || (order == 0 && are_exclusive());
}

Counter counts(SchemaContext& context, const Shape& shape, const char* least, const char* most) {
  constexpr double kMost = Counter::kMost;
  double low = 0;
  double high = kMost + 1;
  const auto number = [&](const Json& schema, std::string_view keyword) -> std::optional<double> {
    const Json* rule = context.keyword(schema, keyword);
    if (!rule || !rule->is_number()) return std::nullopt;
    return rule->get<double>();
  };
  for (const Json* schema : shape.schemas) {
    if (const auto value = number(*schema, least)) low = std::max(low, *value);
    if (const auto value = number(*schema, most)) high = std::min(high, *value);
  }
  for (const Denial& denial : shape.denials) {
    const auto value = number(*denial.schema, denial.keyword);
    if (value && denial.keyword == least) high = std::min(high, *value - 1);
    if (value && denial.keyword == most) low = std::max(low, *value + 1);
  }
  if (high < 0) return {.need = 1, .room = 0};
  return {.need = static_cast<std::uint32_t>(std::min(low, kMost)),
          .room = high > kMost ? kUnbounded : static_cast<std::uint32_t>(high)};
}

TypeSet types_out_of_bounds(SchemaContext& context, const Shape& shape, TypeSet types) {
  struct SizedType {
    TypeSet type;
    const char* least;
    const char* most;
  };
  constexpr std::array<SizedType, 3> kSized = {{{kObject, "minProperties", "maxProperties"},
                                                {kArray, "minItems", "maxItems"},
                                                {kString, "minLength", "maxLength"}}};
  TypeSet out = 0;
  for (const auto& [type, least, most] : kSized) {
    if ((types & type) == 0) continue;
    const Counter count = counts(context, shape, least, most);
    if (count.need > count.room) out |= type;
  }
  if ((types & kNumber) != 0) {
    NumberBounds bounds;
    for (const Json* schema : shape.schemas) bounds.add(*schema);
    for (const Denial& denial : shape.denials) bounds.add(denial);
    if (bounds.exclude_all()) out |= types & kNumber;
  }
  return out;
}

}  // namespace pleiad::constrain
