#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/symbol.h"

namespace pleiad::constrain::grammars {

/// A grammar that is ready to be followed: a state machine for each rule, among which rules call
/// each other. No transition reads nothing; no rule gives the empty text, nor begins with itself,
/// directly or through others; every state leads to the end of its rule.
struct Network {
  struct Edge {
    Symbol first = 0;
    Symbol last = 0;
    StateId target = 0;
  };
  /// A text of the rule, then on at `back`.
  struct Call {
    std::uint32_t rule = 0;
    StateId back = 0;
  };
  struct State {
    std::vector<Edge> edges = {};
    std::vector<Call> calls = {};
    bool is_final = false;
    /// What comes behind the rule's end here may not begin as one of the edges does: its text is
    /// the longest.
    bool takes_longest = false;
    /// Another state, of no rule, whose edges say so instead; itself where it is none.
    std::optional<StateId> longest_as = std::nullopt;
  };
  struct Rule {
    StateId start = 0;
    /// Greater than that of every rule whose start calls it.
    std::uint32_t rank = 0;
  };

  std::vector<State> states;
  std::vector<Rule> rules;
  StateId start = 0;

  std::size_t memory_bytes() const {
    std::size_t bytes = states.size() * sizeof(State) + rules.size() * sizeof(Rule);
    for (const State& state : states) {
      bytes += state.edges.capacity() * sizeof(Edge) + state.calls.capacity() * sizeof(Call);
    }
    return bytes;
  }

  /// Nothing can follow but the return to the caller.
  bool is_exit(StateId state) const {
    const State& it = states[state];
    return it.is_final && it.edges.empty() && it.calls.empty();
  }
};

}  // namespace pleiad::constrain::grammars
