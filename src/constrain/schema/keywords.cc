#include "constrain/schema/keywords.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text_format.h"
#include "constrain/schema/one_of.h"
#include "constrain/schema/same_value.h"
#include "constrain/schema/shape.h"
#include "constrain/texts/string_formats.h"

namespace pleiad::constrain {
namespace {

/// They say how others decide.
constexpr std::array<std::string_view, 3> kHelpers = {"nullable", "then", "else"};

bool is_type(const Json& name) {
  return name.is_string() && type_named(name.get_ref<const std::string&>()) != 0;
}

bool are_names(const Json& rule) {
  return rule.is_array() &&
         std::ranges::all_of(rule, [](const Json& name) { return name.is_string(); });
}

/// What is expected of a rule; null where it is so.
const char* expected(std::string_view keyword, const Json& rule) {
  constexpr std::array<std::string_view, 6> kBounds = {
      "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "divisibleBy"};
  constexpr std::array<std::string_view, 8> kCounts = {
      "minLength",     "maxLength",     "minItems",    "maxItems",
      "minProperties", "maxProperties", "minContains", "maxContains"};
  constexpr std::array<std::string_view, 3> kDependencies = {"dependencies", "dependentRequired",
                                                             "dependentSchemas"};
  if (keyword == "type") {
    const bool good = rule.is_array() ? std::ranges::all_of(rule, is_type) : is_type(rule);
    return good ? nullptr
                : "expected one of object, array, string, number, integer, boolean, null, or a "
                  "list of them";
  }
  if (keyword == "properties" || keyword == "patternProperties") {
    return rule.is_object() ? nullptr : "expected an object of schemas";
  }
  if (is_one_of(kDependencies, keyword)) {
    if (!rule.is_object()) return "expected an object";
    const bool good = std::ranges::all_of(
        rule, [](const Json& asked) { return !asked.is_array() || are_names(asked); });
    return good ? nullptr : "expected names";
  }
  if (keyword == "required") {  // a boolean: of drafts before the fourth
    return rule.is_boolean() || are_names(rule) ? nullptr : "expected a list of names";
  }
  if (keyword == "allOf" || keyword == "prefixItems") {
    return rule.is_array() ? nullptr : "expected a list of schemas";
  }
  if (keyword == "anyOf" || keyword == "oneOf") {
    return rule.is_array() && !rule.empty() ? nullptr : "expected a list of at least one schema";
  }
  if (keyword == "enum") return rule.is_array() ? nullptr : "expected a list of values";
  if (keyword == "pattern" || keyword == "format") {
    return rule.is_string() ? nullptr : "expected a string";
  }
  if (is_one_of(kBounds, keyword)) {
    const bool is_flag = rule.is_boolean() && keyword.starts_with("excl");
    return rule.is_number() || is_flag ? nullptr : "expected a number";
  }
  if (is_one_of(kCounts, keyword)) {
    const bool good = rule.is_number() && rule.get<double>() >= 0 && type_of(rule) == kInteger;
    return good ? nullptr : "expected a whole number from 0 on";
  }
  return nullptr;
}

}  // namespace

Keywords::Keywords(const Json& schema, bool counts_contained) {
  if (!schema.is_object()) return;
  for (const auto& item : schema.items()) {
    const std::string& name = item.key();
    if (!counts_contained && (name == "minContains" || name == "maxContains")) continue;
    if ((decides(name) || is_one_of(kHelpers, name)) && !find(name)) {
      keywords_.push_back({name, &item.value()});
    }
  }
}

const Json* Keywords::find(std::string_view name) const {
  const auto found = std::ranges::find(keywords_, name, &Keyword::name);
  return found == keywords_.end() ? nullptr : found->rule;
}

bool Keywords::decide() const { return std::ranges::any_of(keywords_, decides, &Keyword::name); }

bool is_not_understood(std::string_view keyword) {
  constexpr std::array<std::string_view, 3> kOthers = {"extends", "disallow", "$data"};
  return is_one_of(kOthers, keyword);
}

TypeSet null_of(const Keywords& keywords) {
  const Json* nullable = keywords.find("nullable");
  return nullable && *nullable == true ? kNull : TypeSet{0};
}

std::optional<KeywordProblem> misused_keyword(const Keywords& keywords) {
  for (const auto& [name, rule] : keywords) {
    const char* what = expected(name, *rule);
    if (!what) continue;
    return KeywordProblem{name, fmt::format("{}, found {}", what, printable(to_text(*rule)))};
  }
  return std::nullopt;
}

std::string contradiction(const Keywords& keywords) {
  for (const auto& [least, most] :
       {std::pair{"minLength", "maxLength"}, std::pair{"minItems", "maxItems"},
        std::pair{"minProperties", "maxProperties"}, std::pair{"minimum", "maximum"}}) {
    const Json* low = keywords.find(least);
    const Json* high = keywords.find(most);
    if (low && high && compare_numbers(*low, *high) > 0) {
      return fmt::format("\"{}\" is greater than \"{}\"", least, most);
    }
  }
  return {};
}

ContainsBounds bounds_of_contains(const Keywords& keywords) {
  constexpr double kMost = kUnlimited - 1;
  const auto number = [&](std::string_view keyword, std::uint32_t otherwise) {
    const Json* rule = keywords.find(keyword);
    return rule ? static_cast<std::uint32_t>(std::min(kMost, rule->get<double>())) : otherwise;
  };
  return {number("minContains", 1), number("maxContains", kUnlimited)};
}

bool may_exclude(const Keywords& keywords, std::string_view keyword, const Json& rule) {
  constexpr std::array<std::string_view, 8> kOfParts = {
      "properties",       "patternProperties", "dependencies", "dependentRequired",
      "dependentSchemas", "required",          "allOf",        "prefixItems"};
  constexpr std::array<std::string_view, 6> kOfOneSchema = {
      "additionalProperties", "unevaluatedProperties", "propertyNames",
      "additionalItems",      "unevaluatedItems",      "items"};
  if (!decides(keyword)) return false;
  if (is_one_of(kOfParts, keyword)) return rule.is_structured() && !rule.empty();
  if (is_one_of(kOfOneSchema, keyword)) {
    const Json* items = keywords.find("items");
    if (keyword == "additionalItems" && (!items || !items->is_array())) return false;
    return rule != true && !(rule.is_structured() && rule.empty());
  }
  if (keyword == "uniqueItems") return rule == true;
  if (keyword == "minContains" || keyword == "maxContains") return false;  // as "contains" is
  if (keyword == "if") return keywords.find("then") || keywords.find("else");
  if (keyword.starts_with("exclusive")) return !rule.is_boolean();
  if (keyword == "format" && rule.is_string()) {
    const auto pattern = pattern_of_format(rule.get_ref<const std::string&>());
    return pattern && !pattern->empty();
  }
  return true;
}

}  // namespace pleiad::constrain
