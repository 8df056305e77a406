#pragma once

#include <optional>

#include "constrain/automaton.h"
#include "constrain/schema/context.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// Those texts of an automaton that are of a length, by a counter wherever the length may be
/// counted on: but for the last characters it costs no states. No counter leads to where nothing
/// may follow.
///
/// What is given has two ways on for some symbols: the text goes on at its counter's cost, or its
/// end begins, whose characters are states. Nothing where a text may have to end too far from where
/// that can be said, or where that is too large.
std::optional<Dfa> counted_text(SchemaContext& context, const Dfa& text, Counter& length,
                                std::size_t max_states);

}  // namespace pleiad::constrain
