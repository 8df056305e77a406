// The rules of arrays.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "constrain/schema/compiler.h"
#include "constrain/tokens/item_counts.h"

namespace pleiad::constrain {
namespace {

/// Where a wanted item and a bound meet, each item is written out.
constexpr std::uint32_t kMostListedItems = 200;

Claims with_claim(Claims claims, const Claim& more) {
  if (std::ranges::find(claims, more) == claims.end()) claims.push_back(more);
  return claims;
}

}  // namespace

std::optional<Rule> SchemaCompiler::array(const Shape& shape) {
  ArrayForm form;
  const Spelling spelling = spelling_;
  const Counter count = counts(shape, "minItems", "maxItems");
  form.least = count.need;
  form.most = count.room;
  const std::size_t n_first = std::min<std::size_t>(n_first_items(context_, shape), form.most);
  const std::vector<const Json*> unique = asking_for_unique(shape);
  std::string_view unheld;
  if (!unique.empty()) {
    if (n_first > 0) unheld = "where items have schemas of their own";
    if (wants_item(shape)) unheld = "beside \"contains\"";
    if (form.least > kMostCountedItems) unheld = "beside such a large \"minItems\"";
  }
  form.distinct = !unique.empty() && unheld.empty() && form.most > 1;
  for (std::size_t i = 0; i < n_first; ++i) {
    if (!context_.spend(1)) return std::nullopt;
    const Claims claims = item_claims(context_, shape, i);
    if (is_impossible(claims)) {
      form.most = std::min(form.most, static_cast<std::uint32_t>(i));
      break;
    }
    form.first.push_back({value(claims), std::nullopt});
  }
  const Claims rest = item_claims(context_, shape, std::nullopt);
  if (is_impossible(rest)) {
    form.most = std::min(form.most, static_cast<std::uint32_t>(form.first.size()));
  } else {
    const bool one = form.distinct && spelling == Spelling::any;
    form.rest = ItemForm{value(rest, one ? Spelling::one : spelling), std::nullopt};
  }
  if (context_.failed() || form.least > form.most) return std::nullopt;
  form.distinct = form.distinct && form.rest && form.most > 1;
  if (!unheld.empty() && form.most > 1) note_unique(unique, unheld);
  if (!add_wanted_item(shape, form)) return std::nullopt;
  const Rule rule = writer_.array(form);
  if (form.distinct && !writer_.automaton().is_full()) {
    distinct_.push_back({writer_.automaton().distinct().back(), unique});
  }
  return rule;
}

/// Whose "uniqueItems" asks for something.
std::vector<const Json*> SchemaCompiler::asking_for_unique(const Shape& shape) {
  std::vector<const Json*> out;
  for (const Json* schema : shape.schemas) {
    const Json* rule = context_.keyword(*schema, "uniqueItems");
    if (rule && *rule == true) out.push_back(schema);
  }
  return out;
}

void SchemaCompiler::note_unique(const std::vector<const Json*>& schemas, std::string_view why) {
  for (const Json* schema : schemas) {
    context_.note(schema, "uniqueItems", fmt::format("it cannot be enforced {}", why));
  }
}

/// Lets the items of an array be equal, with a note, where they turned out to have several
/// spellings, or where it is not sure that there are enough different ones.
void SchemaCompiler::check_distinct() {
  if (distinct_.empty()) return;
  std::set<StateId> free = spelled_freely_;
  for (const Rule& rule : writer_.any_rules()) free.insert(rule.start);
  std::set<StateId> of_several;
  for (const DistinctArray& each : distinct_) {
    if (each.array.least > 1) of_several.insert(each.array.start);
  }
  for (const auto& [array, schemas] : distinct_) {
    const char* why = nullptr;
    if (reaches(array.item, free)) {
      why = "where items can have any value, or objects with names that are not listed";
    } else if (array.least > 1 && reaches(array.item, of_several)) {
      why = "beside \"minItems\" in arrays of such arrays";
    }
    if (context_.failed()) return;
    if (!why) continue;
    writer_.automaton().release_distinct(array);
    note_unique(schemas, why);
  }
}

/// Whether one of the states is on a way through the rule.
bool SchemaCompiler::reaches(const Rule& rule, const std::set<StateId>& states) {
  constexpr std::size_t kStatesPerStep = 8;
  const Automaton& automaton = writer_.automaton();
  std::vector<bool> seen(automaton.n_states());
  std::size_t n_seen = 0;
  std::vector<StateId> todo;
  const auto add = [&](StateId state) {
    if (seen[state]) return;
    seen[state] = true;
    todo.push_back(state);
  };
  add(rule.start);
  while (!todo.empty()) {
    const StateId state = todo.back();
    todo.pop_back();
    if (states.contains(state)) return true;
    if (++n_seen % kStatesPerStep == 0 && !context_.spend(1)) return false;
    for (const Edge& edge : automaton.edges(state)) add(edge.target);
    for (const StateId jump : automaton.jumps(state)) add(jump);
    for (const Call& call : automaton.calls(state)) {
      add(call.rule.start);
      add(call.back);
    }
  }
  return false;
}

/// "contains".
bool SchemaCompiler::wants_item(const Shape& shape) {
  return !shape.some_item.empty() || std::ranges::any_of(shape.schemas, [&](const Json* schema) {
    return context_.keyword(*schema, "contains") != nullptr;
  });
}

/// "contains". False where no array has such an item.
bool SchemaCompiler::add_wanted_item(const Shape& shape, ArrayForm& form) {
  Claims wanted;
  for (const auto& [claim, schema] : shape.some_item) wanted.push_back(claim);
  const auto note = [&](std::string_view why) {
    for (const Json* schema : shape.schemas) {
      if (context_.keyword(*schema, "contains")) context_.note(schema, "contains", why);
    }
    for (const auto& [claim, schema] : shape.some_item) context_.note(schema, "items", why);
  };
  for (const Json* schema : shape.schemas) {
    const Json* rule = context_.keyword(*schema, "contains");
    if (!rule) continue;
    const Json* least = context_.keyword(*schema, "minContains");
    if (context_.keyword(*schema, "maxContains")) {
      context_.note(schema, "maxContains", "this keyword is not supported");
    }
    if (least && *least == 0) continue;
    if (least && *least != 1) {
      context_.note(schema, "minContains", "only 0 and 1 are supported");
    }
    wanted.push_back({rule, true});
  }
  if (wanted.empty()) return true;
  if (wanted.size() > 1) note("only one item can be asked for at a time");
  form.wants_one = true;
  for (std::size_t i = 0; i < form.first.size(); ++i) {
    form.first[i].wanted = value(with_claim(item_claims(context_, shape, i), wanted[0]));
  }
  if (!form.rest) return true;
  form.rest->wanted = value(with_claim(item_claims(context_, shape, std::nullopt), wanted[0]));
  if (form.most == kUnbounded) return true;
  if (form.most > kMostListedItems) {
    note("it is not supported beside a large \"maxItems\"");
    form.wants_one = false;
    return true;
  }
  while (form.first.size() < form.most) form.first.push_back(*form.rest);
  form.rest.reset();
  return true;
}

}  // namespace pleiad::constrain
