// What each keyword that applies schemas, or asks for properties, adds to a shape.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "constrain/schema/expand.h"

namespace pleiad::constrain {
namespace {

/// Keywords of the standard's versions that decide on values and are not understood.
constexpr std::array<std::string_view, 3> kNotUnderstood = {"extends", "disallow", "$data"};
constexpr std::string_view kNotSupported = "this keyword is not supported";
constexpr std::size_t kMostDeniedAlternatives = 16;

bool is_not_understood(std::string_view keyword) {
  return std::ranges::find(kNotUnderstood, keyword) != kNotUnderstood.end();
}

/// Null, where the schema says so beside what else it says, as OpenAPI's do.
TypeSet null_of(const Keywords& schema) {
  const Json* nullable = schema.find("nullable");
  return nullable && *nullable == true ? kNull : TypeSet{0};
}

/// One name or a list of them, the strings among it.
std::vector<std::string_view> names_of(const Json& rule) {
  std::vector<std::string_view> out;
  if (rule.is_string()) out.emplace_back(rule.get_ref<const std::string&>());
  if (!rule.is_array()) return out;
  for (const Json& name : rule) {
    if (name.is_string()) out.emplace_back(name.get_ref<const std::string&>());
  }
  return out;
}

PresenceClause absent(const std::vector<std::string_view>& names) {
  PresenceClause clause;
  for (const std::string_view name : names) clause.literals.push_back({name, false});
  return clause;
}

PresenceClause one_of_names(std::initializer_list<PresenceClause::Literal> literals) {
  return {literals};
}

}  // namespace

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
    draft.choices.push_back(alternatives(schema, keyword, rule));
  } else if (keyword == "not") {
    draft.todo.push_back({{&rule, false}});
  } else if (keyword == "if") {
    const Json* then = context_.keyword(schema, "then");
    const Json* otherwise = context_.keyword(schema, "else");
    if (!then && !otherwise) return true;
    Option yes{.claims = {{&rule, true}}, .from = &schema};
    Option no{.claims = {{&rule, false}}, .from = &schema};
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
    context_.note(&schema, keyword, kNotSupported);
  }
  return !context_.failed();
}

void Expander::add_required(Draft& draft, const Json& names) {
  if (names.is_boolean()) return;  // of drafts before the fourth
  if (!context_.spend(names.size())) return;
  for (const Json& name : names) {
    draft.shape.clauses.push_back(one_of_names({{name.get_ref<const std::string&>(), true}}));
  }
}

void Expander::add_dependencies(Draft& draft, const Json& schema, const Json& rule) {
  for (const auto& item : rule.items()) {
    const std::string& trigger = item.key();
    const Json& asked = item.value();
    if (!context_.spend(1 + asked.size())) return;
    if (asked.is_string() || asked.is_array()) {
      for (const std::string_view name : names_of(asked)) {
        draft.shape.clauses.push_back(one_of_names({{trigger, false}, {name, true}}));
      }
      continue;
    }
    Option without{.clauses = {one_of_names({{trigger, false}})}};
    Option with{.types = kObject,
                .claims = {{&asked, true}},
                .clauses = {one_of_names({{trigger, true}})},
                .from = &schema};
    draft.choices.push_back(
        std::make_shared<const Choice>(Choice{std::move(without), std::move(with)}));
  }
}

bool Expander::add_negative(Draft& draft, const Json& schema) {
  const Opposite& opposite = opposite_of(schema);
  if (context_.failed()) return false;
  // Where it is asked whether there is a value at all, the ways that are missing count.
  if (nested_questions_ > 0 && !opposite.lost.empty()) return true;
  const Choice& choice = *opposite.choice;
  if (choice.empty() && !opposite.lost.empty()) {
    context_.note(
        &schema, opposite.lost,
        is_not_understood(opposite.lost) ? kNotSupported : "its opposite cannot be enforced");
    return !context_.failed();
  }
  if (choice.empty()) return false;
  if (choice.size() == 1) return take(draft, choice.front());
  draft.opposites.push_back(opposite);
  return true;
}

const Expander::Opposite& Expander::opposite_of(const Json& schema) {
  Opposite& known = opposites_[{&schema, nested_questions_}];
  if (known.choice) return known;
  Choice choice;
  std::string_view lost;
  const Keywords& keywords = context_.keywords(schema);
  for (const auto& [keyword, rule] : keywords) {
    const std::size_t n = choice.size();
    const bool is_whole = add_denied(choice, schema, keyword, *rule);
    if (context_.failed() || !context_.spend(choice.size() - n)) break;
    if (!is_whole && may_exclude(keywords, keyword, *rule)) lost = keyword;
  }
  if (null_of(context_.keywords(schema)) != 0) {
    for (Option& option : choice) option.types &= static_cast<TypeSet>(~kNull);
  }
  known = {std::make_shared<const Choice>(std::move(choice)), &schema, lost};
  return known;
}

/// The ways in which a keyword does not hold.
bool Expander::add_denied(Choice& choice, const Json& schema, std::string_view keyword,
                          const Json& rule) {
  const std::size_t n_before = choice.size();
  const auto denied = [](const Json& part) { return Claim{&part, false}; };
  if (keyword == "type") {
    const auto types = static_cast<TypeSet>(kAllTypes & ~types_listed(rule));
    if (types != 0) choice.push_back({.types = types});
  } else if (keyword == "$ref" || keyword == "$dynamicRef" || keyword == "$recursiveRef") {
    if (const Json* target = context_.resolve(schema, keyword)) {
      choice.push_back({.claims = {denied(*target)}});
    }
  } else if (keyword == "allOf") {
    for (const Json& part : rule) choice.push_back({.claims = {denied(part)}});
  } else if (keyword == "anyOf" || keyword == "oneOf") {
    Option none;
    for (const Json& part : rule) none.claims.push_back(denied(part));
    choice.push_back(std::move(none));
    if (keyword == "anyOf") return true;
    if (rule.size() > kMostDeniedAlternatives) return false;
    for (std::size_t i = 0; i < rule.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (are_disjoint(rule[i], rule[k])) continue;
        choice.push_back({.claims = {{&rule[k], true}, {&rule[i], true}}});
      }
    }
  } else if (keyword == "not") {
    choice.push_back({.claims = {{&rule, true}}});
  } else if (keyword == "if") {
    if (const Json* then = context_.keyword(schema, "then")) {
      choice.push_back({.claims = {{&rule, true}, denied(*then)}});
    }
    if (const Json* otherwise = context_.keyword(schema, "else")) {
      choice.push_back({.claims = {denied(rule), denied(*otherwise)}});
    }
  } else if (keyword == "required" && rule.is_array()) {
    PresenceClause clause = absent(names_of(rule));
    if (!clause.literals.empty()) choice.push_back({.types = kObject, .clauses = {clause}});
  } else if ((keyword == "dependencies" || keyword == "dependentRequired" ||
              keyword == "dependentSchemas") &&
             rule.is_object()) {
    for (const auto& item : rule.items()) {
      Option option{.types = kObject, .clauses = {one_of_names({{item.key(), true}})}};
      if (item.value().is_array() || item.value().is_string()) {
        PresenceClause missing = absent(names_of(item.value()));
        if (missing.literals.empty()) continue;
        option.clauses.push_back(std::move(missing));
      } else {
        option.claims.push_back(denied(item.value()));
      }
      choice.push_back(std::move(option));
    }
  } else if (keyword == "properties" && rule.is_object()) {
    for (const auto& item : rule.items()) {
      choice.push_back({.types = kObject,
                        .clauses = {one_of_names({{item.key(), true}})},
                        .properties = {{item.key(), denied(item.value())}}});
    }
  } else if (keyword == "items" && rule.is_object() && !context_.keyword(schema, "prefixItems")) {
    choice.push_back({.types = kArray, .some_item = {{denied(rule), &schema}}});
  } else if (keyword == "contains" && !context_.keyword(schema, "minContains") &&
             !context_.keyword(schema, "maxContains")) {
    choice.push_back({.types = kArray, .every_item = {denied(rule)}});
  } else {
    static constexpr std::array<std::string_view, 15> kDenied = {"enum",
                                                                 "const",
                                                                 "minimum",
                                                                 "maximum",
                                                                 "exclusiveMinimum",
                                                                 "exclusiveMaximum",
                                                                 "multipleOf",
                                                                 "divisibleBy",
                                                                 "minLength",
                                                                 "maxLength",
                                                                 "pattern",
                                                                 "minItems",
                                                                 "maxItems",
                                                                 "minProperties",
                                                                 "maxProperties"};
    const auto known = std::ranges::find(kDenied, keyword);
    if (known == kDenied.end()) return false;
    if (keyword.starts_with("exclusive") && rule.is_boolean()) return true;
    const TypeSet types = types_of_keyword(keyword);
    choice.push_back({.types = types == 0 ? kAllTypes : types, .denials = {{&schema, *known}}});
  }
  return choice.size() > n_before;
}

}  // namespace pleiad::constrain
