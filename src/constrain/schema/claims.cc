#include "constrain/schema/claims.h"

#include <algorithm>
#include <unordered_set>

#include "constrain/schema/validity.h"

namespace pleiad::constrain {
namespace {

/// What "properties" says of a name; null where nothing.
const Json* listed_value(SchemaContext& context, const Json& schema, std::string_view name) {
  const Json* properties = context.keyword(schema, "properties");
  return properties ? context.document().member(*properties, name) : nullptr;
}

/// Adds a claim once.
void add_claim(SchemaContext& context, Claims& claims, const Claim& claim) {
  if (!context.spend(1 + claims.size() / 8)) return;
  if (std::ranges::find(claims, claim) == claims.end()) claims.push_back(claim);
}

/// Whether a schema is among those that another one applies, or is that itself.
bool is_applied_by(SchemaContext& context, const Shape& shape, const Json* schema,
                   const Json* other) {
  std::vector<const Json*> known = {other};
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == schema) return true;
    if (!context.spend(1 + shape.applications.size() / 8)) return false;
    for (const auto& [by, applied] : shape.applications) {
      if (by == known[i] && std::ranges::find(known, applied) == known.end()) {
        known.push_back(applied);
      }
    }
  }
  return false;
}

/// What "unevaluatedProperties" or "unevaluatedItems" of a shape's schemas say of a part. Each sees
/// what the schemas evaluate that its own applies; `evaluate` the part, by other keywords.
void add_unevaluated(SchemaContext& context, const Shape& shape, const char* keyword,
                     const std::vector<const Json*>& evaluate, Claims& claims) {
  for (const Json* schema : shape.schemas) {
    const Json* rule = context.keyword(*schema, keyword);
    if (!rule || *rule == true) continue;
    const auto is_below = [&](const Json* other) {
      return is_applied_by(context, shape, other, schema);
    };
    // One of the same kind below it evaluates all.
    const bool all = std::ranges::any_of(shape.schemas, [&](const Json* other) {
      return other != schema && context.keyword(*other, keyword) && is_below(other);
    });
    if (!all && std::ranges::none_of(evaluate, is_below)) add_claim(context, claims, {rule, true});
  }
}

/// `value_of(schema)`: what its "properties" say of the one that is meant; null where nothing.
template <typename ValueOf, typename IsMatched>
Claims claims_of_property(SchemaContext& context, const Shape& shape, const ValueOf& value_of,
                          const IsMatched& is_matched) {
  Claims claims;
  std::vector<const Json*> evaluate;
  if (!context.spend(shape.schemas.size())) return claims;
  for (const Json* schema : shape.schemas) {
    bool is_known = false;
    if (const Json* value = value_of(*schema)) {
      add_claim(context, claims, {value, true});
      is_known = true;
    }
    const Json* patterns = context.keyword(*schema, "patternProperties");
    if (patterns) {
      if (!context.spend(patterns->size())) return claims;
      for (const auto& item : patterns->items()) {
        if (!is_matched(item.key())) continue;
        add_claim(context, claims, {&item.value(), true});
        is_known = true;
      }
    }
    const Json* others = context.keyword(*schema, "additionalProperties");
    if (others && !is_known) add_claim(context, claims, {others, true});
    if (is_known || others) evaluate.push_back(schema);
  }
  add_unevaluated(context, shape, "unevaluatedProperties", evaluate, claims);
  return claims;
}

}  // namespace

Claim impossible() {
  static const Json nothing(false);
  return {&nothing, true};
}

bool is_impossible(const Claims& claims) {
  return std::ranges::any_of(claims, [](const Claim& claim) {
    return claim.schema->is_boolean() && claim.schema->get<bool>() != claim.holds;
  });
}

Claims property_claims(SchemaContext& context, const Shape& shape, const std::string& name) {
  Claims claims = claims_of_property(
      context, shape, [&](const Json& schema) { return listed_value(context, schema, name); },
      [&](const std::string& pattern) { return context.matches(pattern, name) == true; });
  if (!context.spend(shape.properties.size() / 4)) return claims;
  for (const auto& [claimed, claim] : shape.properties) {
    if (claimed == name) add_claim(context, claims, claim);
  }
  Validity validity(context);
  for (const Json* schema : shape.schemas) {
    const Json* names = context.keyword(*schema, "propertyNames");
    if (names && !validity.admits(*names, Json(name))) add_claim(context, claims, impossible());
  }
  return claims;
}

Claims other_property_claims(SchemaContext& context, const Shape& shape,
                             const std::set<std::string_view>& patterns) {
  return claims_of_property(
      context, shape, [](const Json&) -> const Json* { return nullptr; },
      [&](const std::string& pattern) { return patterns.contains(pattern); });
}

std::vector<std::string_view> property_patterns(SchemaContext& context, const Shape& shape,
                                                std::size_t most) {
  std::vector<std::string_view> out;
  for (const Json* schema : shape.schemas) {
    const Json* patterns = context.keyword(*schema, "patternProperties");
    if (!patterns) continue;
    if (!context.spend(patterns->size() * (1 + out.size() / 4))) return {};
    for (const auto& item : patterns->items()) {
      if (out.size() > most) return out;
      std::string problem;
      if (!context.pattern(item.key(), problem)) {
        context.note(patterns, item.key(), problem);
      } else if (!context.matches_nothing(item.key()) &&
                 std::ranges::find(out, item.key()) == out.end()) {
        out.emplace_back(item.key());
      }
    }
  }
  return out;
}

std::vector<std::string> property_names(SchemaContext& context, const Shape& shape) {
  std::vector<std::string> out;
  std::unordered_set<std::string_view> known;
  const auto add = [&](std::string_view name) {
    if (context.spend(1 + name.size() / 32) && known.insert(name).second) out.emplace_back(name);
  };
  for (const Json* schema : shape.schemas) {
    const Json* properties = context.keyword(*schema, "properties");
    if (!properties) continue;
    for (const auto& item : properties->items()) add(item.key());
  }
  for (const PresenceClause& clause : shape.clauses) {
    for (const PresenceClause::Literal& literal : clause.literals) add(literal.name);
  }
  for (const auto& [name, claim] : shape.properties) add(name);
  return out;
}

bool names_property(SchemaContext& context, const Shape& shape, std::string_view name) {
  const auto is_name = [&](const auto& literal) { return literal.name == name; };
  return std::ranges::any_of(
             shape.schemas,
             [&](const Json* schema) { return listed_value(context, *schema, name) != nullptr; }) ||
         std::ranges::any_of(shape.clauses,
                             [&](const PresenceClause& clause) {
                               return std::ranges::any_of(clause.literals, is_name);
                             }) ||
         std::ranges::any_of(shape.properties, is_name);
}

namespace {

/// Whether "patternProperties" say of some names what they are, and not only which may not come.
bool names_some(const Json* patterns) {
  return patterns && std::ranges::any_of(*patterns, [](const Json& rule) { return rule != false; });
}

}  // namespace

bool allows_others(SchemaContext& context, const Shape& shape) {
  if (!context.policy().closed_objects) return true;
  bool lists_some = false;
  for (const Json* schema : shape.schemas) {
    for (const char* keyword : {"additionalProperties", "unevaluatedProperties"}) {
      if (context.keyword(*schema, keyword)) return true;  // it says which
    }
    lists_some = lists_some || context.keyword(*schema, "properties") != nullptr ||
                 names_some(context.keyword(*schema, "patternProperties"));
  }
  return !lists_some;
}

std::size_t n_first_items(SchemaContext& context, const Shape& shape) {
  std::size_t n = 0;
  for (const Json* schema : shape.schemas) {
    for (const char* keyword : {"prefixItems", "items"}) {
      const Json* list = context.keyword(*schema, keyword);
      if (list && list->is_array()) n = std::max(n, list->size());
    }
  }
  for (const Shape::PlaceClaim& place : shape.places) n = std::max(n, place.index + 1);
  return n;
}

bool contains_evaluates(SchemaContext& context, const Shape& shape, const Json* schema) {
  if (context.document().draft() == SchemaDraft::of_2019_09) return false;
  return std::ranges::any_of(shape.schemas, [&](const Json* other) {
    const Json* rule = context.keyword(*other, "unevaluatedItems");
    return rule && *rule != true && is_applied_by(context, shape, schema, other);
  });
}

Claims item_claims(SchemaContext& context, const Shape& shape, std::optional<std::size_t> index,
                   const std::vector<const Json*>& found_by) {
  Claims claims;
  std::vector<const Json*> evaluate = found_by;
  if (!context.spend(1 + shape.schemas.size())) return claims;
  for (const Json* schema : shape.schemas) {
    const Json* items = context.keyword(*schema, "items");
    const bool old_tuple = items && items->is_array();
    const Json* first = old_tuple ? items : context.keyword(*schema, "prefixItems");
    const Json* rest = old_tuple ? context.keyword(*schema, "additionalItems") : items;
    if (first && index && *index < first->size()) {
      add_claim(context, claims, {&(*first)[*index], true});
      evaluate.push_back(schema);
    } else if (rest) {
      add_claim(context, claims, {rest, true});
      evaluate.push_back(schema);
    }
  }
  add_unevaluated(context, shape, "unevaluatedItems", evaluate, claims);
  for (const Claim& claim : shape.every_item) add_claim(context, claims, claim);
  for (const Shape::PlaceClaim& place : shape.places) {
    if (place.index == index) add_claim(context, claims, place.claim);
  }
  return claims;
}

}  // namespace pleiad::constrain
