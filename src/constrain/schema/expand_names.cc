// What of a schema does not hold by which names an object has: of "additionalProperties" and the
// like, in a shape whose names are listed.
#include <algorithm>
#include <array>
#include <utility>

#include "constrain/schema/claims.h"
#include "constrain/schema/expand.h"
#include "constrain/schema/one_of.h"

namespace pleiad::constrain {
namespace {

constexpr std::array<std::string_view, 4> kOfNames = {
    "additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames"};

/// Whether it evaluates no more than its own keywords of properties do.
bool evaluates_alone(const Keywords& keywords) {
  return std::ranges::none_of(keywords, [](const Keywords::Keyword& keyword) {
    const std::string_view name = keyword.name;
    return name == "allOf" || name == "anyOf" || name == "oneOf" || name == "not" || name == "if" ||
           name == "additionalProperties" || name.starts_with("depend") || name.ends_with("Ref") ||
           name == "$ref";
  });
}

}  // namespace

/// Whether what a keyword forbids is known where all names are.
bool Expander::is_of_names(const Json& schema, std::string_view keyword) {
  if (keyword == "unevaluatedProperties") return evaluates_alone(context_.keywords(schema));
  return is_one_of(kOfNames, keyword);
}

/// The names that an object of the shape has, where one of its schemas lists all; else those that
/// its schemas name, and false.
std::pair<std::vector<std::string_view>, bool> Expander::names_of_shape(const Shape& shape) {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (!context_.spend(1 + names.size() / 16)) return;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  const auto add_listed = [&](const Json& schema) {
    const Json* properties = context_.keyword(schema, "properties");
    if (!properties) return;
    for (const auto& item : properties->items()) add(item.key());
  };
  for (const Json* schema : shape.schemas) {
    const Keywords& keywords = context_.keywords(*schema);
    const Json* patterns = keywords.find("patternProperties");
    const Json* others = keywords.find("additionalProperties");
    if (!others && evaluates_alone(keywords)) others = keywords.find("unevaluatedProperties");
    if (!others || *others != false || (patterns && !patterns->empty())) continue;
    add_listed(*schema);
    return {std::move(names), true};
  }
  for (const Json* schema : shape.schemas) add_listed(*schema);
  for (const PresenceClause& clause : shape.clauses) {
    for (const auto& literal : clause.literals) add(literal.name);
  }
  for (const Shape::PropertyClaim& property : shape.properties) add(property.name);
  return {std::move(names), false};
}

/// What the keyword asks of the value of a property; `is_known` is false where that is not known.
Claims Expander::asked_of_name(const Json& schema, std::string_view keyword, std::string_view name,
                               bool& is_known) {
  const Json& rule = *context_.keyword(schema, keyword);
  Claims asked;
  if (keyword == "propertyNames") {
    const Verdict verdict = validity_.of(rule, Json(std::string(name)));
    is_known = verdict != Verdict::unknown;
    if (verdict == Verdict::no) asked.push_back(impossible());
    return asked;
  }
  const Json* patterns = context_.keyword(schema, "patternProperties");
  if (patterns && !patterns->is_object()) patterns = nullptr;
  bool is_matched = false;
  if (patterns) {
    for (const auto& item : patterns->items()) {
      const std::optional<bool> matches = context_.matches(item.key(), name);
      is_known = is_known && matches.has_value();
      if (matches != true) continue;
      is_matched = true;
      if (keyword == "patternProperties") asked.push_back({&item.value(), true});
    }
  }
  if (keyword == "patternProperties") return asked;
  const Json* properties = context_.keyword(schema, "properties");
  const bool is_listed = properties && context_.document().member(*properties, name) != nullptr;
  if (is_listed) is_known = true;
  if (!is_listed && !is_matched) asked.push_back({&rule, true});
  return asked;
}

/// With the ways that names give; `lost` where some may be missing. Drafts have mostly the same
/// names, so that the ways are copied once for all of them.
const Expander::Opposite& Expander::with_names(const Shape& shape, const Opposite& opposite) {
  if (opposite.of_names.empty() || (shape.types & kObject) == 0) return opposite;
  const auto [names, are_all] = names_of_shape(shape);
  const auto [known, is_new] = with_names_.try_emplace({opposite.choice, are_all, names}, opposite);
  Opposite& out = known->second;
  if (!is_new || !context_.spend(opposite.choice->size())) return out;
  Choice choice = *opposite.choice;
  for (const std::string_view keyword : opposite.of_names) {
    bool is_whole = are_all;
    PresenceClause forbidden;
    for (const std::string_view name : names) {
      if (!context_.spend(1)) return out;
      bool is_known = true;
      const Claims asked = asked_of_name(*opposite.schema, keyword, name, is_known);
      is_whole = is_whole && is_known;
      if (!is_known) continue;
      if (is_impossible(asked)) {
        forbidden.literals.push_back({name, true});
        continue;
      }
      for (const Claim& claim : asked) {
        if (*claim.schema == true) continue;
        choice.push_back({.types = kObject,
                          .clauses = {{{{name, true}}}},
                          .properties = {{name, {claim.schema, false}}}});
      }
    }
    if (!forbidden.literals.empty()) {
      choice.push_back({.types = kObject, .clauses = {std::move(forbidden)}});
    }
    if (!is_whole) out.lost = keyword;
  }
  out.choice = std::make_shared<const Choice>(std::move(choice));
  return out;
}

}  // namespace pleiad::constrain
