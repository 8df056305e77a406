#pragma once

#include "constrain/automaton.h"

namespace pleiad::constrain {

/// Takes out of a finished automaton the ways to free names from which more of them have to come
/// than there are; true where there was one: the automaton has to be finished again. Counted are
/// names of which the values are nested no deeper than the shallowest, so that there are enough of
/// them wherever the object may stand. Names that take too many steps to count are none.
bool limit_to_free_names(Automaton& automaton);

}  // namespace pleiad::constrain
