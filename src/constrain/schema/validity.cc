#include "constrain/schema/validity.h"

#include <algorithm>
#include <cmath>

#include "constrain/string_formats.h"

namespace pleiad::constrain {
namespace {

constexpr int kMaxValueDepth = 100;

bool is_count(const Json& rule) { return rule.is_number() && rule.get<double>() >= 0; }

bool has_listed_type(const Json& rule, const Json& value) {
  const auto is = [&](const Json& name) {
    return name.is_string() &&
           (type_named(name.get_ref<const std::string&>()) & type_of(value)) != 0;
  };
  return rule.is_array() ? std::ranges::any_of(rule, is) : is(rule);
}

bool holds_presence(const PresenceClause& clause, const Json& object) {
  return std::ranges::any_of(clause.literals, [&](const PresenceClause::Literal& literal) {
    return (find_member(object, literal.name) != nullptr) == literal.present;
  });
}

/// The values in it, itself among them.
std::size_t n_values(const Json& value) {
  std::size_t n = 1;
  if (value.is_string()) n += value.get_ref<const std::string&>().size() / 64;
  if (!value.is_structured()) return n;
  for (const Json& part : value) n += n_values(part);
  return n;
}

bool all_different(const Json& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (list[i] == list[k]) return false;
    }
  }
  return true;
}

}  // namespace

std::size_t n_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool number_holds(const Json& schema, std::string_view name, const Json& rule, const Json& value) {
  if (name == "minimum" && rule.is_number()) {
    return find_member(schema, "exclusiveMinimum") && schema["exclusiveMinimum"] == true
               ? value > rule
               : value >= rule;
  }
  if (name == "maximum" && rule.is_number()) {
    return find_member(schema, "exclusiveMaximum") && schema["exclusiveMaximum"] == true
               ? value < rule
               : value <= rule;
  }
  if (name == "exclusiveMinimum" && rule.is_number()) return value > rule;
  if (name == "exclusiveMaximum" && rule.is_number()) return value < rule;
  if ((name == "multipleOf" || name == "divisibleBy") && rule.is_number()) {
    const double times = value.get<double>() / rule.get<double>();
    return std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
  }
  return true;
}

bool Validity::holds(const Shape& shape, const Json& value, const Json* listed) {
  const TypeSet type = type_of(value);
  if ((shape.types & type) == 0) return false;
  const auto claimed = [&](const Claim& claim, const Json& of) {
    return holds(*claim.schema, of) == claim.holds;
  };
  const Json* nullable = listed ? find_member(*listed, "nullable") : nullptr;
  const bool is_null = value.is_null() && nullable && *nullable == true;
  if (!context_.spend(1 + shape.schemas.size() + shape.denials.size() + shape.clauses.size() +
                      shape.properties.size())) {
    return false;
  }
  for (const Json* schema : shape.schemas) {
    if (schema != listed) {
      if (!holds(*schema, value)) return false;
      continue;
    }
    for (const auto& [name, rule] : context_.keywords(*schema)) {
      if (name == "enum" || is_null) continue;
      if (!keyword(*schema, name, *rule, value, 0)) return false;
    }
  }
  for (const Denial& denial : shape.denials) {
    if (keyword(*denial.schema, denial.keyword, *find_member(*denial.schema, denial.keyword), value,
                0)) {
      return false;
    }
  }
  if (type == kObject) {
    for (const PresenceClause& clause : shape.clauses) {
      if (!holds_presence(clause, value)) return false;
    }
    for (const auto& [name, claim] : shape.properties) {
      const Json* member = find_member(value, name);
      if (member && !claimed(claim, *member)) return false;
    }
  }
  if (type != kArray) return true;
  for (const Claim& claim : shape.every_item) {
    if (!std::ranges::all_of(value, [&](const Json& item) { return claimed(claim, item); })) {
      return false;
    }
  }
  return std::ranges::all_of(shape.some_item, [&](const Shape::ItemClaim& some) {
    return std::ranges::any_of(value, [&](const Json& item) { return claimed(some.claim, item); });
  });
}

bool Validity::valid(const Json& schema, const Json& value, int depth) {
  if (schema.is_boolean()) return schema.get<bool>();
  const Keywords& keywords = context_.keywords(schema);
  if (!schema.is_object() || depth > kMaxValueDepth || !context_.spend(1 + keywords.size())) {
    return true;
  }
  if (value.is_null() && schema.contains("nullable") && schema["nullable"] == true) return true;
  return std::ranges::all_of(keywords, [&](const auto& item) {
    return keyword(schema, item.name, *item.rule, value, depth + 1);
  });
}

bool Validity::keyword(const Json& schema, std::string_view name, const Json& rule,
                       const Json& value, int depth) {
  if (name == "type") return has_listed_type(rule, value);
  if (name == "const" || name == "enum") {
    const std::size_t n = (name == "enum" ? rule.size() : 1) * n_values(value);
    if (!context_.spend(1 + n / 4)) return true;
    return name == "const" ? value == rule : std::ranges::find(rule, value) != rule.end();
  }
  if (const TypeSet types = types_of_keyword(name); types != 0 && (types & type_of(value)) == 0) {
    return true;
  }
  if (value.is_object()) return object_keyword(schema, name, rule, value, depth);
  if (value.is_array()) return array_keyword(schema, name, rule, value, depth);
  if (value.is_string() && types_of_keyword(name) == kString) {
    return string_keyword(name, rule, value.get_ref<const std::string&>());
  }
  if (value.is_number() && types_of_keyword(name) == kNumber) {
    return number_holds(schema, name, rule, value);
  }
  return choice_keyword(schema, name, rule, value, depth);
}

bool Validity::choice_keyword(const Json& schema, std::string_view name, const Json& rule,
                              const Json& value, int depth) {
  const auto matches = [&](const Json& part) { return valid(part, value, depth); };
  if (name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef") {
    const Json* target = context_.resolve(schema, name);
    return !target || matches(*target);
  }
  if (name == "allOf") return std::ranges::all_of(rule, matches);
  if (name == "anyOf") return std::ranges::any_of(rule, matches);
  if (name == "oneOf") return std::ranges::count_if(rule, matches) == 1;
  if (name == "not") return !matches(rule);
  if (name == "if") {
    const Json* way = find_member(schema, matches(rule) ? "then" : "else");
    return !way || matches(*way);
  }
  return true;
}

bool Validity::object_keyword(const Json& schema, std::string_view name, const Json& rule,
                              const Json& value, int depth) {
  if (name == "minProperties")
    return !is_count(rule) || static_cast<double>(value.size()) >= rule.get<double>();
  if (name == "maxProperties")
    return !is_count(rule) || static_cast<double>(value.size()) <= rule.get<double>();
  if (name == "required") {
    return !rule.is_array() || std::ranges::all_of(rule, [&](const Json& key) {
      return !key.is_string() || value.contains(key.get_ref<const std::string&>());
    });
  }
  if (name == "dependentRequired" || name == "dependentSchemas" || name == "dependencies") {
    return std::ranges::all_of(rule.items(), [&](const auto& item) {
      if (!value.contains(item.key())) return true;
      if (!item.value().is_array()) return valid(item.value(), value, depth);
      return object_keyword(schema, "required", item.value(), value, depth);
    });
  }
  if (!context_.spend(value.size() * (1 + schema.size() / 4))) return true;
  if (name == "properties") {
    if (!context_.spend(rule.size() * (1 + value.size() / 16))) return true;
    return std::ranges::all_of(rule.items(), [&](const auto& item) {
      const Json* member = find_member(value, item.key());
      return !member || valid(item.value(), *member, depth);
    });
  }
  const Json none = Json::object();
  const Json* properties = find_member(schema, "properties");
  const Json* patterns = find_member(schema, "patternProperties");
  for (const auto& member : value.items()) {
    if (name == "propertyNames" && !valid(rule, Json(member.key()), depth)) return false;
    bool is_known = properties && context_.document().member(*properties, member.key());
    if (name != "patternProperties" && name != "additionalProperties") continue;
    if (patterns && !context_.spend(patterns->size())) return true;
    for (const auto& pattern : (patterns ? *patterns : none).items()) {
      if (context_.matches(pattern.key(), member.key()) != true) continue;
      is_known = true;
      if (name == "patternProperties" && !valid(pattern.value(), member.value(), depth)) {
        return false;
      }
    }
    if (name == "additionalProperties" && !is_known && !valid(rule, member.value(), depth)) {
      return false;
    }
  }
  return types_of_keyword(name) != 0 || choice_keyword(schema, name, rule, value, depth);
}

bool Validity::array_keyword(const Json& schema, std::string_view name, const Json& rule,
                             const Json& value, int depth) {
  if (name == "minItems")
    return !is_count(rule) || static_cast<double>(value.size()) >= rule.get<double>();
  if (name == "maxItems")
    return !is_count(rule) || static_cast<double>(value.size()) <= rule.get<double>();
  if (name == "uniqueItems") {
    const std::size_t n = value.size() * value.size() / 8;
    return rule != true || !context_.spend(n) || all_different(value);
  }
  const auto matches = [&](const Json& item) { return valid(rule, item, depth); };
  if (name == "contains") {
    const auto n = static_cast<double>(std::ranges::count_if(value, matches));
    const Json* least = find_member(schema, "minContains");
    const Json* most = find_member(schema, "maxContains");
    return n >= (least && least->is_number() ? least->get<double>() : 1) &&
           (!most || !most->is_number() || n <= most->get<double>());
  }
  const Json* prefix = find_member(schema, "prefixItems");
  const Json* items = find_member(schema, "items");
  const bool old_tuple = items && items->is_array();
  const Json* first = old_tuple ? items : prefix;
  const std::size_t n_first = first && first->is_array() ? first->size() : 0;
  const bool is_first = name == (old_tuple ? "items" : "prefixItems");
  const bool is_rest = old_tuple ? name == "additionalItems" : name == "items";
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (is_first && i < n_first && !valid(rule[i], value[i], depth)) return false;
    if (is_rest && i >= n_first && !matches(value[i])) return false;
  }
  return types_of_keyword(name) != 0 || choice_keyword(schema, name, rule, value, depth);
}

bool Validity::string_keyword(std::string_view name, const Json& rule, const std::string& value) {
  const auto length = static_cast<double>(n_characters(value));
  if (name == "minLength") return !is_count(rule) || length >= rule.get<double>();
  if (name == "maxLength") return !is_count(rule) || length <= rule.get<double>();
  if (!rule.is_string()) return true;
  std::string_view pattern = rule.get_ref<const std::string&>();
  if (name == "format") {
    const auto known = pattern_of_format(pattern);
    if (!known || known->empty()) return true;
    pattern = *known;
  }
  return context_.matches(pattern, value).value_or(true);
}

}  // namespace pleiad::constrain
