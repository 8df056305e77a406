#pragma once

#include "base/result.h"
#include "constrain/texts/dfa.h"
#include "constrain/texts/pattern_looks.h"
#include "constrain/texts/pattern_nfa.h"

namespace pleiad::constrain {

/// The automaton of the texts of which a span is as the pattern says, behind what stands `before`,
/// and that have so many characters. Fails where that takes too many states, or more work than
/// `looks` has.
///
/// Its states are sets of threads: states of the pattern's NFA, each with what was promised on the
/// way to it. So looking ahead may stand anywhere, in what is repeated too.
Result<Dfa> span_dfa(const PatternNode& pattern, PatternSpan span, Before before, Counter length,
                     PatternLooks& looks);

}  // namespace pleiad::constrain
