#pragma once

#include <string_view>

#include "base/result.h"
#include "constrain/grammars/grammar_tree.h"

namespace pleiad::constrain::grammars {

/// Reads a grammar as llama.cpp writes them: rules `name ::= ...` of texts, classes of characters,
/// '.', brackets, '|', and repetitions; the replies are what `root` gives. Beyond llama.cpp,
/// alternatives may begin on a new line, and rules with themselves. A Failure names line and
/// column.
Result<GrammarTree> read_gbnf(std::string_view text);

}  // namespace pleiad::constrain::grammars
