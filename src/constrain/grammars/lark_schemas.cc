#include "constrain/grammars/lark_schemas.h"

#include <fmt/format.h>

#include <string>
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
  Result<SchemaExpression> read = schema_expression(schema.value(), "%json", budget_);
  if (!read) {
    source_.fail_at(word.at, read.message());
    return {};
  }
  auto [body, notes] = std::move(read).value();
  if (told_.insert(word.at).second) {
    for (const std::string& note : notes) {
      names_.tree().notes.push_back(fmt::format("{}: {}", source_.place(word.at), note));
    }
  }
  return rule_of(names_.add("a schema", std::move(body)));
}

}  // namespace pleiad::constrain::grammars
