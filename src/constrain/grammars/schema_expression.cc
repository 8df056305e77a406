#include "constrain/grammars/schema_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "constrain/grammars/automaton_rules.h"
#include "constrain/replies/vacuous_schemas.h"
#include "constrain/schema/compiler.h"
#include "constrain/value_writer.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr std::size_t kStepsOfSchemaState = 8;  // as memory

}  // namespace

Result<SchemaExpression> schema_expression(const Json& schema, const std::string& where,
                                           SchemaBudget& budget) {
  auto automaton = std::make_shared<Automaton>();
  ValueWriter writer(*automaton, Syntax::json);
  const SchemaPolicy policy = {.refuse_overlaps = true, .forgets_names = true};
  SchemaCompiler compiler(writer, schema, where, policy, budget);
  const Result<Rule> rule = compiler.compile();
  if (!rule) return Failure{rule.message()};
  SchemaExpression out;
  for (const SchemaNote& note : compiler.notes()) {
    std::string told = fmt::format("{}: {}", note.path, note.why);
    if (!note.is_of_other_types) return Failure{std::move(told)};
    out.notes.push_back(std::move(told));
  }
  if (!budget.spend(kStepsOfSchemaState * automaton->n_states())) {
    return Failure{where + ": the schemas of the grammar are too large together"};
  }
  const Result<bool> finished = automaton->finish(rule.value().start);
  if (!finished) {
    const auto part =
        automaton->has_heights() ? compiler.impossible_part(Automaton::kMaxDepth) : std::nullopt;
    return Failure{part ? part->message() : fmt::format("{}: {}", where, finished.message())};
  }
  if (!is_context_free(*automaton)) {
    return Failure{where + ": items that differ (uniqueItems) are not supported in a grammar"};
  }
  for (const SchemaNote& note : compiler.unwritten_parts()) {
    out.notes.push_back(fmt::format("{}: {}", note.path, note.why));
  }
  std::ranges::move(notes_on_vacuous_schemas(schema, where), std::back_inserter(out.notes));
  out.expression = automaton_of(std::move(automaton), rule.value());
  return out;
}

}  // namespace pleiad::constrain::grammars
