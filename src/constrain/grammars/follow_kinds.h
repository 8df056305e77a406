#pragma once

#include <vector>

#include "constrain/grammars/network.h"
#include "constrain/tokens/plain_characters.h"

namespace pleiad::constrain::grammars {

/// Of each state: what characters may come behind the end of its rule, whoever called it; with
/// kNotPlain for all else.
std::vector<KindSet> follow_kinds(const Network& network);

/// The kinds whose characters all begin as an edge of the state does; none where the state is
/// kNoLongest.
KindSet kinds_read_by(const Network& network, StateId state);

}  // namespace pleiad::constrain::grammars
