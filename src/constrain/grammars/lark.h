#pragma once

#include <string_view>

#include "base/result.h"
#include "constrain/grammars/grammar_tree.h"
#include "constrain/schema/budget.h"

namespace pleiad::constrain::grammars {

/// Reads a grammar in Lark as llguidance does: rules, terminals, regular expressions, %ignore,
/// %import common, %json, %regex, %lark, %llguidance, the attributes of rules that are about their
/// text, and rules with a number (which are rules for each number that they come to); the replies
/// are what `start` gives. Where a terminal may be, it takes the longest text that it can, whatever
/// other terminals could be there, or the shortest where it is lazy; what %ignore names may stand
/// behind each terminal. A Failure names line, column, and what is not supported.
Result<GrammarTree> read_lark(std::string_view text, SchemaBudget& budget);

}  // namespace pleiad::constrain::grammars
