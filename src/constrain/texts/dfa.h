#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "constrain/automaton.h"

namespace pleiad::constrain {

/// A finite automaton of which every state has at most one way on per symbol: the
/// inside of a string, a number.
struct Dfa {
  struct Edge {
    Symbol first = 0;
    Symbol last = 0;
    std::uint32_t target = 0;
    bool counts = false;  // see constrain::Edge
  };
  struct State {
    std::vector<Edge> edges;
    bool accepts = false;
  };
  std::vector<State> states;  // [0] is the start

  /// Without the states that lead to no accepting one.
  void trim();
};

/// All states that can be reached from `start`, a value with an order.
/// `next(state, add)` calls add(first, last, state, counts) for what may be read,
/// `accepts(state)` says whether it may end. Nothing where there are more than `max_states`.
template <typename State, typename Next, typename Accepts>
std::optional<Dfa> explore(const State& start, Next next, Accepts accepts, std::size_t max_states) {
  Dfa dfa;
  std::map<State, std::uint32_t> ids;
  std::vector<const State*> states;
  const auto id_of = [&](const State& state) {
    const auto [found, is_new] = ids.try_emplace(state, static_cast<std::uint32_t>(states.size()));
    if (is_new) states.push_back(&found->first);
    return found->second;
  };
  id_of(start);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states.size() > max_states) return std::nullopt;
    Dfa::State made;
    made.accepts = accepts(*states[i]);
    next(*states[i], [&](Symbol first, Symbol last, const State& state, bool counts = false) {
      made.edges.push_back({first, last, id_of(state), counts});
    });
    dfa.states.push_back(std::move(made));
  }
  dfa.trim();
  return dfa;
}

/// What the automaton accepts, but for these texts. Nothing where that takes more states.
std::optional<Dfa> without(const Dfa& dfa, const std::vector<std::vector<Symbol>>& texts,
                           std::size_t max_states);

/// That another automaton accepts what is read, or that it does not.
struct DfaCondition {
  const Dfa* dfa = nullptr;
  bool accepted = true;

  bool operator==(const DfaCondition&) const = default;
};

/// What the automaton accepts and all conditions say; its edges count as they did. Nothing where
/// that is too large. `n_pairs`: adds the steps that it takes besides its states, where several
/// automata are denied; so many as `max_states` for each of them at most.
std::optional<Dfa> restricted(const Dfa& dfa, const std::vector<DfaCondition>& conditions,
                              std::size_t max_states, std::size_t* n_pairs = nullptr);

/// Exactly these texts.
Dfa dfa_of(const std::vector<std::vector<Symbol>>& texts);

/// Whether it accepts nothing.
bool is_empty(const Dfa& dfa);

/// How many texts it accepts; kManyTexts where they are more than can be said, or have no end.
inline constexpr std::uint32_t kManyTexts = std::numeric_limits<std::uint32_t>::max();
std::uint32_t n_texts(const Dfa& dfa);

/// All of them in their order, of an automaton that has an end of them.
std::vector<std::vector<Symbol>> texts_of(const Dfa& dfa);

/// Of each state whether infinitely many texts lead on from it; all states lead to an accepting
/// one.
std::vector<bool> endless_states(const Dfa& dfa);

/// Copies the states into the automaton and gives the first. Accepting ones lead on to `to`:
/// by reading `closing`, where the counter needs nothing more if `needs_none`, or by nothing at
/// all.
StateId add_dfa(Automaton& automaton, const Dfa& dfa, std::optional<Symbol> closing, StateId to,
                bool needs_none = true);

/// The same of the inside of a name: `part` is what its edges are, and closing edges end it.
StateId add_name_dfa(Automaton& automaton, const Dfa& dfa, NamePart part, Symbol closing,
                     StateId to);

}  // namespace pleiad::constrain
