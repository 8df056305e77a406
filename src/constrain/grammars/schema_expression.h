#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "constrain/grammars/grammar_tree.h"
#include "constrain/schema/budget.h"

namespace pleiad::constrain::grammars {

struct SchemaExpression {
  Expression expression;
  /// Parts that are never written, and parts that say nothing, as of a schema that is a format of
  /// its own: "PATH: why".
  std::vector<std::string> notes;
};

/// The values of a JSON schema, as a part of a grammar. A Failure names the keyword, by a path that
/// `where` begins, as notes do. That is one that cannot be held, too, as with strict tools. What
/// its states take is of the budget, too, which several schemas share.
Result<SchemaExpression> schema_expression(const Json& schema, const std::string& where,
                                           SchemaBudget& budget);

}  // namespace pleiad::constrain::grammars
