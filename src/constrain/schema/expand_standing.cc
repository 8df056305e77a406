// What a shape says already of the ways in which a schema does not hold: cuts of "oneOf" between
// branches with a discriminator leave few of these.
#include <algorithm>
#include <utility>

#include "constrain/schema/claims.h"
#include "constrain/schema/expand.h"

namespace pleiad::constrain {

/// What is left of the next schema that is denied: of the one with the fewest ways, so that what
/// leaves one way only comes before what is tried. Null where none is left.
Expander::ChoicePointer Expander::next_opposite(Draft& draft) {
  constexpr std::size_t kMostCompared = 16;
  ChoicePointer fewest;
  bool waits_for_names = false;  // that are unevaluated, or not, by what is taken before
  Opposite chosen;
  std::size_t place = 0;
  std::size_t n_compared = 0;
  for (std::size_t i = 0; i < draft.opposites.size() && n_compared < kMostCompared;) {
    const auto at = draft.opposites.begin() + static_cast<std::ptrdiff_t>(i);
    if (context_.failed()) return nullptr;
    const Opposite& opposite = with_names(draft.shape, *at);
    const bool is_lost = !opposite.lost.empty() && !opposite.of_names.empty();
    ChoicePointer left;
    if (is_lost && opposite.choice->empty()) {
      note_lost(opposite);
    } else if (!is_needless(draft, opposite)) {
      left = left_of(draft.shape, opposite.choice);
    }
    if (!left) {
      draft.opposites.erase(draft.opposites.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const bool waits = !opposite.of_names.empty() && context_.document().has_unevaluated();
    if (!fewest || std::pair(waits, left->size()) < std::pair(waits_for_names, fewest->size())) {
      waits_for_names = waits;
      fewest = std::move(left);
      chosen = opposite;
      place = i;
    }
    if (fewest->size() <= 1 && !waits_for_names) break;
    ++i;
    ++n_compared;
  }
  if (!fewest) return nullptr;
  if (!chosen.lost.empty() || is_one_way_enough_) context_.lose(chosen.schema, chosen.lost);
  draft.opposites.erase(draft.opposites.begin() + static_cast<std::ptrdiff_t>(place));
  return fewest;
}

/// The ways that the shape leaves open; null where it is on one already. Where one is only that a
/// property is there, or is not, the others need not have it so.
Expander::ChoicePointer Expander::left_of(const Shape& shape, const ChoicePointer& choice) {
  if (nested_questions_ > 0) return choice;
  const bool has_unevaluated = context_.document().has_unevaluated();
  Choice left;
  for (const Option& option : *choice) {
    if (!context_.spend(1 + (option.clauses.size() + option.properties.size()) *
                                (1 + shape.clauses.size() / 8))) {
      return choice;
    }
    const Standing standing = standing_of(shape, option);
    // What is evaluated, and so what is unevaluated, may change with what is taken later.
    if (standing == Standing::implied && !has_unevaluated) return nullptr;
    if (standing != Standing::impossible) left.push_back(option);
  }
  if (shape.types == kObject && !has_unevaluated) {
    const auto decides = [&](const Option& option) {
      return option.clauses.size() == 1 && option.clauses[0].literals.size() == 1 && [&] {
        Option rest = option;
        rest.clauses.clear();
        return standing_of(shape, rest) == Standing::implied;
      }();
    };
    const auto decided = std::ranges::find_if(left, decides);
    if (decided != left.end()) {
      const auto [name, present] = decided->clauses[0].literals[0];
      for (Option& option : left) {
        if (&option != &*decided) option.clauses.push_back({{{name, !present}}});
      }
      std::erase_if(left, [&](const Option& option) {
        return standing_of(shape, option) == Standing::impossible;
      });
    }
  }
  if (is_one_way_enough_) return one_way_of(left);
  return std::make_shared<const Choice>(std::move(left));
}

/// Of several ways one that asks for no property that another branch has, where there is one: it is
/// what most values take.
Expander::ChoicePointer Expander::one_way_of(const Choice& ways) {
  const auto asks = [](const Option& option) {
    return std::ranges::any_of(option.clauses, [](const PresenceClause& clause) {
      return std::ranges::all_of(clause.literals, &PresenceClause::Literal::present);
    });
  };
  if (ways.empty()) return std::make_shared<const Choice>();
  const auto first = std::ranges::find_if_not(ways, asks);
  return std::make_shared<const Choice>(Choice{first == ways.end() ? ways.front() : *first});
}

Expander::Standing Expander::standing_of(const Shape& shape, const Option& option) {
  const auto types = static_cast<TypeSet>(shape.types & option.types);
  if (types == 0) return Standing::impossible;
  bool is_implied = types == shape.types && option.claims.empty() && option.denials.empty() &&
                    option.every_item.empty() && option.some_items.empty() && option.places.empty();
  if (types != kObject) {
    const bool asks = !option.clauses.empty() || !option.properties.empty();
    return is_implied && !asks ? Standing::implied : Standing::open;
  }
  for (const PresenceClause& clause : option.clauses) {
    const auto holds = [&](const PresenceClause::Literal& literal) {
      return has_literal(shape, literal.name, literal.present);
    };
    const auto fails = [&](const PresenceClause::Literal& literal) {
      return has_literal(shape, literal.name, !literal.present);
    };
    if (std::ranges::all_of(clause.literals, fails)) return Standing::impossible;
    if (std::ranges::none_of(clause.literals, holds)) is_implied = false;
  }
  for (const Shape::PropertyClaim& property : option.properties) {
    const PresenceClause there{{{property.name, true}}};
    const bool is_there = std::ranges::find(option.clauses, there) != option.clauses.end() ||
                          has_literal(shape, property.name, true);
    const Standing standing = standing_of(shape, property, is_there);
    if (standing == Standing::impossible) return standing;
    if (standing == Standing::open) is_implied = false;
  }
  return is_implied ? Standing::implied : Standing::open;
}

/// Leaves what is asked of a property whatever is evaluated later.
void Expander::forget_unevaluated(const Shape& shape, Claims& claims) {
  std::erase_if(claims, [&](const Claim& claim) {
    return std::ranges::any_of(shape.schemas, [&](const Json* schema) {
      return claim.schema == context_.keyword(*schema, "unevaluatedProperties");
    });
  });
}

/// The same of a claim on a property, that holds where it is there.
Expander::Standing Expander::standing_of(const Shape& shape, const Shape::PropertyClaim& property,
                                         bool is_there) {
  if (!is_there && has_literal(shape, property.name, false)) return Standing::implied;
  const auto& [denied, holds] = property.claim;
  Claims known = property_claims(context_, shape, std::string(property.name));
  const bool may_change = context_.document().has_unevaluated();
  if (may_change && !is_one_way_enough_) forget_unevaluated(shape, known);
  if (is_impossible(known)) return is_there ? Standing::impossible : Standing::implied;
  if (holds) return Standing::open;
  bool is_excluded = false;
  for (const Claim& claim : known) {
    if (claim.holds ? are_disjoint(*claim.schema, *denied) : is_within(*denied, *claim.schema)) {
      return Standing::implied;
    }
    is_excluded = is_excluded || (claim.holds && is_within(*claim.schema, *denied));
  }
  return is_excluded && is_there ? Standing::impossible : Standing::open;
}

}  // namespace pleiad::constrain
