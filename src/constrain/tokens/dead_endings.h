#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constrain/automaton.h"
#include "constrain/tokens/plain_states.h"
#include "constrain/tokens/text_ending.h"

namespace pleiad::constrain {

/// Finds how plain text ends that does not lead on, from a state from which nearly all does: the
/// last letters of words that must not come.
class DeadEndings {
 public:
  DeadEndings(const Automaton& automaton, PlainStates& states)
      : automaton_(automaton), states_(states) {}

  /// All texts of at most so many plain characters lead on from the state, as if nothing were
  /// counted, but those that end so, or begin so. There may be more. False, and only some, where
  /// that is too much to find out, or is not told.
  bool find(StateId start, std::uint32_t most_characters, std::vector<TextEnding>& endings);

 private:
  /// Some symbols that lead from a place to another.
  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    TextEnding::One symbols;
  };
  /// Where some characters do not lead on.
  struct DeadEnd {
    std::uint32_t place = 0;
    AsciiSet characters;
  };

  bool find_places(StateId start, std::uint32_t most_characters);
  bool look_at(std::uint32_t place, bool goes_on);
  std::uint32_t place_of(StateId state);
  Arc& arc(std::size_t first, std::uint32_t from, std::uint32_t to);
  void sort_arcs();
  bool add_ending(const DeadEnd& end, std::vector<TextEnding>& endings);
  TextEnding::One before(std::vector<std::uint32_t>& places);

  const Automaton& automaton_;
  PlainStates& states_;
  std::vector<StateId> places_;            // the states that are reached, the nearest first
  std::vector<std::uint32_t> numbers_;     // by state: in places_, from 1 on
  std::vector<Arc> arcs_;                  // by where they lead, when all are found
  std::vector<std::uint32_t> arcs_begin_;  // [places + 1]
  std::vector<DeadEnd> ends_;
  std::vector<std::uint32_t> seen_;  // of each place: the last step back that came to it
  std::uint32_t n_steps_back_ = 0;
  std::size_t n_looked_ = 0;
};

}  // namespace pleiad::constrain
