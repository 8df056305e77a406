#include "constrain/grammars/machine_dfas.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "constrain/grammars/left_corners.h"
#include "constrain/texts/characters.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr std::size_t kStatesPerStep = 16;  // that are looked at
constexpr std::size_t kStepsOfPlace = 8;    // a state of one automaton, in a map

/// The transitions of one state, at most.
std::size_t most_edges(const Dfa& dfa) {
  std::size_t most = 0;
  for (const Dfa::State& state : dfa.states) most = std::max(most, state.edges.size());
  return most;
}

std::optional<Dfa> spent(GrammarBudget& budget) {
  budget.spend(budget.left());
  return std::nullopt;
}

}  // namespace

std::vector<CutEdge> cut_apart(const std::vector<RuleMachines::Edge>& edges,
                               GrammarBudget& budget) {
  std::vector<std::uint32_t> cuts;
  for (const RuleMachines::Edge& edge : edges) {
    cuts.push_back(edge.first);
    cuts.push_back(edge.last + 1U);
  }
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<CutEdge> out;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    out.push_back({static_cast<Symbol>(cuts[i]), static_cast<Symbol>(cuts[i + 1] - 1), {}});
  }
  for (const RuleMachines::Edge& edge : edges) {
    auto at = static_cast<std::size_t>(std::ranges::lower_bound(cuts, edge.first) - cuts.begin());
    for (; at < out.size() && out[at].last <= edge.last; ++at) {
      budget.spend(1);
      out[at].targets.push_back(edge.target);
    }
  }
  std::erase_if(out, [](const CutEdge& edge) { return edge.targets.empty(); });
  return out;
}

std::optional<Dfa> dfa_between(const RuleMachines& machines, std::uint32_t from, std::uint32_t to,
                               GrammarBudget& budget) {
  using Set = std::vector<std::uint32_t>;
  const auto next = [&](const Set& set, const auto& add) {
    std::vector<RuleMachines::Edge> edges;
    for (const std::uint32_t state : set) {
      edges.insert(edges.end(), machines.states[state].edges.begin(),
                   machines.states[state].edges.end());
    }
    budget.spend(set.size() + 16);
    for (CutEdge& edge : cut_apart(edges, budget)) {
      if (budget.is_spent()) return;
      add(edge.first, edge.last, with_jumps(machines, std::move(edge.targets), budget));
    }
  };
  const auto accepts = [&](const Set& set) { return std::ranges::binary_search(set, to); };
  std::optional<Dfa> dfa =
      explore(with_jumps(machines, {from}, budget), next, accepts, budget.left() / 16);
  return dfa && !budget.is_spent() ? std::move(dfa) : spent(budget);
}

namespace {

std::optional<Dfa> restricted_within(const Dfa& dfa, const std::vector<DfaCondition>& conditions,
                                     GrammarBudget& budget) {
  // A state of all is cut where those of any of them are.
  std::size_t steps_of_state = kStepsOfPlace * (1 + conditions.size()) + most_edges(dfa);
  for (const DfaCondition& condition : conditions) {
    if (!budget.spend(1 + condition.dfa->states.size() / kStatesPerStep)) return std::nullopt;
    steps_of_state += most_edges(*condition.dfa);
  }
  std::size_t n_pairs = 0;
  std::optional<Dfa> out = restricted(dfa, conditions, budget.left() / steps_of_state, &n_pairs);
  if (!out) return spent(budget);
  budget.spend(n_pairs + out->states.size() * steps_of_state);
  return out;
}

}  // namespace

std::optional<Dfa> common_texts(const std::vector<Dfa>& in, const std::vector<Dfa>& outside,
                                GrammarBudget& budget) {
  std::vector<DfaCondition> conditions;
  for (const Dfa& dfa : in) conditions.push_back({&dfa, true});
  for (const Dfa& dfa : outside) conditions.push_back({&dfa, false});
  return restricted_within(any_text(Syntax::call), conditions, budget);
}

std::optional<Dfa> texts_without(const Dfa& dfa, std::span<const Dfa* const> outside,
                                 GrammarBudget& budget) {
  std::vector<DfaCondition> conditions;
  for (const Dfa* other : outside) conditions.push_back({other, false});
  return restricted_within(dfa, conditions, budget);
}

}  // namespace pleiad::constrain::grammars
