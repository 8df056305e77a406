#pragma once

#include <cstdint>

#include "constrain/automaton.h"

namespace pleiad::constrain {

/// The most items that an array whose items differ may have to have.
inline constexpr std::uint32_t kMostCountedItems = 1000;

/// Steps of the machine for all arrays together: a second's work or two.
inline constexpr std::uint64_t kMostCountingSteps = 3'000'000;

struct ItemCounts {
  bool forbade_some = false;  // the automaton has to be finished again
  bool gave_up = false;       // some were forbidden as their items take too many steps to count
  std::uint64_t n_steps = 0;  // of the machine
};

/// Forbids the arrays of a finished automaton whose items differ and of whose items there are fewer
/// than they need. Counted are items that are nested no deeper than the shallowest, so that there
/// are enough of them wherever the array may stand. No array that is counted stands within an item
/// of another (SchemaCompiler sees to it), so that once is enough: what is forbidden takes no item
/// from an array that was not.
ItemCounts forbid_short_of_items(Automaton& automaton,
                                 std::uint64_t most_steps = kMostCountingSteps);

}  // namespace pleiad::constrain
