// What each keyword says of a value of its type.
#include <algorithm>
#include <array>
#include <vector>

#include "constrain/schema/same_value.h"
#include "constrain/schema/validity.h"
#include "constrain/texts/number.h"
#include "constrain/texts/number_formats.h"
#include "constrain/texts/string_formats.h"

namespace pleiad::constrain {
namespace {

/// Compares those items that have one hash.
Verdict all_different(const Json& list, SchemaContext& context) {
  constexpr std::size_t kValuesPerStep = 8;
  struct Item {
    std::uint64_t hash;
    std::size_t n_values;
    const Json* value;
  };
  std::vector<Item> items;
  for (const Json& item : list) {
    const std::size_t n = n_values(item);
    if (!context.spend(1 + n / kValuesPerStep)) return Verdict::unknown;
    items.push_back({hash_of_value(item), n, &item});
  }
  std::ranges::sort(items, {}, &Item::hash);
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t k = i; k > 0 && items[k - 1].hash == items[i].hash; --k) {
      const Item& other = items[k - 1];
      const std::size_t n_compared = items[i].n_values + other.n_values;
      if (!context.spend(1 + n_compared / kValuesPerStep)) return Verdict::unknown;
      if (same_value(*items[i].value, *other.value)) return Verdict::no;
    }
  }
  return Verdict::yes;
}

std::uint64_t magnitude(const Json& integer) {
  if (integer.is_number_unsigned()) return integer.get<std::uint64_t>();
  const auto value = integer.get<std::int64_t>();
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

/// Digit by digit; nothing where there are too many.
std::optional<bool> is_multiple(const Json& value, const Json& rule) {
  if (value.is_number_integer() && rule.is_number_integer()) {
    const std::uint64_t step = magnitude(rule);
    return step == 0 ? std::nullopt : std::optional(magnitude(value) % step == 0);
  }
  const auto step = Step::from(rule);
  const auto number = Bound::from(value, false);
  return step && number ? std::optional(step->divides(*number)) : std::nullopt;
}

/// Whether it applies others to the same value: what these look at counts as evaluated.
bool applies_others(const Keywords& keywords) {
  constexpr std::array<std::string_view, 10> kApplying = {
      "$ref",  "$dynamicRef", "$recursiveRef", "allOf",           "anyOf", "not",
      "oneOf", "if",          "dependencies",  "dependentSchemas"};
  return std::ranges::any_of(keywords, [&](const Keywords::Keyword& keyword) {
    return std::ranges::find(kApplying, keyword.name) != kApplying.end();
  });
}

constexpr std::string_view kUnevaluated =
    "it is not worked out for values of \"enum\" and \"const\" beside other schemas";

}  // namespace

std::size_t n_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool Validity::has_all(const Json& names, const Json& value) {
  return std::ranges::all_of(names, [&](const Json& name) {
    return context_.document().member(value, name.get_ref<const std::string&>()) != nullptr;
  });
}

Verdict Validity::object_keyword(const Json& schema, std::string_view name, const Json& rule,
                                 const Json& value, int depth) {
  if (name == "minProperties") {
    return verdict(static_cast<double>(value.size()) >= rule.get<double>());
  }
  if (name == "maxProperties") {
    return verdict(static_cast<double>(value.size()) <= rule.get<double>());
  }
  if (name == "required") {
    if (!rule.is_array()) return Verdict::yes;
    if (!context_.spend(rule.size() / 4)) return Verdict::unknown;
    return verdict(has_all(rule, value));
  }
  if (name == "dependentRequired" || name == "dependentSchemas" || name == "dependencies") {
    return all_of(rule.items(), [&](const auto& item) {
      const Json& asked = item.value();
      if (!context_.spend(1 + (asked.is_array() ? asked.size() / 4 : 0))) return Verdict::unknown;
      if (!context_.document().member(value, item.key())) return Verdict::yes;
      if (asked.is_array()) return verdict(has_all(asked, value));
      if (asked.is_string()) return verdict(has_all(Json::array({asked}), value));
      return valid(asked, value, depth);
    });
  }
  return all_of(value.items(), [&](const auto& item) {
    return member(schema, name, rule, item.key(), item.value(), depth);
  });
}

/// What a keyword says of one property.
Verdict Validity::member(const Json& schema, std::string_view name, const Json& rule,
                         const std::string& key, const Json& value, int depth) {
  const Keywords& keywords = context_.keywords(schema);
  const Json* patterns = keywords.find("patternProperties");
  if (!context_.spend(1 + (patterns ? patterns->size() : 0))) return Verdict::unknown;
  if (name == "propertyNames") return valid(rule, Json(key), depth);
  const Json* properties = keywords.find("properties");
  const Json* listed = properties ? context_.document().member(*properties, key) : nullptr;
  if (name == "properties") return listed ? valid(*listed, value, depth) : Verdict::yes;
  const bool unevaluated = name == "unevaluatedProperties";
  if (unevaluated && keywords.find("additionalProperties")) return Verdict::yes;
  Verdict evaluated = verdict(listed != nullptr);
  Verdict out = Verdict::yes;
  static const Json none = Json::object();
  for (const auto& pattern : (patterns ? *patterns : none).items()) {
    const std::optional<bool> is_found = context_.matches(pattern.key(), key);
    if (is_found == false) continue;
    if (!is_found) {
      std::string problem;
      context_.pattern(pattern.key(), problem);
      doubt(*patterns, pattern.key(), problem);
    }
    evaluated = std::max(evaluated, is_found ? Verdict::yes : Verdict::unknown);
    if (name != "patternProperties") continue;
    const Verdict here = valid(pattern.value(), value, depth);
    out = std::min(out, is_found ? here : maybe(here));
  }
  if (name == "patternProperties" || evaluated == Verdict::yes) return out;
  const Verdict here = valid(rule, value, depth);
  if (here == Verdict::yes) return here;
  if (unevaluated && applies_others(keywords)) return doubt(schema, name, kUnevaluated);
  return evaluated == Verdict::unknown ? maybe(here) : here;
}

Verdict Validity::array_keyword(const Json& schema, std::string_view name, const Json& rule,
                                const Json& value, int depth) {
  if (name == "minItems") return verdict(static_cast<double>(value.size()) >= rule.get<double>());
  if (name == "maxItems") return verdict(static_cast<double>(value.size()) <= rule.get<double>());
  if (name == "uniqueItems") {
    if (rule != true) return Verdict::yes;
    return all_different(value, context_);
  }
  if (name == "contains") return contained(schema, rule, value, depth);
  if (name == "minContains" || name == "maxContains") return Verdict::yes;
  const Keywords& keywords = context_.keywords(schema);
  const Json* items = keywords.find("items");
  const bool old_tuple = items && items->is_array();
  const Json* first = old_tuple ? items : keywords.find("prefixItems");
  const std::size_t n_first = first ? first->size() : 0;
  if (name == (old_tuple ? "items" : "prefixItems")) {
    Verdict out = Verdict::yes;
    for (std::size_t i = 0; i < std::min(n_first, value.size()) && out != Verdict::no; ++i) {
      out = std::min(out, valid(rule[i], value[i], depth));
    }
    return out;
  }
  const Json* rest = old_tuple ? keywords.find("additionalItems") : items;
  const bool unevaluated = name == "unevaluatedItems";
  if (unevaluated ? rest != nullptr : &rule != rest) return Verdict::yes;
  Verdict out = Verdict::yes;
  for (std::size_t i = n_first; i < value.size() && out != Verdict::no; ++i) {
    out = std::min(out, valid(rule, value[i], depth));
  }
  const bool may_be_evaluated = applies_others(keywords) || keywords.find("contains");
  if (unevaluated && out != Verdict::yes && may_be_evaluated) {
    return doubt(schema, name, kUnevaluated);
  }
  return out;
}

Verdict Validity::contained(const Json& schema, const Json& rule, const Json& value, int depth) {
  const Keywords& keywords = context_.keywords(schema);
  const Json* least = keywords.find("minContains");
  const Json* most = keywords.find("maxContains");
  const Counted found = count(value, [&](const Json& item) { return valid(rule, item, depth); });
  return std::min(found.at_least(least ? least->get<double>() : 1),
                  most ? found.at_most(most->get<double>()) : Verdict::yes);
}

Verdict Validity::string_keyword(const Json& schema, std::string_view name, const Json& rule,
                                 const std::string& value) {
  if (name == "minLength" || name == "maxLength") {
    if (!context_.spend(value.size() / 64)) return Verdict::unknown;
    const auto length = static_cast<double>(n_characters(value));
    return verdict(name == "minLength" ? length >= rule.get<double>()
                                       : length <= rule.get<double>());
  }
  const std::string& pattern = rule.get_ref<const std::string&>();
  return name == "format" ? format_of_string(schema, pattern, value)
                          : matched(schema, name, pattern, value);
}

/// Whether the pattern, which a keyword asks for, is found.
Verdict Validity::matched(const Json& schema, std::string_view name, std::string_view pattern,
                          const std::string& value) {
  const std::optional<bool> is_found = context_.matches(pattern, value);
  if (is_found) return verdict(*is_found);
  std::string problem;
  context_.pattern(pattern, problem);
  return doubt(schema, name, problem);
}

/// What is written of a format is of it; of some there is more.
Verdict Validity::format_of_string(const Json& schema, std::string_view format,
                                   const std::string& value) {
  const auto written = pattern_of_format(format);
  if (!written || written->empty()) return Verdict::yes;
  Verdict is_written = matched(schema, "format", *written, value);
  const auto length = length_of_format(format);
  if (length && n_characters(value) > length->most) is_written = Verdict::no;
  if (is_written != Verdict::no || is_written_whole(format)) return is_written;
  const auto unwritten = pattern_of_unwritten(format);
  if (unwritten && matched(schema, "format", *unwritten, value) == Verdict::no) return Verdict::no;
  const auto around = pattern_around_format(format);
  if (around && matched(schema, "format", *around, value) == Verdict::no) return Verdict::no;
  return doubt(schema, "format",
               "not all texts of this format are known, and a value of \"enum\" or \"const\" may "
               "be another");
}

Verdict Validity::number_keyword(const Json& schema, std::string_view name, const Json& rule,
                                 const Json& value) {
  const auto is_flag_set = [&](std::string_view flag) {
    const Json* set = context_.keyword(schema, flag);
    return set && *set == true;
  };
  if (rule.is_boolean()) return Verdict::yes;
  if (name == "format") {
    const auto range = range_of_format(rule.get_ref<const std::string&>());
    if (!range) return Verdict::yes;
    const bool is_least = range->least.is_null() || compare_numbers(value, range->least) >= 0;
    return verdict(is_least && (range->most.is_null() || compare_numbers(value, range->most) <= 0));
  }
  const std::partial_ordering order = compare_numbers(value, rule);
  if (name == "minimum") {
    return verdict(is_flag_set("exclusiveMinimum") ? order > 0 : order >= 0);
  }
  if (name == "maximum") {
    return verdict(is_flag_set("exclusiveMaximum") ? order < 0 : order <= 0);
  }
  if (name == "exclusiveMinimum") return verdict(order > 0);
  if (name == "exclusiveMaximum") return verdict(order < 0);
  const std::optional<bool> is_whole = is_multiple(value, rule);
  return is_whole ? verdict(*is_whole) : doubt(schema, name, "it has too many digits");
}

}  // namespace pleiad::constrain
