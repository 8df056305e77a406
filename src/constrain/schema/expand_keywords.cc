// What each keyword that applies schemas, or asks for properties, adds to a shape.
#include "constrain/schema/expand.h"

namespace pleiad::constrain {

bool Expander::add_positive(Draft& draft, const Json& schema) {
  Shape& shape = draft.shape;
  bool speaks = false;
  for (const auto& [keyword, rule] : context_.keywords(schema)) {
    if (!add_keyword(draft, schema, keyword, *rule)) return false;
    speaks = speaks || types_of_keyword(keyword) != 0 || keyword == "type" || keyword == "enum" ||
             keyword == "const";
  }
  if (speaks) shape.schemas.push_back(&schema);
  return shape.types != 0;
}

bool Expander::add_keyword(Draft& draft, const Json& schema, std::string_view keyword,
                           const Json& rule) {
  const auto claim = [&](const Json& part) { draft.todo.push_back({{&part, true}, &schema}); };
  if (keyword == "type") {
    draft.shape.types &=
        static_cast<TypeSet>(types_listed(rule) | null_of(context_.keywords(schema)));
  } else if (keyword == "$ref" || keyword == "$dynamicRef" || keyword == "$recursiveRef") {
    if (const Json* target = context_.resolve(schema, keyword)) claim(*target);
  } else if (keyword == "allOf") {
    for (const Json& part : rule) claim(part);
  } else if (keyword == "anyOf" || keyword == "oneOf") {
    if (keyword == "anyOf" && nested_questions_ > 0 && rule.size() > 1) {
      draft.shape.may_evaluate_more = true;
    }
    draft.choices.push_back(alternatives(schema, keyword, rule));
  } else if (keyword == "not") {
    draft.todo.push_back({{&rule, false}});
  } else if (keyword == "if") {
    const Json* then = context_.keyword(schema, "then");
    const Json* otherwise = context_.keyword(schema, "else");
    const bool decides_nothing = !then && !otherwise;
    if (decides_nothing && (!context_.document().has_unevaluated() || is_one_enough_)) return true;
    Option yes{.claims = {{&rule, true}}, .from = &schema};
    Option no{.from = &schema};
    // Alone it only evaluates what it looks at where it holds: who asks nothing of that may be
    // any value.
    if (!decides_nothing) no.claims.push_back({&rule, false});
    if (then) yes.claims.push_back({then, true});
    if (otherwise) no.claims.push_back({otherwise, true});
    draft.choices.push_back(std::make_shared<const Choice>(Choice{std::move(yes), std::move(no)}));
  } else if (keyword == "required") {
    add_required(draft, rule);
  } else if (keyword == "dependencies" || keyword == "dependentRequired" ||
             keyword == "dependentSchemas") {
    add_dependencies(draft, schema, rule);
  } else if (keyword == "const") {
    draft.shape.types &= static_cast<TypeSet>(type_of(rule) | null_of(context_.keywords(schema)));
  } else if (keyword == "enum") {
    if (!context_.spend(rule.size() / 8)) return false;
    TypeSet types = null_of(context_.keywords(schema));
    for (const Json& value : rule) types |= type_of(value);
    draft.shape.types &= types;
  } else if (is_not_understood(keyword)) {
    context_.note(&schema, keyword, kNotUnderstood);
  }
  return !context_.failed();
}

void Expander::add_required(Draft& draft, const Json& names) {
  if (names.is_boolean()) return;  // of drafts before the fourth
  if (!context_.spend(names.size())) return;
  for (const Json& name : names) {
    draft.shape.clauses.push_back(PresenceClause{{{name.get_ref<const std::string&>(), true}}});
  }
}

void Expander::add_dependencies(Draft& draft, const Json& schema, const Json& rule) {
  for (const auto& item : rule.items()) {
    const std::string& trigger = item.key();
    const Json& asked = item.value();
    if (!context_.spend(1 + asked.size())) return;
    if (asked.is_string() || asked.is_array()) {
      for (const std::string_view name : names_of(asked)) {
        draft.shape.clauses.push_back(PresenceClause{{{trigger, false}, {name, true}}});
      }
      continue;
    }
    Option without{.clauses = {{{{trigger, false}}}}};
    Option with{.types = kObject,
                .claims = {{&asked, true}},
                .clauses = {{{{trigger, true}}}},
                .from = &schema};
    draft.choices.push_back(
        std::make_shared<const Choice>(Choice{std::move(without), std::move(with)}));
  }
}

}  // namespace pleiad::constrain
