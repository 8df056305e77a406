#include "constrain/grammars/lark_schemas.h"

#include <utility>

#include "base/json.h"
#include "constrain/grammars/schema_expression.h"

namespace pleiad::constrain::grammars {

Expression LarkSchemas::add(const LarkWord& word) {
  const Result<Json> schema = read_json(word.text, {});
  if (!schema) {
    source_.fail_at(word.at, "in the schema that begins here: " + schema.message());
    return {};
  }
  Result<Expression> body = schema_expression(schema.value(), "%json", budget_);
  if (body) return rule_of(names_.add("a schema", std::move(body).value()));
  source_.fail_at(word.at, body.message());
  return {};
}

}  // namespace pleiad::constrain::grammars
