#include "constrain/tokens/inside_strings.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "constrain/leading_to.h"

namespace pleiad::constrain {
namespace {

using States = std::vector<StateId>;

/// A byte other than a quote.
bool reads_inside(const Edge& edge) {
  const bool is_quote = edge.first == symbol_of('"') && edge.last == symbol_of('"');
  return edge.first < kFirstTag && !is_quote;
}

/// From where each state is reached by reading inside.
std::vector<States> states_before(const Automaton& automaton) {
  std::vector<States> before(automaton.n_states());
  for (StateId state = 0; state < automaton.n_states(); ++state) {
    for (const Edge& edge : automaton.edges(state)) {
      if (reads_inside(edge)) before[edge.target].push_back(state);
    }
  }
  return before;
}

template <typename Is>
States states_where(const Automaton& automaton, Is is) {
  States out;
  for (StateId state = 0; state < automaton.n_states(); ++state) {
    if (is(state)) out.push_back(state);
  }
  return out;
}

/// Those from which only finitely many texts lead on by reading inside: what can be taken away, one
/// after the other, when all that they lead to was.
States finite_states(const Automaton& automaton, const std::vector<States>& before) {
  std::vector<std::size_t> n_left(before.size());
  const auto is_dead = [&](StateId state) { return automaton.height(state) >= Automaton::kNever; };
  for (StateId state = 0; state < before.size(); ++state) {
    for (const Edge& edge : automaton.edges(state)) {
      if (reads_inside(edge) && !is_dead(edge.target)) ++n_left[state];
    }
  }
  States finite =
      states_where(automaton, [&](StateId state) { return is_dead(state) || n_left[state] == 0; });
  for (std::size_t i = 0; i < finite.size(); ++i) {
    const StateId state = finite[i];
    if (is_dead(state)) continue;
    for (const StateId from : before[state]) {
      if (n_left[from] > 0 && --n_left[from] == 0 && !is_dead(from)) finite.push_back(from);
    }
  }
  std::erase_if(finite, is_dead);  // nothing goes there
  return finite;
}

}  // namespace

InsideStrings::InsideStrings(const Automaton& automaton) {
  const std::vector<States> before = states_before(automaton);
  is_inside_ = leading_to(states_where(automaton,
                                       [&](StateId state) {
                                         return automaton.is_final(state) ||
                                                !automaton.calls(state).empty() ||
                                                !automaton.jumps(state).empty();
                                       }),
                          before);
  is_inside_.flip();
  is_endless_ = leading_to(finite_states(automaton, before), before);
  is_endless_.flip();
  counts_ = leading_to(states_where(automaton,
                                    [&](StateId state) {
                                      return std::ranges::any_of(
                                          automaton.edges(state),
                                          [](const Edge& edge) { return edge.counts; });
                                    }),
                       before);
  for (StateId state = 0; state < automaton.n_states(); ++state) {
    is_endless_[state] =
        is_endless_[state] && is_inside_[state] && automaton.height(state) < Automaton::kNever;
  }
}

}  // namespace pleiad::constrain
