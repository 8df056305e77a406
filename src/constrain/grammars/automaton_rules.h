#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "constrain/automaton.h"
#include "constrain/grammars/grammar_budget.h"
#include "constrain/grammars/rule_machines.h"

namespace pleiad::constrain::grammars {

/// Whether an automaton says all of a form by itself, but that names that are not listed come once:
/// it has no items that must differ, and no keys in any order, for which a reply needs more memory
/// than a grammar has.
bool is_context_free(const Automaton& automaton);

/// Rules of automata as rules of a grammar. There is one for each rule and each counter that it is
/// called with, and in it a state for each count: bounds that cost an automaton nothing are copies
/// here.
class AutomatonRules {
 public:
  /// Both live as long as this.
  AutomatonRules(RuleMachines& out, GrammarBudget& budget) : out_(out), budget_(budget) {}

  /// The number of the rule, behind those that there are; with those that it leads to. Of an
  /// automaton that is context-free and finished: what leads to no end is left out. Incomplete
  /// where the budget is spent.
  std::uint32_t add(const Automaton& automaton, const Rule& rule);

 private:
  using Key = std::tuple<const Automaton*, StateId, std::uint32_t, std::uint32_t>;
  static Key key_of(const Automaton& automaton, StateId state, const Counter& counter) {
    return {&automaton, state, counter.need, counter.room};
  }

  std::uint32_t rule_of(const Automaton& automaton, const Rule& rule);
  void write(const Automaton& automaton, const Rule& rule, std::uint32_t id);
  std::uint32_t add_state();

  RuleMachines& out_;
  GrammarBudget& budget_;
  std::map<Key, std::uint32_t> rules_;
  std::vector<std::tuple<const Automaton*, Rule, std::uint32_t>> todo_;
};

}  // namespace pleiad::constrain::grammars
