#include "constrain/dfa.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pleiad::constrain {

void Dfa::trim() {
  std::vector<std::vector<std::uint32_t>> before(states.size());
  std::vector<bool> lives(states.size(), false);
  std::vector<std::uint32_t> todo;
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    for (const Edge& edge : states[i].edges) before[edge.target].push_back(i);
    if (!states[i].accepts) continue;
    lives[i] = true;
    todo.push_back(i);
  }
  while (!todo.empty()) {
    const std::uint32_t state = todo.back();
    todo.pop_back();
    for (const std::uint32_t other : before[state]) {
      if (lives[other]) continue;
      lives[other] = true;
      todo.push_back(other);
    }
  }
  for (State& state : states) {
    std::erase_if(state.edges, [&](const Edge& edge) { return !lives[edge.target]; });
  }
}

std::optional<Dfa> without(const Dfa& dfa, const std::vector<std::vector<Symbol>>& texts) {
  // A trie of the texts; kOff where what was read is the beginning of none.
  struct Node {
    std::map<Symbol, std::uint32_t> children;
    bool is_end = false;
  };
  constexpr std::uint32_t kOff = UINT32_MAX;
  std::vector<Node> nodes(1);
  for (const auto& text : texts) {
    std::uint32_t at = 0;
    for (const Symbol symbol : text) {
      const auto [child, is_new] =
          nodes[at].children.try_emplace(symbol, static_cast<std::uint32_t>(nodes.size()));
      at = child->second;
      if (is_new) nodes.emplace_back();
    }
    nodes[at].is_end = true;
  }
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // state, node
  const auto next = [&](const Pair& pair, const auto& add) {
    for (const Dfa::Edge& edge : dfa.states[pair.first].edges) {
      Symbol first = edge.first;
      if (pair.second != kOff) {
        for (const auto& child : nodes[pair.second].children) {
          if (child.first < first || child.first > edge.last) continue;
          if (child.first > first) {
            add(first, static_cast<Symbol>(child.first - 1), Pair{edge.target, kOff}, edge.counts);
          }
          add(child.first, child.first, Pair{edge.target, child.second}, edge.counts);
          first = static_cast<Symbol>(child.first + 1);
        }
      }
      if (first <= edge.last) add(first, edge.last, Pair{edge.target, kOff}, edge.counts);
    }
  };
  const auto accepts = [&](const Pair& pair) {
    return dfa.states[pair.first].accepts && (pair.second == kOff || !nodes[pair.second].is_end);
  };
  return explore(Pair{0, 0}, next, accepts, Automaton::kMaxStates);
}

StateId add_dfa(Automaton& automaton, const Dfa& dfa, std::optional<Symbol> closing, StateId to) {
  std::vector<StateId> ids;
  ids.reserve(dfa.states.size());
  for (std::size_t i = 0; i < dfa.states.size(); ++i) ids.push_back(automaton.add_state());
  for (std::size_t i = 0; i < dfa.states.size(); ++i) {
    for (const Dfa::Edge& edge : dfa.states[i].edges) {
      automaton.add_edge(ids[i], Edge{.first = edge.first,
                                      .last = edge.last,
                                      .counts = edge.counts,
                                      .target = ids[edge.target]});
    }
    if (!dfa.states[i].accepts) continue;
    if (closing) {
      automaton.add_edge(
          ids[i], Edge{.first = *closing, .last = *closing, .needs_none = true, .target = to});
    } else {
      automaton.add_jump(ids[i], to);
    }
  }
  return ids[0];
}

}  // namespace pleiad::constrain
