#pragma once

#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// What the automaton accepts, with one state in place of those from which the same texts lead on
/// by the same edges, but for states that are on a loop with others. Its edges count as they did;
/// what is not reached is gone.
Dfa with_shared_ends(const Dfa& dfa);

}  // namespace pleiad::constrain
