#include "constrain/grammars/lark_schemas.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/text_format.h"
#include "constrain/grammars/automaton_rules.h"
#include "constrain/schema/compiler.h"
#include "constrain/value_writer.h"

namespace pleiad::constrain::grammars {
namespace {

Result<Expression> read_schema(const std::string& text, SchemaBudget& budget) {
  const Result<Json> schema = read_json(text, {});
  if (!schema) return Failure{schema.message()};
  auto automaton = std::make_shared<Automaton>();
  ValueWriter writer(*automaton, Syntax::json);
  const SchemaPolicy policy = {.refuse_overlaps = true};
  SchemaCompiler compiler(writer, schema.value(), "%json", policy, budget);
  const Result<Rule> rule = compiler.compile();
  if (!rule) return Failure{rule.message()};
  for (const SchemaNote& note : compiler.notes()) {
    return Failure{fmt::format("{}: {}", note.path, note.why)};
  }
  const Result<bool> finished = automaton->finish(rule.value().start);
  if (!finished) {
    const std::string& why = compiler.contradiction();
    return Failure{
        fmt::format("%json: {}{}", finished.message(), why.empty() ? "" : " (" + why + ")")};
  }
  if (!is_context_free(*automaton)) {
    return Failure{"%json: items that differ (uniqueItems) are not supported in a grammar"};
  }
  return automaton_of(std::move(automaton), rule.value());
}

}  // namespace

Expression LarkSchemas::add(const LarkWord& word) {
  Result<Expression> body = read_schema(word.text, budget_);
  if (body) return rule_of(names_.add("a schema", std::move(body).value()));
  source_.fail_at(word.at, body.message());
  return {};
}

}  // namespace pleiad::constrain::grammars
