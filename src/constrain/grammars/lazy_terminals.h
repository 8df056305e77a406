#pragma once

#include <cstdint>
#include <optional>

#include "constrain/grammars/grammar_budget.h"
#include "constrain/grammars/rule_machines.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain::grammars {

/// The texts of an automaton that have none of the others before them, but the empty text: what a
/// lazy terminal takes.
Dfa shortest_texts(const Dfa& dfa);

bool has_lazy_terminals(const RuleMachines& machines);

/// The same grammar where lazy terminals end what may begin beside them: at a place of a rule where
/// one may come, directly or as what a rule begins with that may come there, the other terminals
/// that may begin there have no text that begins with one of its own; another lazy one may have the
/// same text. A rule that begins at such a place is another than where it stands alone; the first
/// is the rule `start`.
///
/// The machines may jump over every call of a rule that gives the empty text. In those that are
/// made such a call gives no empty text: a place has what comes behind it too. Nothing where the
/// budget is spent.
std::optional<RuleMachines> end_beside_lazy(const RuleMachines& machines, std::uint32_t start,
                                            GrammarBudget& budget);

}  // namespace pleiad::constrain::grammars
