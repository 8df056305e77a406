// The ways in which a schema does not hold.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "constrain/schema/expand.h"
#include "constrain/schema/one_of.h"
#include "constrain/schema/same_value.h"
#include "constrain/texts/string_formats.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMostDeniedAlternatives = 16;

/// Those that a shape may deny as they stand.
constexpr std::array<std::string_view, 16> kDenied = {"enum",
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
                                                      "format",
                                                      "minItems",
                                                      "maxItems",
                                                      "minProperties",
                                                      "maxProperties"};

/// What they hold is asked of the same value.
constexpr std::array<std::string_view, 8> kOfSameValue = {
    "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if"};
constexpr std::array<std::string_view, 5> kOfMembers = {
    "required", "dependencies", "dependentRequired", "dependentSchemas", "properties"};

PresenceClause absent_of(const std::vector<std::string_view>& names) {
  PresenceClause clause;
  for (const std::string_view name : names) clause.literals.push_back({name, false});
  return clause;
}

}  // namespace

bool Expander::add_negative(Draft& draft, const Json& schema) {
  const Opposite& opposite = opposite_of(schema);
  if (context_.failed()) return false;
  const bool is_lost = !opposite.lost.empty();
  // Where it is asked whether there is a value at all, the ways that are missing count.
  if (nested_questions_ > 0 && (is_lost || !opposite.of_names.empty())) return true;
  const Choice& choice = *opposite.choice;
  if (!opposite.of_names.empty()) {
    draft.opposites.push_back(opposite);
    return true;
  }
  if (choice.empty() && is_lost) {
    note_lost(opposite);
    return !context_.failed();
  }
  if (choice.empty()) return false;
  if (choice.size() == 1) {
    if (is_lost) context_.lose(&schema, opposite.lost);
    return take(draft, choice.front());
  }
  draft.opposites.push_back(opposite);
  return true;
}

/// That a schema is not denied, as no way is known in which it does not hold.
void Expander::note_lost(const Opposite& opposite) {
  context_.note(opposite.schema, opposite.lost,
                is_not_understood(opposite.lost) ? kNotUnderstood : kNoOpposite);
}

/// That a name of several is absent, or that a value which it may have there is denied: one way,
/// where the value is denied wherever it is there.
void Expander::let_be_absent(Choice& choice) {
  const auto absent = std::ranges::find_if(choice, [](const Option& option) {
    return option.types == kObject && option.clauses.size() == 1 && option.properties.empty() &&
           option.claims.empty() && option.denials.empty() &&
           std::ranges::none_of(option.clauses[0].literals, &PresenceClause::Literal::present);
  });
  if (absent == choice.end()) return;
  auto& literals = absent->clauses[0].literals;
  std::unordered_map<std::string_view, Option*> by_name;
  for (Option& option : choice) {
    if (option.types != kObject || option.properties.size() != 1 || option.clauses.size() != 1 ||
        !option.claims.empty()) {
      continue;
    }
    const PresenceClause there{{{option.properties[0].name, true}}};
    if (option.clauses[0] == there) by_name.emplace(option.properties[0].name, &option);
  }
  std::erase_if(literals, [&](const PresenceClause::Literal& literal) {
    const auto denied = by_name.find(literal.name);
    if (denied == by_name.end()) return false;
    denied->second->clauses.clear();
    return true;
  });
  if (literals.empty()) choice.erase(absent);
}

const Expander::Opposite& Expander::opposite_of(const Json& schema) {
  Opposite& known = opposites_[{&schema, nested_questions_}];
  if (known.choice) return known;
  Choice choice;
  std::string_view lost;
  std::vector<std::string_view> of_names;
  const Keywords& keywords = context_.keywords(schema);
  for (const auto& [keyword, rule] : keywords) {
    const std::size_t n = choice.size();
    const bool is_whole = add_denied(choice, schema, keyword, *rule);
    if (context_.failed() || !context_.spend(choice.size() - n)) break;
    if (is_whole || !may_exclude(keywords, keyword, *rule)) continue;
    if (is_of_names(schema, keyword)) {
      of_names.push_back(keyword);
    } else {
      lost = keyword;
    }
  }
  if (null_of(keywords) != 0) {
    for (Option& option : choice) option.types &= static_cast<TypeSet>(~kNull);
  }
  let_be_absent(choice);
  known = {std::make_shared<const Choice>(std::move(choice)), &schema, lost, std::move(of_names)};
  return known;
}

/// The ways in which a keyword does not hold. False where these are not all.
bool Expander::add_denied(Choice& choice, const Json& schema, std::string_view keyword,
                          const Json& rule) {
  if (keyword == "type") {
    const auto types = static_cast<TypeSet>(kAllTypes & ~types_listed(rule));
    if (types != 0) choice.push_back({.types = types});
    return true;
  }
  const std::size_t n_before = choice.size();
  if (is_one_of(kOfSameValue, keyword)) {
    return add_denied_schemas(choice, schema, keyword, rule) && choice.size() > n_before;
  }
  if (is_one_of(kOfMembers, keyword)) {
    add_denied_members(choice, keyword, rule);
    return choice.size() > n_before;
  }
  if (types_of_keyword(keyword) == kArray && add_denied_items(choice, schema, keyword, rule)) {
    return true;
  }
  if ((keyword == "const" || keyword == "enum") && denies_parts(keyword, rule)) {
    add_denied_values(choice, schema, keyword, rule);
    return choice.size() > n_before;
  }
  return add_denied_as_it_stands(choice, schema, keyword, rule);
}

/// The same of a keyword that applies schemas to the same value. False where not all are added.
bool Expander::add_denied_schemas(Choice& choice, const Json& schema, std::string_view keyword,
                                  const Json& rule) {
  const auto denied = [](const Json& part) { return Claim{&part, false}; };
  if (keyword == "anyOf" || keyword == "oneOf") {
    return add_denied_branches(choice, rule, keyword == "oneOf");
  }
  if (keyword == "allOf") {
    for (const Json& part : rule) choice.push_back({.claims = {denied(part)}});
  } else if (keyword == "not") {
    choice.push_back({.claims = {{&rule, true}}});
  } else if (keyword == "if") {
    if (const Json* then = context_.keyword(schema, "then")) {
      choice.push_back({.claims = {{&rule, true}, denied(*then)}});
    }
    if (const Json* otherwise = context_.keyword(schema, "else")) {
      choice.push_back({.claims = {denied(rule), denied(*otherwise)}});
    }
  } else if (const Json* target = context_.resolve(schema, keyword)) {
    choice.push_back({.claims = {denied(*target)}});
  }
  return true;
}

/// That no branch holds, or of those of which `one` has to that two do. False where the pairs are
/// too many.
bool Expander::add_denied_branches(Choice& choice, const Json& branches, bool one) {
  Option none;
  for (const Json& branch : branches) none.claims.push_back({&branch, false});
  choice.push_back(std::move(none));
  if (!one) return true;
  if (branches.size() > kMostDeniedAlternatives) return false;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (are_disjoint(branches[i], branches[k])) continue;
      choice.push_back({.claims = {{&branches[k], true}, {&branches[i], true}}});
    }
  }
  return true;
}

/// The same of a keyword that is about properties by their names.
void Expander::add_denied_members(Choice& choice, std::string_view keyword, const Json& rule) {
  if (keyword == "required") {
    if (!rule.is_array()) return;
    PresenceClause clause = absent_of(names_of(rule));
    if (!clause.literals.empty()) choice.push_back({.types = kObject, .clauses = {clause}});
    return;
  }
  if (!rule.is_object()) return;
  for (const auto& item : rule.items()) {
    Option option{.types = kObject, .clauses = {{{{item.key(), true}}}}};
    if (keyword == "properties") {
      option.properties = {{item.key(), {&item.value(), false}}};
    } else if (item.value().is_array() || item.value().is_string()) {
      PresenceClause missing = absent_of(names_of(item.value()));
      if (missing.literals.empty()) continue;
      option.clauses.push_back(std::move(missing));
    } else {
      option.claims.push_back({&item.value(), false});
    }
    choice.push_back(std::move(option));
  }
}

/// The same of one that a shape may deny. False where it is none of these.
bool Expander::add_denied_as_it_stands(Choice& choice, const Json& schema, std::string_view keyword,
                                       const Json& rule) {
  const auto known = std::ranges::find(kDenied, keyword);
  if (known == kDenied.end()) return false;
  if (keyword == "format" && !pattern_around_format(rule.get_ref<const std::string&>())) {
    return false;
  }
  if (keyword.starts_with("exclusive") && rule.is_boolean()) return true;
  const TypeSet types = types_of_keyword(keyword);
  choice.push_back({.types = types == 0 ? kAllTypes : types, .denials = {{&schema, *known}}});
  return true;
}

/// The same of a keyword of arrays. False where it is none of these, or not whole.
bool Expander::add_denied_items(Choice& choice, const Json& schema, std::string_view keyword,
                                const Json& rule) {
  if (keyword == "prefixItems" || (keyword == "items" && rule.is_array())) {
    for (std::size_t i = 0; i < rule.size(); ++i) {
      choice.push_back({.types = kArray, .places = {{i, {&rule[i], false}}}});
    }
    return true;
  }
  if (keyword == "items" || keyword == "additionalItems") {
    const Json* items = context_.keyword(schema, "items");
    const Json* first = keyword == "items" ? context_.keyword(schema, "prefixItems") : items;
    if (keyword == "additionalItems" && (!items || !items->is_array())) return true;
    const std::size_t n_first = first && first->is_array() ? first->size() : 0;
    choice.push_back(
        {.types = kArray, .some_items = {{{&rule, false}, &schema, keyword, n_first}}});
    return true;
  }
  if (keyword != "contains") return false;
  const auto [least, most] = bounds_of_contains(context_.keywords(schema));
  if (least == 1) {
    choice.push_back({.types = kArray, .every_item = {{&rule, false}}});
  } else if (least > 1) {
    choice.push_back(
        {.types = kArray, .some_items = {{{&rule, true}, &schema, keyword, 0, 0, least - 1}}});
  }
  if (most != kUnlimited) {
    choice.push_back(
        {.types = kArray, .some_items = {{{&rule, true}, &schema, keyword, 0, most + 1}}});
  }
  return true;
}

/// The same of "const" and "enum" with objects and lists, each of which a value differs from in one
/// of its parts.
void Expander::add_denied_values(Choice& choice, const Json& schema, std::string_view keyword,
                                 const Json& rule) {
  if (keyword == "enum") {
    Option none{.denials = {{&schema, "enum"}}};
    for (const Json& value : rule) {
      if (value.is_structured()) none.claims.push_back({constant(value, schema, keyword), false});
    }
    choice.push_back(std::move(none));
    return;
  }
  choice.push_back({.types = static_cast<TypeSet>(kAllTypes & ~type_of(rule))});
  const Json& sizes = *size_bounds(rule.size());
  if (rule.is_array()) {
    choice.push_back({.types = kArray, .denials = {{&sizes, "maxItems"}}});
    if (!rule.empty()) choice.push_back({.types = kArray, .denials = {{&sizes, "minItems"}}});
    for (std::size_t i = 0; i < rule.size(); ++i) {
      choice.push_back(
          {.types = kArray, .places = {{i, {constant(rule[i], schema, keyword), false}}}});
    }
    return;
  }
  PresenceClause missing;
  choice.push_back({.types = kObject, .denials = {{&sizes, "maxProperties"}}});
  for (const auto& item : rule.items()) {
    missing.literals.push_back({item.key(), false});
    choice.push_back(
        {.types = kObject,
         .clauses = {{{{item.key(), true}}}},
         .properties = {{item.key(), {constant(item.value(), schema, keyword), false}}}});
  }
  if (!rule.empty()) choice.push_back({.types = kObject, .clauses = {std::move(missing)}});
}

/// {"const": value}, of a value within a keyword's rule; it lives as long as this.
const Json* Expander::constant(const Json& value, const Json& schema, std::string_view keyword) {
  const auto [known, is_new] = constants_.try_emplace(&value);
  if (is_new) context_.set_origin(&known->second, &schema, keyword);
  if (is_new && context_.spend(n_values(value))) known->second = Json{{"const", value}};
  return &known->second;
}

/// Of lists and objects, that they have so many parts; it lives as long as this.
const Json* Expander::size_bounds(std::size_t size) {
  const auto [known, is_new] = size_bounds_.try_emplace(size);
  if (is_new) {
    for (const char* keyword : {"minItems", "maxItems", "minProperties", "maxProperties"}) {
      known->second[keyword] = size;
    }
  }
  return &known->second;
}

}  // namespace pleiad::constrain
