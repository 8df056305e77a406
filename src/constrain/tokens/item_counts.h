#pragma once

#include "constrain/automaton.h"

namespace pleiad::constrain {

/// The most items that an array whose items differ may have to have.
inline constexpr std::uint32_t kMostCountedItems = 1000;

struct ItemCounts {
  bool forbade_some = false;  // the automaton has to be finished again
  bool gave_up = false;       // some were forbidden as their items take too many steps to count
};

/// Forbids the arrays of a finished automaton whose items differ and of whose items there are fewer
/// than they need. Counted are items that are nested no deeper than the shallowest, so that there
/// are enough of them wherever the array may stand. No array that is counted stands within an item
/// of another (SchemaCompiler sees to it), so that once is enough: what is forbidden takes no item
/// from an array that was not.
ItemCounts forbid_short_of_items(Automaton& automaton);

}  // namespace pleiad::constrain
