#pragma once

#include <string_view>

#include "base/result.h"
#include "constrain/grammars/grammar_tree.h"

namespace pleiad::constrain::grammars {

/// What was read of a text as Lark; a failure says so where the text has rules as GBNF writes them.
Result<GrammarTree> read_as_lark(Result<GrammarTree> read, std::string_view text);

/// The same the other way round.
Result<GrammarTree> read_as_gbnf(Result<GrammarTree> read, std::string_view text);

}  // namespace pleiad::constrain::grammars
