// Whether schemas exclude each other.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "constrain/schema/bounds.h"
#include "constrain/schema/claims.h"
#include "constrain/schema/expand.h"
#include "constrain/schema/same_value.h"
#include "constrain/texts/characters.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxShapesOfQuestions = 250;

/// Whether no text has all the patterns that a shape asks for.
bool matches_no_text(SchemaContext& context, const Shape& shape) {
  constexpr std::size_t kMostStates = 2000;
  std::vector<DfaCondition> conditions;
  for (const Json* schema : shape.schemas) {
    const Json* pattern = context.keyword(*schema, "pattern");
    std::string problem;
    const Dfa* dfa =
        pattern ? context.pattern(pattern->get_ref<const std::string&>(), problem) : nullptr;
    if (dfa && is_empty(*dfa)) return true;
    if (dfa) conditions.push_back({dfa, true});
  }
  if (conditions.size() < 2) return false;
  const std::optional<Dfa> both =
      context.restricted(any_plain_text(context.syntax()), conditions, kMostStates);
  return both && is_empty(*both);
}

/// The only type of its values; none where there are several, or that is not seen.
TypeSet only_type(const Keywords& schema) {
  const Json* type = schema.find("type");
  return type && !schema.find("nullable") ? types_listed(*type) : TypeSet{0};
}

/// The texts of which its value is one, where it lists few and nothing else; else none.
std::vector<const Json*> texts_listed(const Keywords& schema) {
  constexpr std::size_t kMost = 8;
  if (schema.find("nullable")) return {};
  std::vector<const Json*> out;
  if (const Json* value = schema.find("const")) {
    out.push_back(value);
  } else if (const Json* values = schema.find("enum");
             values && values->is_array() && values->size() <= kMost) {
    for (const Json& each : *values) out.push_back(&each);
  }
  const bool all_texts =
      std::ranges::all_of(out, [](const Json* value) { return value->is_string(); });
  return all_texts ? out : std::vector<const Json*>();
}

/// Whether it is seen without a question: lists of a discriminator's values, types.
bool differ_at_once(const Keywords& one, const Keywords& other) {
  const TypeSet type = only_type(one);
  const TypeSet other_type = only_type(other);
  if (type != 0 && other_type != 0 && (type & other_type) == 0) return true;
  const std::vector<const Json*> texts = texts_listed(one);
  const std::vector<const Json*> other_texts = texts_listed(other);
  return !texts.empty() && !other_texts.empty() &&
         std::ranges::none_of(texts, [&](const Json* text) {
           return std::ranges::any_of(other_texts,
                                      [&](const Json* value) { return *value == *text; });
         });
}

/// Whether it says the same wherever it stands: nothing in it is a schema or a reference.
bool is_flat(const Json& schema) {
  return schema.is_object() && std::ranges::all_of(schema.items(), [](const auto& member) {
           const std::string& name = member.key();
           return !member.value().is_object() && !name.starts_with('$') &&
                  (!member.value().is_array() || name == "type" || name == "enum" ||
                   name == "required");
         });
}

}  // namespace

/// Whether what holds already excludes the schema that must not hold.
bool Expander::is_needless(Draft& draft, const Opposite& opposite) {
  if (is_out_of_reach(draft.shape, *opposite.schema)) {
    draft.out_of_reach.push_back(opposite);
    return true;
  }
  constexpr std::size_t kMost = 8;
  const auto& schemas = draft.shape.schemas;
  return nested_questions_ == 0 && schemas.size() <= kMost &&
         std::ranges::any_of(schemas, [&](const Json* schema) {
           // One that applies others might exclude it only because it is denied here.
           return applied_by(*schema).empty() && are_disjoint(*schema, *opposite.schema);
         });
}

/// Whether the schema asks for a property that is never written in this shape.
bool Expander::is_out_of_reach(const Shape& shape, const Json& schema) {
  const Json* names = context_.keyword(schema, "required");
  if (!names || !names->is_array() || allows_others(context_, shape)) return false;
  const Json* type = context_.keyword(schema, "type");
  const Json* nullable = context_.keyword(schema, "nullable");
  TypeSet types = type ? types_listed(*type) : kAllTypes;
  if (nullable && *nullable == true) types |= kNull;
  if ((types & shape.types) != kObject) return false;
  std::size_t n = shape.schemas.size() + shape.clauses.size() + shape.properties.size();
  if (!context_.spend(1 + n * names->size())) return false;
  for (const Json* part : shape.schemas) {
    for (const char* keyword : {"patternProperties", "enum", "const"}) {
      if (context_.keyword(*part, keyword)) return false;
    }
  }
  return std::ranges::any_of(*names, [&](const Json& name) {
    return name.is_string() && !names_property(context_, shape, name.get_ref<const std::string&>());
  });
}

/// Where a reference leads, and that one, as far as a few do: what they name holds whatever stands
/// beside them.
const Keywords& Expander::named_keywords(const Json& schema) {
  constexpr int kMostReferences = 4;
  const Json* at = &schema;
  for (int i = 0; i < kMostReferences && context_.keyword(*at, "$ref"); ++i) {
    const Json* target = context_.resolve(*at, "$ref");
    if (!target) break;
    at = target;
  }
  return context_.keywords(*at);
}

/// Whether it is seen without a question that objects of both would need a property to be of two
/// kinds, which is how a discriminator tells branches apart.
bool Expander::differ_in_a_property(const Keywords& one, const Keywords& other) {
  constexpr std::size_t kMostNames = 8;
  if (only_type(one) != kObject && only_type(other) != kObject) return false;
  const Json* properties = one.find("properties");
  const Json* other_properties = other.find("properties");
  if (!properties || !other_properties) return false;
  for (const Json* required : {one.find("required"), other.find("required")}) {
    if (!required || !required->is_array()) continue;
    for (std::size_t i = 0; i < std::min(required->size(), kMostNames); ++i) {
      const Json& name = (*required)[i];
      if (!name.is_string()) continue;
      const Json* value = find_member(*properties, name.get_ref<const std::string&>());
      const Json* other_value = find_member(*other_properties, name.get_ref<const std::string&>());
      if (value && other_value &&
          differ_at_once(named_keywords(*value), named_keywords(*other_value))) {
        return true;
      }
    }
  }
  return false;
}

bool Expander::are_disjoint(const Json& one, const Json& other) {
  if (differ_at_once(context_.keywords(one), context_.keywords(other))) return true;
  const Keywords& named = named_keywords(one);
  const Keywords& other_named = named_keywords(other);
  if (differ_at_once(named, other_named) || differ_in_a_property(named, other_named)) return true;
  // By value: what std::minmax() gives refers to its arguments.
  const std::pair<const Json*, const Json*> key = std::minmax(&one, &other);
  const auto known = disjoint_.find(key);
  if (known != disjoint_.end()) return known->second;
  // The question may lead to others of its kind, and to itself: not for long.
  constexpr int kMostNested = 2;
  if (nested_questions_ == kMostNested) return false;
  ++nested_questions_;
  const bool disjoint = is_empty({{&one, true}, {&other, true}});
  --nested_questions_;
  disjoint_[key] = disjoint;
  return disjoint;
}

bool Expander::is_within(const Json& one, const Json& other) {
  if (&one == &other) return true;
  const auto [known, is_new] = within_.try_emplace({&one, &other}, false);
  if (!is_new || nested_questions_ > 0) return known->second;
  if (is_flat(one) && is_flat(other)) {
    if (!context_.spend(1 + std::min(n_values(one), n_values(other)) / 8)) return false;
    if (one == other) return known->second = true;
  }
  ++nested_questions_;
  const bool within = is_empty({{&one, true}, {&other, false}});
  --nested_questions_;
  return within_[{&one, &other}] = within;
}

bool Expander::is_empty(const Claims& claims, int depth) {
  const SchemaContext::Quiet quiet(context_);
  Draft draft;
  draft.todo = steps_of(claims);
  Walk walk(kMaxShapesOfQuestions, 0, true);
  walk_all(walk, std::move(draft));
  return !context_.failed() && !walk.gave_up &&
         std::ranges::all_of(walk.shapes,
                             [&](const Shape& shape) { return is_empty(shape, depth); });
}

bool Expander::is_empty(const Shape& shape, int depth) {
  if (shape.types == 0) return true;
  if (const auto listed = listed_values(context_, shape)) {
    return std::ranges::all_of(listed->values, [&](const Json* value) {
      return validity_.of(shape, *value, listed->of_enum) == Verdict::no;
    });
  }
  if (!context_.spend(1 + (shape.schemas.size() + shape.denials.size()) / 4)) return false;
  const TypeSet out_of_bounds = types_out_of_bounds(context_, shape, shape.types);
  if ((shape.types & ~out_of_bounds) == 0) return true;
  if (shape.types == kString) return matches_no_text(context_, shape);
  if (shape.types != kObject || depth == 0 || !context_.spend(shape.clauses.size())) return false;
  std::map<std::string_view, bool> decided;
  for (const PresenceClause& clause : shape.clauses) {
    if (clause.literals.size() != 1) continue;
    const auto& [name, present] = clause.literals[0];
    if (decided.try_emplace(name, present).first->second != present) return true;
  }
  return std::ranges::any_of(decided, [&](const auto& one) {
    if (!one.second) return false;
    Claims claims = property_claims(context_, shape, std::string(one.first));
    if (shape.may_evaluate_more) forget_unevaluated(shape, claims);
    return is_empty(claims, depth - 1);
  });
}

}  // namespace pleiad::constrain
