#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/tokens/plain_characters.h"
#include "constrain/tokens/read_sets.h"
#include "constrain/tokens/steady_memory.h"

namespace pleiad::constrain {

/// What plain text the states of an automaton read, whatever its characters are: found from their
/// edges alone, so that a text that has to hold some words is understood without reading it letter
/// by letter from each place in the words.
///
/// Told is of states amid a text: those that only read, and neither end a rule nor call one.
class PlainStates {
 public:
  explicit PlainStates(const Automaton& automaton) : automaton_(automaton) {}

  /// Of a way that is at the state, as if nothing were counted.
  PlainReach of(StateId state);

  /// Some characters of each of these kinds lead to this state.
  struct Step {
    StateId to = 0;
    KindSet kinds = 0;
  };
  // Of a state that is amid a text.
  bool is_amid_text(StateId state) const;
  /// The kinds of which all characters lead on.
  KindSet living(StateId state) { return with_steps(state).living; }
  /// Where these lead, and others of which some do.
  std::span<const Step> steps(StateId state) { return with_steps(state).steps; }
  /// Whether an edge leads on in the text, from a state of this height.
  bool leads_on(const Edge& edge, std::uint32_t height) const;

  /// Before a table is made.
  void begin_table() { n_looked_ = 0; }
  std::size_t memory_bytes() const;

 private:
  struct Known {
    bool has_steps = false;
    bool has_reach = false;
    KindSet living = 0;  // the kinds of which all characters lead on
    std::span<const Step> steps;
    PlainReach reach;
    std::uint32_t region = 0;  // the last one that it was in, and
    std::uint32_t place = 0;   // where
  };
  using Spelling = std::vector<SymbolRange>;

  /// What is told of a state by its height and its edges beyond ASCII alone.
  struct Long {
    std::uint32_t height = 0;
    std::vector<Edge> edges;
    bool leads_on = false;    // all that is spelled with them
    std::vector<StateId> to;  // where some of it leads, as far as it was looked at
  };

  Known& known(StateId state);
  const Known& with_steps(StateId state);
  void find_steps(StateId state, Known& out);
  const Long& read_long(StateId state);
  bool leads_on(StateId from, const Spelling& spelling, std::size_t at, Long& out);
  const Edge* edge(StateId from, Symbol symbol) const;
  const Edge* leading_edge(Symbol symbol) const;
  bool find_region(StateId state, KindSet kinds);
  void measure(KindSet kinds);
  void add_step(StateId to, KindSet kinds);

  const Automaton& automaton_;
  std::deque<Known> known_;            // each stays where it is
  std::vector<std::uint32_t> places_;  // by state: in known_, from 1 on; 0: not there
  SteadyMemory<Step> steps_{0};        // of these
  std::vector<Step> found_;            // of the state that is asked for
  /// Most states of a text share their edges beyond ASCII with others; by a hash of these.
  std::unordered_multimap<std::uint64_t, Long> long_;
  std::size_t long_bytes_ = 0;
  std::vector<Edge> beyond_;   // of the state that is asked for; of these
  std::vector<Edge> leading_;  // those that lead on in the text
  std::size_t n_looked_ = 0;   // states of all regions, for this table
  std::vector<StateId> region_;
  std::uint32_t n_regions_ = 0;
};

}  // namespace pleiad::constrain
