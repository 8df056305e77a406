#include "constrain/schema/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxShapes = 2000;
constexpr std::size_t kMaxShapesOfCuts = 500;  // where branches of "oneOf" are kept apart

}  // namespace

std::vector<Shape> Expander::expand(const Claims& claims, std::vector<const Json*>* asked) {
  Draft draft;
  draft.todo = steps_of(claims);
  has_cuts_ = false;
  // Half of what is left may be spent on keeping branches apart.
  Walk walk(kMaxShapes, context_.budget_left() / 2);
  walk_all(walk, draft);
  if (walk.gave_up && context_.document().has_unevaluated()) {
    walk = Walk(kMaxShapes, context_.budget_left() / 2);
    is_one_enough_ = true;
    walk_all(walk, draft);
  }
  const auto cuts_are_too_many = [&] {
    return has_cuts_ && (walk.gave_up || walk.shapes.size() > kMaxShapesOfCuts);
  };
  if (walk.gave_up || cuts_are_too_many()) {
    walk = Walk(kMaxShapes, context_.budget_left() / 2);
    is_one_way_enough_ = true;
    walk_all(walk, draft);
    is_one_way_enough_ = false;
  }
  if (cuts_are_too_many()) {
    walk = Walk(kMaxShapes, 0);
    may_overlap_ = true;
    walk_all(walk, std::move(draft));
    may_overlap_ = false;
  }
  is_one_enough_ = false;
  if (walk.gave_up) {
    if (walk.multiplied.empty()) walk.multiplied.push_back(claims.front().schema);
    const Json* first = walk.multiplied.front();
    context_.fail(first, multiplying_keyword(*first),
                  "its alternatives, each with each, are too many");
    for (const Json* other : walk.multiplied) {
      if (other != first) context_.add_fault(other, multiplying_keyword(*other));
    }
  }
  if (asked) *asked = std::move(walk.asked);
  return std::move(walk.shapes);
}

/// The keyword that gives a schema alternatives; empty where there is none.
std::string_view Expander::multiplying_keyword(const Json& schema) {
  constexpr std::array<std::string_view, 6> kOfChoices = {
      "if", "anyOf", "oneOf", "dependentSchemas", "dependencies", "not"};
  const auto found = std::ranges::find_if(
      kOfChoices, [&](std::string_view name) { return context_.keyword(schema, name) != nullptr; });
  return found == kOfChoices.end() ? std::string_view() : *found;
}

/// Claims that nothing applies, the first one last.
std::vector<Expander::Step> Expander::steps_of(const Claims& claims) {
  std::vector<Step> steps;
  for (auto claim = claims.rbegin(); claim != claims.rend(); ++claim) steps.push_back({*claim});
  return steps;
}

/// Depth first, without recursion: schemas may be as deep as they are long.
void Expander::walk_all(Walk& walk, Draft draft) {
  struct Fork {
    Draft draft;
    ChoicePointer choice;
    std::size_t next = 0;
    std::size_t n_seen = 0;
  };
  std::vector<Fork> way;
  for (;;) {
    if (settle(walk, draft)) {
      if (ChoicePointer choice = next_choice(draft)) {
        if (!choice->empty())
          way.push_back({std::move(draft), std::move(choice), 0, walk.log.size()});
      } else if (!context_.failed()) {
        put_out(walk, std::move(draft.shape));
      }
    }
    for (bool goes_on = false; !goes_on;) {
      if (walk.gave_up) {
        // Of the outermost ones the first way was not gone to its end; else one makes room.
        std::size_t n_chosen = 0;
        for (const Fork& open : way) {
          const Json* from = open.choice->front().from;
          const bool is_outermost = open.draft.n_chosen == ++n_chosen;
          if (!is_outermost && !walk.multiplied.empty()) break;
          if (from) walk.multiplied.push_back(from);
        }
      }
      if (way.empty() || context_.failed() || walk.gave_up) return;
      Fork& fork = way.back();
      for (; walk.log.size() > fork.n_seen; walk.log.pop_back()) walk.seen.erase(walk.log.back());
      const Choice& choice = *fork.choice;
      const auto skip = [&] {
        for (; fork.next < choice.size(); ++fork.next) {
          const Option& option = choice[fork.next];
          if ((option.types & fork.draft.shape.types) == 0) continue;
          if (!is_excluded(fork.draft, option)) break;
          for (const Claim& claim : option.claims) {
            if (claim.holds && !walk.is_question) walk.asked.push_back(claim.schema);
          }
        }
      };
      skip();
      if (fork.next == choice.size()) {
        way.pop_back();
        continue;
      }
      const ChoicePointer kept = fork.choice;
      const Option& option = choice[fork.next++];
      skip();
      if (fork.next == choice.size()) {
        draft = std::move(fork.draft);
        way.pop_back();
      } else if (may_copy(fork.draft)) {
        draft = fork.draft;
      } else {
        return;
      }
      walk.gave_up = has_cuts_ && context_.budget_left() < walk.least_budget;
      goes_on = take(draft, option);
      std::ranges::reverse(draft.todo);
    }
  }
}

/// Works off its claims. What one applies comes before what stands behind it, so that properties
/// keep their order.
bool Expander::settle(Walk& walk, Draft& draft) {
  while (!draft.todo.empty()) {
    const auto [claim, by] = draft.todo.back();
    draft.todo.pop_back();
    if (by && claim.holds && context_.document().has_unevaluated()) {
      draft.shape.applications.push_back({by, claim.schema});
    }
    if (!context_.spend(1) || walk.seen.contains({claim.schema, !claim.holds})) return false;
    if (!walk.seen.insert(claim).second) continue;
    walk.log.push_back(claim);
    if (claim.holds && !walk.is_question) walk.asked.push_back(claim.schema);
    const std::size_t n_behind = draft.todo.size();
    if (!add(draft, claim) || context_.failed()) return false;
    std::reverse(draft.todo.begin() + static_cast<std::ptrdiff_t>(n_behind), draft.todo.end());
  }
  return narrow(draft);
}

/// Null where all is chosen.
Expander::ChoicePointer Expander::next_choice(Draft& draft) {
  if (draft.n_chosen < draft.choices.size()) return draft.choices[draft.n_chosen++];
  for (;;) {
    if (ChoicePointer choice = next_opposite(draft)) return choice;
    if (context_.failed()) return nullptr;
    // What was denied later may name more properties.
    const auto within_reach = std::ranges::find_if(
        draft.out_of_reach,
        [&](const Opposite& opposite) { return !is_out_of_reach(draft.shape, *opposite.schema); });
    if (within_reach == draft.out_of_reach.end()) return nullptr;
    draft.opposites.push_back(*within_reach);
    draft.out_of_reach.erase(within_reach);
  }
}

void Expander::put_out(Walk& walk, Shape shape) {
  std::size_t hash = shape.types;
  const auto add = [&](const void* pointer, std::size_t more) {
    hash = hash * 1'000'003 + std::hash<const void*>()(pointer) + more;
  };
  for (const Json* schema : shape.schemas) add(schema, 0);
  for (const Denial& denial : shape.denials) add(denial.schema, denial.keyword.size());
  for (const PresenceClause& clause : shape.clauses) {
    for (const auto& literal : clause.literals) add(literal.name.data(), literal.present ? 1 : 2);
  }
  for (const auto& [name, claim] : shape.properties) add(claim.schema, 3);
  if (!add_sources(walk, shape)) return;
  const auto [first, last] = walk.by_hash.equal_range(hash);
  const auto known = std::find_if(
      first, last, [&](const auto& other) { return walk.shapes[other.second] == shape; });
  if (known != last) {
    auto& sources = walk.shapes[known->second].sources.schemas;
    sources.insert(sources.end(), shape.sources.schemas.begin(), shape.sources.schemas.end());
    return;
  }
  if (walk.shapes.size() == walk.most_shapes) {
    walk.gave_up = true;
    return;
  }
  walk.by_hash.emplace(hash, walk.shapes.size());
  walk.shapes.push_back(std::move(shape));
}

/// From which schemas a shape comes that is put out. False where the budget does not suffice.
bool Expander::add_sources(const Walk& walk, Shape& shape) {
  if (walk.is_question) return true;
  if (!context_.spend(walk.log.size() / 8)) return false;
  for (const Claim& claim : walk.log) {
    if (claim.holds) shape.sources.schemas.push_back(claim.schema);
  }
  return true;
}

bool Expander::may_copy(const Draft& draft) {
  const Shape& shape = draft.shape;
  std::size_t n = draft.todo.size() + draft.choices.size() + 2 * draft.opposites.size() +
                  2 * draft.out_of_reach.size() + shape.schemas.size() + 2 * shape.denials.size() +
                  2 * shape.properties.size() + shape.every_item.size() + shape.some_items.size() +
                  shape.places.size() + shape.applications.size();
  for (const PresenceClause& clause : shape.clauses) n += 3 + 2 * clause.literals.size();
  return context_.spend(8 + n);
}

bool Expander::take(Draft& draft, const Option& option) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  Shape& shape = draft.shape;
  shape.types &= option.types;
  if (shape.types == 0) return false;
  for (const PresenceClause& clause : option.clauses) {
    if (clause.literals.size() != 1) continue;
    if (!context_.spend(1 + shape.clauses.size() / 8)) return false;
    const auto& [name, present] = clause.literals[0];
    const PresenceClause contrary{{{name, !present}}};
    // Where it may be no object, it has not got the property.
    if (shape.types == kObject &&
        std::ranges::find(shape.clauses, contrary) != shape.clauses.end()) {
      return false;
    }
  }
  for (const Claim& claim : option.claims) draft.todo.push_back({claim, option.from});
  append(shape.denials, option.denials);
  append(shape.clauses, option.clauses);
  append(shape.properties, option.properties);
  append(shape.every_item, option.every_item);
  append(shape.some_items, option.some_items);
  append(shape.places, option.places);
  return true;
}

bool Expander::add(Draft& draft, const Claim& claim) {
  const Json& schema = *claim.schema;
  if (schema.is_boolean()) return schema.get<bool>() == claim.holds;
  if (!schema.is_object()) {
    context_.fail(&schema, {}, "expected a schema: an object or a boolean");
    return false;
  }
  if (!context_.spend(1 + context_.keywords(schema).size())) return false;
  if (leads_back(schema)) {
    context_.fail(&schema, {}, "a \"$ref\" leads back to itself without any value in between");
    return false;
  }
  return claim.holds ? add_positive(draft, schema) : add_negative(draft, schema);
}

std::vector<const Json*> Expander::applied_by(const Json& schema) {
  std::vector<const Json*> out;
  const Keywords& keywords = context_.keywords(schema);
  if (!context_.spend(1 + keywords.size())) return out;
  for (const auto& [keyword, of_keyword] : keywords) {
    const Json& rule = *of_keyword;
    if (keyword == "$ref" || keyword == "$dynamicRef" || keyword == "$recursiveRef") {
      if (const Json* target = context_.resolve(schema, keyword)) out.push_back(target);
    } else if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf") {
      for (const Json& part : rule) out.push_back(&part);
    } else if (keyword == "not" || keyword == "if" || keyword == "then" || keyword == "else") {
      out.push_back(&rule);
    } else if (keyword == "dependentSchemas" || keyword == "dependencies") {
      for (const auto& part : rule.items()) out.push_back(&part.value());
    }
  }
  return out;
}

/// Whether what is applied to the same value leads into a circle.
bool Expander::leads_back(const Json& schema) {
  if (const auto known = circles_.find(&schema); known != circles_.end()) return known->second;
  struct Visit {
    const Json* schema;
    std::vector<const Json*> next;
    bool back = false;
  };
  circles_[&schema] = true;
  std::vector<Visit> way;
  way.push_back({&schema, applied_by(schema)});
  for (;;) {
    Visit& step = way.back();
    if (!step.next.empty()) {
      const Json* next = step.next.back();
      step.next.pop_back();
      const auto [found, is_new] = circles_.try_emplace(next, true);
      if (is_new) {
        way.push_back({next, applied_by(*next)});
      } else {
        step.back = step.back || found->second;
      }
      continue;
    }
    const bool back = step.back;
    circles_[step.schema] = back;
    way.pop_back();
    if (way.empty()) return back;
    way.back().back = way.back().back || back;
  }
}

Expander::ChoicePointer Expander::alternatives(const Json& schema, std::string_view keyword,
                                               const Json& parts) {
  ChoicePointer& known = alternatives_[{&parts, nested_questions_, may_overlap_, is_one_enough_}];
  if (!known) {
    Choice choice;
    if (keyword == "oneOf") {
      choice = exactly_one(schema, parts);
    } else if (context_.spend(parts.size())) {
      choice = any_of_these(schema, parts);
    }
    known = std::make_shared<const Choice>(std::move(choice));
  }
  if (keyword == "oneOf" && nested_questions_ == 0) {
    has_cuts_ = has_cuts_ || std::ranges::any_of(*known, [](const Option& option) {
                  return option.claims.size() > 1;
                });
  }
  return known;
}

/// One of them; where it matters what is evaluated by all that hold, several too.
Expander::Choice Expander::any_of_these(const Json& schema, const Json& parts) {
  constexpr std::size_t kMostTogether = 4;
  Choice choice;
  for (const Json& part : parts) {
    choice.push_back({.claims = {{&part, true}}, .from = &schema});
  }
  const bool is_one_enough = is_one_enough_ || nested_questions_ > 0;
  if (!context_.document().has_unevaluated() || is_one_enough) return choice;
  if (parts.size() > kMostTogether) return choice;
  for (std::size_t set = 0; set < std::size_t{1} << parts.size(); ++set) {
    Option several{.from = &schema};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if ((set >> i & 1) != 0) several.claims.push_back({&parts[i], true});
    }
    if (several.claims.size() > 1) choice.push_back(std::move(several));
  }
  return choice;
}

/// Each with what keeps it apart from the others: nothing where they are apart anyway.
Expander::Choice Expander::exactly_one(const Json& schema, const Json& parts) {
  Choice choice;
  constexpr std::size_t kMostPairs = 300'000;
  const bool too_many = parts.size() * parts.size() > kMostPairs;
  bool overlaps = too_many;
  for (const Json& part : parts) {
    Option option{.claims = {{&part, true}}, .from = &schema};
    for (const Json& other : parts) {
      if (too_many) break;
      // In a question whether there is a value at all, one of several is enough.
      if (nested_questions_ > 0) break;
      if (&part == &other || !context_.spend(1 + other.size() / 8) || are_disjoint(part, other)) {
        continue;
      }
      overlaps = true;
      if (!may_overlap_) option.claims.push_back({&other, false});
    }
    choice.push_back(std::move(option));
  }
  if (too_many || (overlaps && may_overlap_)) {
    const std::string_view why =
        too_many ? "its branches are too many to be compared: more than one of them may hold"
                 : "its branches overlap in too many ways: more than one of them may hold";
    if (context_.policy().refuse_overlaps) {
      context_.note(&schema, "oneOf", why);
    } else {
      context_.remark(&schema, "oneOf", why);
    }
  }
  return choice;
}

}  // namespace pleiad::constrain
