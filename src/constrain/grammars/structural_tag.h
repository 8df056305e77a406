#pragma once

#include "base/json.h"
#include "base/result.h"
#include "constrain/grammars/grammar_tree.h"
#include "constrain/schema/budget.h"

namespace pleiad::constrain::grammars {

/// Reads a structural tag, as xgrammar and vLLM have it: {"type": "structural_tag", "format": ...},
/// or the older {"structures": [{"begin", "schema", "end"}], "triggers": [...]}. It says what a
/// reply is by parts that are put together: texts, schemas, grammars, regular expressions, free
/// text, and tags that may come amid free text.
///
/// Free text within a tag has none of the tag's ends; free text among tags comes to a tag at the
/// first trigger in it. What is of tokens rather than text is a Failure, and so is what nothing
/// here knows; it names the place in the tag: "format.tags[0].begin: ...".
Result<GrammarTree> read_structural_tag(const Json& tag, SchemaBudget& budget);

}  // namespace pleiad::constrain::grammars
