#include "constrain/texts/dfa.h"

#include <algorithm>
#include <array>
#include <utility>

#include "constrain/leading_to.h"
#include "constrain/texts/denied_places.h"

namespace pleiad::constrain {

void Dfa::trim() {
  std::vector<std::vector<std::uint32_t>> before(states.size());
  std::vector<std::uint32_t> accepting;
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    for (const Edge& edge : states[i].edges) before[edge.target].push_back(i);
    if (states[i].accepts) accepting.push_back(i);
  }
  const std::vector<bool> lives = leading_to(std::move(accepting), before);
  for (State& state : states) {
    std::erase_if(state.edges, [&](const Edge& edge) { return !lives[edge.target]; });
  }
}

std::optional<Dfa> without(const Dfa& dfa, const std::vector<std::vector<Symbol>>& texts,
                           std::size_t max_states) {
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
  return explore(Pair{0, 0}, next, accepts, max_states);
}

namespace {

/// Not a state: what was read leads to none.
constexpr std::uint32_t kNowhere = UINT32_MAX;

std::uint32_t follow_edge(const Dfa& dfa, std::uint32_t state, Symbol symbol) {
  if (state == kNowhere) return kNowhere;
  for (const Dfa::Edge& edge : dfa.states[state].edges) {
    if (edge.first <= symbol && symbol <= edge.last) return edge.target;
  }
  return kNowhere;
}

/// Of each condition that is denied beside another one: where it is worth looking on. Else a
/// product of them has a copy of all for each set of those that were found.
std::vector<std::optional<DeniedPlaces>> denied_places(const Dfa& dfa,
                                                       const std::vector<DfaCondition>& conditions,
                                                       std::size_t most, std::size_t* n_pairs) {
  std::vector<std::optional<DeniedPlaces>> out(conditions.size());
  if (std::ranges::count(conditions, false, &DfaCondition::accepted) < 2) return out;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i].accepted) continue;
    out[i].emplace(dfa, *conditions[i].dfa, most);
    if (n_pairs) *n_pairs += out[i]->n_pairs();
  }
  return out;
}

}  // namespace

std::optional<Dfa> restricted(const Dfa& dfa, const std::vector<DfaCondition>& conditions,
                              std::size_t max_states, std::size_t* n_pairs) {
  const auto denied = denied_places(dfa, conditions, max_states, n_pairs);
  const auto leads_on = [&](std::size_t condition, std::uint32_t state, std::uint32_t place) {
    if (place == kNowhere) return !conditions[condition].accepted;
    return !denied[condition] || denied[condition]->may_end(state, place);
  };
  using Places = std::vector<std::uint32_t>;  // of dfa, then of each condition
  const auto next = [&](const Places& at, const auto& add) {
    for (const Dfa::Edge& edge : dfa.states[at[0]].edges) {
      std::vector<std::uint32_t> cuts = {edge.first, edge.last + 1U};
      for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (at[i + 1] == kNowhere) continue;
        for (const Dfa::Edge& other : conditions[i].dfa->states[at[i + 1]].edges) {
          for (const std::uint32_t cut : {std::uint32_t{other.first}, other.last + 1U}) {
            if (cut > edge.first && cut <= edge.last) cuts.push_back(cut);
          }
        }
      }
      std::ranges::sort(cuts);
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (std::size_t cut = 0; cut + 1 < cuts.size(); ++cut) {
        const auto first = static_cast<Symbol>(cuts[cut]);
        Places to = {edge.target};
        bool is_dead = false;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
          to.push_back(follow_edge(*conditions[i].dfa, at[i + 1], first));
          is_dead = is_dead || !leads_on(i, edge.target, to.back());
        }
        if (!is_dead) add(first, static_cast<Symbol>(cuts[cut + 1] - 1), to, edge.counts);
      }
    }
  };
  const auto accepts = [&](const Places& at) {
    if (!dfa.states[at[0]].accepts) return false;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const bool accepted = at[i + 1] != kNowhere && conditions[i].dfa->states[at[i + 1]].accepts;
      if (accepted != conditions[i].accepted) return false;
    }
    return true;
  };
  return explore(Places(conditions.size() + 1, 0), next, accepts, max_states);
}

Dfa dfa_of(const std::vector<std::vector<Symbol>>& texts) {
  Dfa trie;
  trie.states.emplace_back();
  for (const std::vector<Symbol>& text : texts) {
    std::uint32_t at = 0;
    for (const Symbol symbol : text) {
      std::uint32_t next = follow_edge(trie, at, symbol);
      if (next == kNowhere) {
        next = static_cast<std::uint32_t>(trie.states.size());
        trie.states[at].edges.push_back({symbol, symbol, next});
        trie.states.emplace_back();
      }
      at = next;
    }
    trie.states[at].accepts = true;
  }
  return trie;
}

bool is_empty(const Dfa& dfa) { return dfa.states[0].edges.empty() && !dfa.states[0].accepts; }

std::uint32_t n_texts(const Dfa& dfa) {
  // Of a state when all that it leads to are known: of one that leads back to itself never.
  std::vector<std::uint64_t> n(dfa.states.size(), 0);
  std::vector<bool> is_known(dfa.states.size(), false);
  std::vector<std::size_t> n_left(dfa.states.size());
  std::vector<std::vector<std::uint32_t>> before(dfa.states.size());
  std::vector<std::uint32_t> todo;
  for (std::uint32_t id = 0; id < dfa.states.size(); ++id) {
    n_left[id] = dfa.states[id].edges.size();
    for (const Dfa::Edge& edge : dfa.states[id].edges) before[edge.target].push_back(id);
    if (n_left[id] == 0) todo.push_back(id);
  }
  while (!todo.empty()) {
    const std::uint32_t id = todo.back();
    todo.pop_back();
    is_known[id] = true;
    n[id] = dfa.states[id].accepts ? 1 : 0;
    for (const Dfa::Edge& edge : dfa.states[id].edges) {
      n[id] += (edge.last - edge.first + std::uint64_t{1}) * n[edge.target];
    }
    n[id] = std::min<std::uint64_t>(n[id], kManyTexts);
    for (const std::uint32_t from : before[id]) {
      if (--n_left[from] == 0) todo.push_back(from);
    }
  }
  return is_known[0] ? static_cast<std::uint32_t>(n[0]) : kManyTexts;
}

std::vector<std::vector<Symbol>> texts_of(const Dfa& dfa) {
  struct Begun {
    std::uint32_t state = 0;
    std::vector<Symbol> text = {};
  };
  std::vector<Begun> todo = {{}};
  std::vector<std::vector<Symbol>> out;
  while (!todo.empty()) {
    const Begun at = std::move(todo.back());
    todo.pop_back();
    if (dfa.states[at.state].accepts) out.push_back(at.text);
    for (const Dfa::Edge& edge : dfa.states[at.state].edges) {
      for (std::size_t symbol = edge.first; symbol <= edge.last; ++symbol) {
        Begun next{edge.target, at.text};
        next.text.push_back(static_cast<Symbol>(symbol));
        todo.push_back(std::move(next));
      }
    }
  }
  std::ranges::sort(out);
  return out;
}

std::vector<bool> endless_states(const Dfa& dfa) {
  // What is left when states that lead only to others that were taken away are taken away.
  std::vector<bool> endless(dfa.states.size(), true);
  std::vector<std::size_t> n_left(dfa.states.size());
  std::vector<std::vector<std::uint32_t>> before(dfa.states.size());
  std::vector<std::uint32_t> todo;
  for (std::uint32_t id = 0; id < dfa.states.size(); ++id) {
    n_left[id] = dfa.states[id].edges.size();
    for (const Dfa::Edge& edge : dfa.states[id].edges) before[edge.target].push_back(id);
    if (n_left[id] == 0) todo.push_back(id);
  }
  while (!todo.empty()) {
    const std::uint32_t id = todo.back();
    todo.pop_back();
    endless[id] = false;
    for (const std::uint32_t from : before[id]) {
      if (--n_left[from] == 0) todo.push_back(from);
    }
  }
  return endless;
}

StateId add_name_dfa(Automaton& automaton, const Dfa& dfa, NamePart part, Symbol closing,
                     StateId to) {
  std::vector<StateId> ids;
  ids.reserve(dfa.states.size());
  for (std::size_t i = 0; i < dfa.states.size(); ++i) ids.push_back(automaton.add_state());
  for (std::size_t i = 0; i < dfa.states.size(); ++i) {
    for (const Dfa::Edge& edge : dfa.states[i].edges) {
      automaton.add_edge(
          ids[i],
          Edge{.first = edge.first, .last = edge.last, .name = part, .target = ids[edge.target]});
    }
    if (!dfa.states[i].accepts) continue;
    const NamePart end = part == NamePart::none ? NamePart::none : NamePart::end;
    automaton.add_edge(ids[i], Edge{.first = closing, .last = closing, .name = end, .target = to});
  }
  return ids[0];
}

StateId add_dfa(Automaton& automaton, const Dfa& dfa, std::optional<Symbol> closing, StateId to,
                bool needs_none) {
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
          ids[i],
          Edge{.first = *closing, .last = *closing, .needs_none = needs_none, .target = to});
    } else {
      automaton.add_jump(ids[i], to);
    }
  }
  return ids[0];
}

}  // namespace pleiad::constrain
