#pragma once

#include "constrain/automaton.h"

namespace pleiad::constrain {

/// The most items that an array whose items differ may have to have.
inline constexpr std::uint32_t kMostCountedItems = 1000;

/// Forbids the arrays of a finished automaton whose items differ and of whose items there are fewer
/// than they need; true where there was one: the automaton has to be finished again. Counted are
/// items that are nested no deeper than the shallowest, so that there are enough of them wherever
/// the array may stand. An array whose items take too many steps to count is forbidden too.
bool forbid_short_of_items(Automaton& automaton);

}  // namespace pleiad::constrain
