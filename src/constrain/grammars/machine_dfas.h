#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "constrain/grammars/grammar_budget.h"
#include "constrain/grammars/rule_machines.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain::grammars {

/// What one range of symbols leads to, where no two ranges overlap.
struct CutEdge {
  Symbol first = 0;
  Symbol last = 0;
  std::vector<std::uint32_t> targets;  // as the edges come; never empty
};

/// The same edges, in the order of their symbols.
std::vector<CutEdge> cut_apart(const std::vector<RuleMachines::Edge>& edges, GrammarBudget& budget);

/// What leads from one state to another, where no rule is called on the way. Nothing where that is
/// more than the budget, which is spent then.
std::optional<Dfa> dfa_between(const RuleMachines& machines, std::uint32_t from, std::uint32_t to,
                               GrammarBudget& budget);

/// The texts of whole characters that all of `in` accept and none of `outside` does. Nothing as
/// above.
std::optional<Dfa> common_texts(const std::vector<Dfa>& in, const std::vector<Dfa>& outside,
                                GrammarBudget& budget);

/// Its texts that none of `outside` accepts. Nothing as above.
std::optional<Dfa> texts_without(const Dfa& dfa, std::span<const Dfa* const> outside,
                                 GrammarBudget& budget);

}  // namespace pleiad::constrain::grammars
