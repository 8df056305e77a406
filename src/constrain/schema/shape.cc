#include "constrain/schema/shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "constrain/schema/one_of.h"

namespace pleiad::constrain {
namespace {

using Named = std::pair<std::string_view, TypeSet>;

constexpr std::array<Named, 7> kTypeNames = {{{"object", kObject},
                                              {"array", kArray},
                                              {"string", kString},
                                              {"number", kNumber},
                                              {"integer", kInteger},
                                              {"boolean", kBoolean},
                                              {"null", kNull}}};

constexpr std::array<Named, 31> kKeywordTypes = {{{"properties", kObject},
                                                  {"patternProperties", kObject},
                                                  {"additionalProperties", kObject},
                                                  {"unevaluatedProperties", kObject},
                                                  {"propertyNames", kObject},
                                                  {"required", kObject},
                                                  {"minProperties", kObject},
                                                  {"maxProperties", kObject},
                                                  {"dependencies", kObject},
                                                  {"dependentRequired", kObject},
                                                  {"dependentSchemas", kObject},
                                                  {"items", kArray},
                                                  {"prefixItems", kArray},
                                                  {"additionalItems", kArray},
                                                  {"unevaluatedItems", kArray},
                                                  {"minItems", kArray},
                                                  {"maxItems", kArray},
                                                  {"uniqueItems", kArray},
                                                  {"contains", kArray},
                                                  {"minContains", kArray},
                                                  {"maxContains", kArray},
                                                  {"minLength", kString},
                                                  {"maxLength", kString},
                                                  {"pattern", kString},
                                                  {"format", kString},
                                                  {"minimum", kNumber},
                                                  {"maximum", kNumber},
                                                  {"exclusiveMinimum", kNumber},
                                                  {"exclusiveMaximum", kNumber},
                                                  {"multipleOf", kNumber},
                                                  {"divisibleBy", kNumber}}};

constexpr std::array<std::string_view, 14> kOfAnyType = {
    "type",  "enum",  "const", "$ref", "$dynamicRef", "$recursiveRef", "allOf",
    "anyOf", "oneOf", "not",   "if",   "extends",     "disallow",      "$data"};

template <std::size_t N>
TypeSet look_up(const std::array<Named, N>& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Named::first);
  return found == table.end() ? TypeSet{0} : found->second;
}

}  // namespace

TypeSet type_named(std::string_view name) { return look_up(kTypeNames, name); }

TypeSet types_of_keyword(std::string_view keyword) { return look_up(kKeywordTypes, keyword); }

bool decides(std::string_view keyword) {
  return types_of_keyword(keyword) != 0 || is_one_of(kOfAnyType, keyword);
}

TypeSet types_listed(const Json& rule) {
  if (rule.is_string()) return type_named(rule.get_ref<const std::string&>());
  TypeSet types = 0;
  if (!rule.is_array()) return types;
  for (const Json& name : rule) {
    if (name.is_string()) types |= type_named(name.get_ref<const std::string&>());
  }
  return types;
}

std::vector<std::string_view> names_of(const Json& rule) {
  std::vector<std::string_view> out;
  if (rule.is_string()) out.emplace_back(rule.get_ref<const std::string&>());
  if (!rule.is_array()) return out;
  for (const Json& name : rule) {
    if (name.is_string()) out.emplace_back(name.get_ref<const std::string&>());
  }
  return out;
}

bool denies_parts(std::string_view keyword, const Json& rule) {
  constexpr std::size_t kMostParts = 64;  // each is an alternative
  constexpr std::size_t kMostTogether = 256;
  if (keyword == "const") return rule.is_structured() && rule.size() <= kMostParts;
  if (!rule.is_array()) return false;
  std::size_t n_together = 1;
  bool has_parts = false;
  for (const Json& value : rule) {
    if (!value.is_structured()) continue;
    has_parts = true;
    n_together *= value.size() + 3;
    if (value.size() > kMostParts || n_together > kMostTogether) return false;
  }
  return has_parts;
}

bool has_literal(const Shape& shape, std::string_view name, bool present) {
  return std::ranges::any_of(shape.clauses, [&](const PresenceClause& clause) {
    return clause.literals.size() == 1 && clause.literals[0].name == name &&
           clause.literals[0].present == present;
  });
}

const Json* first_part(const Shape& shape) {
  if (!shape.schemas.empty()) return shape.schemas.front();
  return shape.denials.empty() ? nullptr : shape.denials.front().schema;
}

TypeSet type_of(const Json& value) {
  if (value.is_number_integer()) return kInteger;
  if (value.is_number()) {
    const double number = value.get<double>();
    return number == std::floor(number) ? kInteger : kFraction;
  }
  return type_named(value.type_name());
}

}  // namespace pleiad::constrain
