#pragma once

#include <vector>

#include "constrain/grammars/lark_lexer.h"

namespace pleiad::constrain::grammars {

/// Names that `%import common.INT -> int` gives to terminals are terminals wherever they stand in
/// the grammar that imports them, in lower case too: not in one within it, nor around it.
void find_imported_names(std::vector<LarkWord>& words);

}  // namespace pleiad::constrain::grammars
