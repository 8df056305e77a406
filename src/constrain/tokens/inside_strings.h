#pragma once

#include <vector>

#include "constrain/automaton.h"

namespace pleiad::constrain {

/// What is known of the states of a finished automaton that are amid a string.
class InsideStrings {
 public:
  explicit InsideStrings(const Automaton& automaton);

  /// Reading anything but quotes leads only to states that neither end nor call.
  bool has(StateId state) const { return is_inside_[state]; }
  /// And whatever is read so, infinitely many texts lead on: one that is like none of those that
  /// came is always left.
  bool is_endless(StateId state, const Counter& counter) const {
    const bool is_free = counter.room == kUnbounded || !counts_[state];
    return is_endless_[state] && is_free && counter.need == 0;
  }

 private:
  std::vector<bool> is_inside_;
  std::vector<bool> is_endless_;
  std::vector<bool> counts_;  // an edge that counts can be reached
};

}  // namespace pleiad::constrain
