#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "constrain/grammars/grammar_tree.h"
#include "constrain/schema/budget.h"

namespace pleiad::constrain::grammars {

/// The values of a JSON schema, as a part of a grammar. A Failure names the keyword, by a path that
/// `where` begins. That is one that cannot be held, too, as with strict tools: a grammar has no
/// warnings. What its states take is of the budget, too, which several schemas share.
Result<Expression> schema_expression(const Json& schema, const std::string& where,
                                     SchemaBudget& budget);

}  // namespace pleiad::constrain::grammars
