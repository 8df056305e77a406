#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "constrain/grammars/grammar_budget.h"
#include "constrain/grammars/grammar_tree.h"

namespace pleiad::constrain::grammars {

/// The rules of a grammar as state machines with empty moves, as they come from its expressions.
struct RuleMachines {
  struct Edge {
    Symbol first = 0;
    Symbol last = 0;
    std::uint32_t target = 0;
  };
  struct Call {
    std::uint32_t rule = 0;
    std::uint32_t back = 0;
  };
  struct State {
    std::vector<Edge> edges = {};
    std::vector<Call> calls = {};
    std::vector<std::uint32_t> jumps = {};
    /// Of a terminal: what it would go on with here, had no lazy one beside it ended it. They lead
    /// nowhere.
    std::vector<Edge> ended = {};
  };
  struct Rule {
    std::uint32_t start = 0;
    std::uint32_t end = 0;
    bool is_terminal = false;
    bool is_lazy = false;  // see GrammarTree::Rule
  };

  std::vector<State> states;
  std::vector<Rule> rules;  // as in the tree; those that the start does not lead to are no machines
  std::vector<bool> is_used;
};

/// Small rules that lead to no others are written where they are named. A Failure where that is
/// more than the budget.
Result<RuleMachines> make_rule_machines(const GrammarTree& tree, GrammarBudget& budget);

}  // namespace pleiad::constrain::grammars
