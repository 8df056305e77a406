#include "constrain/grammars/automaton_rules.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pleiad::constrain::grammars {

bool is_context_free(const Automaton& automaton) {
  if (!automaton.distinct().empty()) return false;
  for (StateId state = 0; state < automaton.n_states(); ++state) {
    const auto asks_more = [](const auto& way) { return way.object != 0; };
    if (std::ranges::any_of(automaton.edges(state), asks_more) ||
        std::ranges::any_of(automaton.calls(state), asks_more) ||
        std::ranges::any_of(automaton.calls(state), &Call::only_asks) ||
        std::ranges::any_of(automaton.edges(state), [](const Edge& edge) { return edge.key; })) {
      return false;
    }
  }
  return true;
}

std::uint32_t AutomatonRules::add(const Automaton& automaton, const Rule& rule) {
  const std::uint32_t id = rule_of(automaton, rule);
  while (!todo_.empty() && !budget_.is_spent()) {
    const auto [of, next, next_id] = todo_.back();
    todo_.pop_back();
    write(*of, next, next_id);
  }
  return id;
}

std::uint32_t AutomatonRules::rule_of(const Automaton& automaton, const Rule& rule) {
  const auto [found, is_new] = rules_.try_emplace(key_of(automaton, rule.start, rule.counter),
                                                  static_cast<std::uint32_t>(out_.rules.size()));
  if (is_new) {
    out_.rules.push_back({add_state(), add_state(), false});
    out_.is_used.push_back(true);
    todo_.emplace_back(&automaton, rule, found->second);
  }
  return found->second;
}

std::uint32_t AutomatonRules::add_state() {
  budget_.spend(16);
  out_.states.emplace_back();
  return static_cast<std::uint32_t>(out_.states.size() - 1);
}

void AutomatonRules::write(const Automaton& automaton, const Rule& rule, std::uint32_t id) {
  struct Place {
    StateId state = 0;
    Counter counter;
    std::uint32_t made = 0;
  };
  std::map<Key, std::uint32_t> known;
  std::vector<Place> todo;
  const auto place = [&](StateId state, const Counter& counter) {
    const auto [found, is_new] = known.try_emplace(key_of(automaton, state, counter), 0);
    if (is_new) {
      found->second = add_state();
      todo.push_back({state, counter, found->second});
    }
    return found->second;
  };
  const std::uint32_t start = place(rule.start, rule.counter);
  out_.states[out_.rules[id].start].jumps.push_back(start);
  while (!todo.empty() && !budget_.is_spent()) {
    const Place at = todo.back();
    todo.pop_back();
    RuleMachines::State made;
    const auto is_dead = [&](StateId state) {
      return automaton.height(state) >= Automaton::kNever;
    };
    for (const Edge& edge : automaton.edges(at.state)) {
      Counter counter = at.counter;
      if ((edge.needs_none && counter.need > 0) || is_dead(edge.target)) continue;
      if (edge.counts && !counter.count()) continue;
      made.edges.push_back({edge.first, edge.last, place(edge.target, counter)});
    }
    for (const StateId jump : automaton.jumps(at.state)) {
      if (!is_dead(jump)) made.jumps.push_back(place(jump, at.counter));
    }
    for (const Call& call : automaton.calls(at.state)) {
      if (call.needs_none && at.counter.need > 0) continue;
      if (is_dead(call.rule.start) || is_dead(call.back)) continue;
      made.calls.push_back({rule_of(automaton, call.rule), place(call.back, at.counter)});
    }
    if (automaton.is_final(at.state)) made.jumps.push_back(out_.rules[id].end);
    budget_.spend(4 * (made.edges.size() + made.jumps.size() + made.calls.size()));
    out_.states[at.made] = std::move(made);
  }
}

}  // namespace pleiad::constrain::grammars
