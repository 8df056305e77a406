#include "constrain/schema/expand.h"

#include <fmt/format.h>

#include <algorithm>

#include "constrain/characters.h"
#include "constrain/schema/claims.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxShapes = 2000;
constexpr int kMaxWay = 500;

/// Whether a shape names the values that it allows.
const Json* listed_values(const Shape& shape) {
  for (const Json* schema : shape.schemas) {
    if (const Json* list = find_member(*schema, "enum"); list && list->is_array()) return list;
  }
  return nullptr;
}

/// Whether no text has all the patterns that a shape asks for.
bool matches_no_text(SchemaContext& context, const Shape& shape) {
  constexpr std::size_t kMostStates = 2000;
  std::vector<DfaCondition> conditions;
  for (const Json* schema : shape.schemas) {
    const Json* pattern = find_member(*schema, "pattern");
    std::string problem;
    const Dfa* dfa = pattern && pattern->is_string()
                         ? context.pattern(pattern->get_ref<const std::string&>(), problem)
                         : nullptr;
    if (dfa) conditions.push_back({dfa, true});
  }
  if (conditions.size() < 2) return false;
  const std::optional<Dfa> both =
      restricted(any_plain_text(context.syntax()), conditions, kMostStates);
  return both && is_empty(*both);
}

}  // namespace

std::vector<Shape> Expander::expand(const Claims& claims) {
  Draft draft;
  draft.todo.assign(claims.begin(), claims.end());
  draft.shape.of_one_schema = claims.size() == 1;
  std::vector<Shape> out;
  work(std::move(draft), out);
  return out;
}

void Expander::work(Draft draft, std::vector<Shape>& out) {
  if (!context_.spend(1 + draft.shape.schemas.size() + 8 * draft.choices.size())) return;
  while (!draft.todo.empty()) {
    const Claim claim = draft.todo.front();
    draft.todo.pop_front();
    // What it applies comes before what stands behind it, so that properties keep their order.
    std::deque<Claim> behind = std::exchange(draft.todo, {});
    if (draft.seen.contains({claim.schema, !claim.holds})) return;
    const bool is_new = draft.seen.insert(claim).second;
    if (is_new && (!add(draft, claim) || context_.failed())) return;
    draft.todo.insert(draft.todo.end(), behind.begin(), behind.end());
  }
  if (draft.shape.types == 0) return;
  if (draft.choices.empty()) {
    if (out.size() == kMaxShapes) {
      context_.fail(nullptr, {}, "its alternatives, each with each, are too many");
      return;
    }
    out.push_back(std::move(draft.shape));
    return;
  }
  const Choice choice = std::move(draft.choices.front());
  draft.choices.pop_front();
  for (const Option& option : choice) {
    if ((draft.shape.types & option.types) == 0) continue;
    Draft next = draft;
    take(next, option);
    work(std::move(next), out);
  }
}

void Expander::take(Draft& draft, const Option& option) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  draft.shape.types &= option.types;
  append(draft.todo, option.claims);
  append(draft.shape.denials, option.denials);
  append(draft.shape.clauses, option.clauses);
  append(draft.shape.properties, option.properties);
  append(draft.shape.every_item, option.every_item);
  append(draft.shape.some_item, option.some_item);
}

bool Expander::add(Draft& draft, const Claim& claim) {
  const Json& schema = *claim.schema;
  if (schema.is_boolean()) return schema.get<bool>() == claim.holds;
  if (!schema.is_object()) {
    context_.fail(&schema, {}, "expected a schema: an object or a boolean");
    return false;
  }
  if (leads_back(schema, 0)) {
    context_.fail(&schema, {}, "a \"$ref\" leads back to itself without any value in between");
    return false;
  }
  return claim.holds ? add_positive(draft, schema) : add_negative(draft, schema);
}

/// Follows what applies to the same value.
bool Expander::leads_back(const Json& schema, int depth) {
  if (!schema.is_object()) return false;
  const auto [found, is_new] = circles_.try_emplace(&schema, true);
  if (!is_new) return found->second;
  if (depth > kMaxWay) return true;
  bool back = false;
  const auto follow = [&](const Json* next) {
    back = back || (next && leads_back(*next, depth + 1));
  };
  for (const auto& item : schema.items()) {
    const std::string& keyword = item.key();
    const Json& rule = item.value();
    if (keyword == "$ref" || keyword == "$dynamicRef" || keyword == "$recursiveRef") {
      follow(context_.resolve(schema, keyword));
    } else if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf") {
      for (const Json& part : rule) follow(&part);
    } else if (keyword == "not" || keyword == "if" || keyword == "then" || keyword == "else") {
      follow(&rule);
    } else if (keyword == "dependentSchemas" || keyword == "dependencies") {
      for (const auto& part : rule.items()) follow(&part.value());
    }
  }
  circles_[&schema] = back;
  return back;
}

TypeSet Expander::read_types(const Json& schema, const Json& rule) {
  TypeSet types = 0;
  for (const Json& name : rule.is_array() ? rule : Json::array({rule})) {
    const TypeSet one = name.is_string() ? type_named(name.get_ref<const std::string&>()) : 0;
    if (one == 0) {
      context_.fail(&schema, "type",
                    "expected one of object, array, string, number, integer, boolean, null, or a "
                    "list of them");
    }
    types |= one;
  }
  return types;
}

Expander::Choice Expander::alternatives(const Json& schema, const std::string& keyword,
                                        const Json& parts) {
  Choice choice;
  if (!parts.is_array() || parts.empty()) {
    context_.fail(&schema, keyword, "expected a list of at least one schema");
    return choice;
  }
  if (keyword == "oneOf") return exactly_one(schema, parts);
  for (const Json& part : parts) choice.push_back({.claims = {{&part, true}}});
  return choice;
}

/// Each with what keeps it apart from the others: nothing where they are apart anyway.
Expander::Choice Expander::exactly_one(const Json& schema, const Json& parts) {
  Choice choice;
  for (const Json& part : parts) {
    Option option{.claims = {{&part, true}}};
    for (const Json& other : parts) {
      // In a question whether there is a value at all, one of several is enough.
      if (nested_questions_ > 0) break;
      if (&part == &other || !context_.spend(1) || are_disjoint(part, other)) continue;
      option.claims.push_back({&other, false});
    }
    choice.push_back(std::move(option));
  }
  (void)schema;
  return choice;
}

bool Expander::are_disjoint(const Json& one, const Json& other) {
  const auto key = std::minmax(&one, &other);
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

bool Expander::is_empty(const Claims& claims, int depth) {
  const SchemaContext::Quiet quiet(context_);
  const std::vector<Shape> shapes = expand(claims);
  return !context_.failed() &&
         std::ranges::all_of(shapes, [&](const Shape& shape) { return is_empty(shape, depth); });
}

bool Expander::is_empty(const Shape& shape, int depth) {
  if (shape.types == 0) return true;
  const Json* values = listed_values(shape);
  for (const Json* schema : shape.schemas) {
    if (const Json* only = find_member(*schema, "const")) return !validity_.holds(shape, *only);
  }
  if (values) {
    return std::ranges::none_of(*values,
                                [&](const Json& value) { return validity_.holds(shape, value); });
  }
  if (shape.types == kString) return matches_no_text(context_, shape);
  if (shape.types != kObject || depth == 0) return false;
  for (const PresenceClause& clause : shape.clauses) {
    if (clause.literals.size() != 1) continue;
    const auto& [name, present] = clause.literals[0];
    for (const PresenceClause& other : shape.clauses) {
      if (other.literals.size() == 1 && other.literals[0].name == name &&
          other.literals[0].present != present) {
        return true;
      }
    }
    if (present && is_empty(property_claims(context_, shape, name), depth - 1)) return true;
  }
  return false;
}

}  // namespace pleiad::constrain
