#include "constrain/schema/leave_out.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "constrain/schema/one_of.h"
#include "constrain/schema/places.h"
#include "constrain/schema/same_value.h"

namespace pleiad::constrain {
namespace {

using SchemaPlace = SchemaPlaces::Place;

/// What they hold is said of the same value, and evaluates its properties and items for the part
/// that has them.
constexpr std::array<std::string_view, 8> kInPlace = {
    "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies"};
/// Without them less of a value is evaluated, apart from these.
constexpr std::array<std::string_view, 13> kEvaluating = {"properties",
                                                          "patternProperties",
                                                          "additionalProperties",
                                                          "unevaluatedProperties",
                                                          "items",
                                                          "prefixItems",
                                                          "additionalItems",
                                                          "unevaluatedItems",
                                                          "contains",
                                                          "minContains",
                                                          "$ref",
                                                          "$dynamicRef",
                                                          "$recursiveRef"};
constexpr std::array<const char*, 2> kOfUnevaluated = {"unevaluatedProperties", "unevaluatedItems"};

/// A keyword to be taken out; an empty one: all but "type".
struct Removal {
  const SchemaPlace* part;
  std::string keyword;
  bool as_any_of = false;  // of a "oneOf" any branch may hold instead
};

/// What the keyword of a part says of a schema within it is not what the schema asks for.
bool turns_around(const Json& part, std::string_view keyword) {
  if (keyword == "contains") return part.contains("maxContains");
  return keyword == "not" || keyword == "if" || keyword == "oneOf";
}

/// The outermost keyword on the way to a place that turns it around, with the part that has it.
std::optional<Removal> outermost_turn(const SchemaPlace& place, bool is_opposite) {
  std::optional<Removal> out;
  for (const SchemaPlace* at = &place; at->around; at = at->around) {
    const Json& around = *at->around->part;
    if (!turns_around(around, at->keyword)) continue;
    const bool is_branch = at->keyword == "oneOf" && !around.contains("anyOf");
    out = Removal{at->around, std::string(at->keyword), is_opposite && is_branch};
  }
  return out;
}

/// What is to be taken out, that of the fault's own part first.
std::vector<Removal> removals_for(const SchemaPlaces& places, const SchemaPlace& own,
                                  const SchemaFault& fault) {
  std::vector<Removal> out;
  for (const SchemaPlace* place : places.leading_to(own)) {
    std::optional<Removal> turn = outermost_turn(*place, fault.is_opposite);
    if (turn) {
      out.push_back(*std::move(turn));
    } else if (place == &own && !fault.is_opposite) {
      out.push_back({&own, fault.keyword});
    }
  }
  if (out.empty()) out.push_back({&own, fault.keyword});
  return out;
}

bool evaluates_less_without(const Removal& removal) {
  const std::string& keyword = removal.keyword;
  return !removal.as_any_of &&
         (keyword.empty() || is_one_of(kInPlace, keyword) || is_one_of(kEvaluating, keyword));
}

/// The parts that see of a value what these evaluate.
std::vector<const SchemaPlace*> seeing(const SchemaPlaces& places,
                                       std::vector<const SchemaPlace*> parts) {
  std::unordered_set<const SchemaPlace*> known(parts.begin(), parts.end());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SchemaPlace& at = *parts[i];
    const auto add = [&](const SchemaPlace* other) {
      if (known.insert(other).second) parts.push_back(other);
    };
    if (at.around && is_one_of(kInPlace, at.keyword)) add(at.around);
    for (const SchemaPlace* referring : places.referring_to(at)) add(referring);
  }
  return parts;
}

/// With what means nothing, or something else, without it.
void erase_keyword(Json& part, const std::string& keyword) {
  part.erase(keyword);
  const bool names = keyword == "properties" || keyword == "patternProperties";
  if (names) part.erase("additionalProperties");
  if (keyword == "prefixItems") part.erase("items");
  if (keyword == "items") part.erase("additionalItems");
  if (keyword == "minContains") part.erase("contains");  // which would ask for one
}

/// One removal: where it is, once nothing of the schema is known by its address any more.
struct Taking {
  std::string pointer;  // of the part
  std::string keyword;
  bool as_any_of = false;
};

bool take_out(Json& schema, const Taking& step) {
  const Json::json_pointer place(step.pointer);
  if (!schema.contains(place)) return false;  // it went with another
  Json& part = schema[place];
  if (step.keyword.empty()) {
    const Json* type = part.is_object() ? find_member(part, "type") : nullptr;
    Json rest = type ? Json{{"type", *type}} : Json(true);
    if (&part == &schema || rest == part) return false;
    part = std::move(rest);
    return true;
  }
  if (!part.is_object() || !part.contains(step.keyword)) return false;
  if (step.as_any_of) {
    Json branches = std::move(part[step.keyword]);
    part.erase(step.keyword);
    part["anyOf"] = std::move(branches);
  } else {
    erase_keyword(part, step.keyword);
  }
  return true;
}

}  // namespace

bool leave_out(Json& schema, const SchemaFault& fault, SchemaBudget& budget) {
  if (!budget.spend(n_values(schema))) return false;
  std::vector<Taking> steps;
  {
    const SchemaPlaces places(schema);
    const SchemaPlace* own = places.at(fault.pointer);
    if (!own) return false;
    std::vector<const SchemaPlace*> less;  // is evaluated by them
    for (const Removal& removal : removals_for(places, *own, fault)) {
      if (evaluates_less_without(removal)) less.push_back(removal.part);
      steps.push_back({pointer_of(*removal.part), removal.keyword, removal.as_any_of});
    }
    for (const SchemaPlace* part : seeing(places, std::move(less))) {
      for (const char* keyword : kOfUnevaluated) {
        if (find_member(*part->part, keyword)) steps.push_back({pointer_of(*part), keyword});
      }
    }
  }
  // Where the first one changes nothing there is no such place.
  if (!take_out(schema, steps.front())) return false;
  for (std::size_t i = 1; i < steps.size(); ++i) take_out(schema, steps[i]);
  return true;
}

}  // namespace pleiad::constrain
