#pragma once

#include <cstdint>

#include "constrain/automaton.h"

namespace pleiad::constrain {

/// For all objects of an automaton; some tenths of a second.
inline constexpr std::uint64_t kMostNameSteps = 300'000;

/// Takes out of a finished automaton the ways to free names from which more of them have to come
/// than there are; true where there was one: the automaton has to be finished again. Counted are
/// names of which the values are nested no deeper than the shallowest, so that there are enough of
/// them wherever the object may stand. Names that take too many steps to count are none.
/// `steps` are what is left of kMostNameSteps, of all rounds together.
bool limit_to_free_names(Automaton& automaton, std::uint64_t& steps);

}  // namespace pleiad::constrain
