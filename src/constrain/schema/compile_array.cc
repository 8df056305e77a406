// The rules of arrays.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "constrain/schema/bounds.h"
#include "constrain/schema/compiler.h"
#include "constrain/tokens/item_counts.h"

namespace pleiad::constrain {
namespace {

/// Of what is wanted among items, the kinds that are told apart, and the ways from item to item.
constexpr std::size_t kMostWantedKinds = 6;
constexpr std::size_t kMostWaysOfItems = 50'000;

/// Whether items have to be anything but what is wanted among them. What that leaves open may be
/// read as narrower alone than together with what is wanted, as types are implied where none is
/// named: "minimum" alone means a number.
bool is_asked_of_items(SchemaContext& context, const Shape& shape) {
  return n_first_items(context, shape) > 0 || !item_claims(context, shape, {}, {}).empty();
}

static_assert(kUnlimited == kUnbounded, "bounds of schemas are those of array forms");

}  // namespace

std::optional<Rule> SchemaCompiler::array(const Shape& shape) {
  ArrayForm form;
  const Counter count = counts(context_, shape, "minItems", "maxItems");
  form.least = count.need;
  form.most = count.room;
  std::vector<WantedItem> wanted = wanted_items(shape);
  const std::vector<const Json*> unique = asking_for_unique(shape);
  if (wanted.size() > kMostWantedKinds) {
    note_wanted(wanted, "more than six kinds of items cannot be counted");
    wanted.clear();
  }
  std::size_t n_first = n_first_items(context_, shape);
  for (const auto& [index, claim] : shape.places) {
    form.least = std::max(form.least, static_cast<std::uint32_t>(index) + 1);
  }
  const bool are_asked = !wanted.empty() && is_asked_of_items(context_, shape);
  for (const WantedItem& each : wanted) {
    n_first = std::max(n_first, each.item.from);
    const bool always = !each.evaluating.empty() || are_asked;
    form.wanted.push_back({each.item.least, each.item.most, always});
  }
  n_first = std::min<std::size_t>(n_first, form.most);
  form.first.resize(n_first);
  if (form.n_ways() > kMostWaysOfItems && !wanted.empty()) {
    note_wanted(wanted, "to count so many items takes too many states");
    wanted.clear();
    form.wanted.clear();
  } else if (!context_.spend(wanted.empty() ? 0 : form.n_ways())) {
    return std::nullopt;
  }
  form.first.clear();
  std::string_view unheld;
  if (!unique.empty()) {
    if (n_first > 0) unheld = "where items have schemas of their own";
    if (!wanted.empty()) unheld = "beside \"contains\"";
    if (form.least > kMostCountedItems) unheld = "beside such a large \"minItems\"";
  }
  form.distinct = !unique.empty() && unheld.empty() && form.most > 1;
  for (std::size_t i = 0; i < n_first; ++i) {
    if (!context_.spend(1)) return std::nullopt;
    ArrayForm::Item item = item_forms(shape, i, wanted, spelling_);
    if (item.empty()) {
      form.most = std::min(form.most, static_cast<std::uint32_t>(i));
      break;
    }
    form.first.push_back(std::move(item));
  }
  const bool one = form.distinct && spelling_ == Spelling::any;
  ArrayForm::Item rest = item_forms(shape, std::nullopt, wanted, one ? Spelling::one : spelling_);
  if (rest.empty()) {
    form.most = std::min(form.most, static_cast<std::uint32_t>(form.first.size()));
  } else {
    form.rest = std::move(rest);
  }
  if (context_.failed() || form.least > form.most) return std::nullopt;
  for (const WantedItem& each : wanted) {
    if (each.item.least > form.most || each.item.least > each.item.most) return std::nullopt;
  }
  form.distinct = form.distinct && form.rest && form.most > 1;
  if (!unheld.empty() && form.most > 1) note_unique(unique, unheld);
  const Rule rule = writer_.array(form);
  if (form.distinct && !writer_.automaton().is_full()) {
    distinct_.push_back({writer_.automaton().distinct().back(), unique});
  }
  return rule;
}

void SchemaCompiler::note_wanted(const std::vector<WantedItem>& wanted, std::string_view why) {
  for (const WantedItem& each : wanted) context_.note(each.item.schema, each.item.keyword, why);
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

/// What has to be found among the items: what "contains" asks for, and denied "items". Where
/// "unevaluatedItems" see what "contains" finds, it is there even if none has to be found.
std::vector<SchemaCompiler::WantedItem> SchemaCompiler::wanted_items(const Shape& shape) {
  std::vector<WantedItem> out;
  const auto add = [&](const Shape::ItemClaim& item, const Json* evaluates) {
    const auto is_same = [&](const WantedItem& other) {
      return other.item.claim == item.claim && other.item.from == item.from;
    };
    auto known = std::ranges::find_if(out, is_same);
    if (known == out.end()) {
      known = out.insert(out.end(), {item, {}});
    } else {
      known->item.least = std::max(known->item.least, item.least);
      known->item.most = std::min(known->item.most, item.most);
    }
    if (evaluates) known->evaluating.push_back(evaluates);
  };
  for (const Shape::ItemClaim& item : shape.some_items) {
    if (!context_.spend(1 + out.size())) return out;
    add(item, nullptr);
  }
  const bool matters = context_.document().has_unevaluated();
  for (const Json* schema : shape.schemas) {
    const Json* rule = context_.keyword(*schema, "contains");
    if (!rule || !context_.spend(1 + out.size())) continue;
    const auto [least, most] = bounds_of_contains(context_.keywords(*schema));
    const bool evaluates = matters && contains_evaluates(context_, shape, schema);
    if (least == 0 && most == kUnlimited && !evaluates) continue;
    add({{rule, true}, schema, "contains", 0, least, most}, evaluates ? schema : nullptr);
  }
  return out;
}

/// The forms of an item by what of `wanted` it counts for; none where it may not come. What is
/// wanted at most so often, and is not counted, it must not be.
ArrayForm::Item SchemaCompiler::item_forms(const Shape& shape, std::optional<std::size_t> index,
                                           const std::vector<WantedItem>& wanted,
                                           Spelling spelling) {
  ArrayForm::Item forms;
  for (std::uint32_t set = 0; set < 1U << wanted.size(); ++set) {
    std::vector<const Json*> evaluating;
    Claims more;
    bool may_be = true;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto& [item, evaluated_by] = wanted[i];
      const bool is_counted = (set >> i & 1) != 0;
      const bool is_within = !index || *index >= item.from;
      if (is_counted && !is_within) may_be = false;
      if (!is_within) continue;
      if (is_counted) evaluating.insert(evaluating.end(), evaluated_by.begin(), evaluated_by.end());
      if (is_counted || item.most != kUnlimited) {
        more.push_back({item.claim.schema, item.claim.holds == is_counted});
      }
    }
    if (!may_be) continue;
    if (!context_.spend(1 + more.size())) return {};
    Claims claims = item_claims(context_, shape, index, evaluating);
    for (const Claim& claim : more) {
      if (std::ranges::find(claims, claim) == claims.end()) claims.push_back(claim);
    }
    if (!is_impossible(claims)) forms.push_back({value(claims, spelling), set});
  }
  return forms;
}

}  // namespace pleiad::constrain
