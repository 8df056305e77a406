#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "constrain/grammars/grammar_tree.h"
#include "constrain/schema/budget.h"

namespace pleiad::constrain::grammars {

/// A grammar as a request carries it where else a schema stands:
/// {"type": "grammar", "syntax": "gbnf" | "lark" | "regex" | "choice" | "structural_tag",
/// "definition": TEXT}; of a choice a list of texts, of a structural tag an object.
bool is_text_grammar(const Json& format);

/// Whether a grammar is rather Lark than GBNF, as vLLM tells them apart: no line has "::=".
bool is_likely_lark(std::string_view text);

/// `syntax` as above.
Json text_grammar(std::string syntax, Json definition);

/// Reads its definition. A Failure names line and column, the text of a choice, or the place in a
/// structural tag. Grammars of one request share the budget of their schemas and patterns.
Result<GrammarTree> read_text_grammar(const Json& format, SchemaBudget& budget);

}  // namespace pleiad::constrain::grammars
