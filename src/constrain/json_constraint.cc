#include "constrain/json_constraint.h"

#include <fmt/format.h>

#include <utility>

#include "constrain/schema/compiler.h"

namespace pleiad::constrain {
namespace {

constexpr const char* kWhere = "format";

}  // namespace

Result<std::shared_ptr<Grammar>> make_json_grammar(std::shared_ptr<const TokenTrie> trie,
                                                   const Json& format, Start start,
                                                   const SchemaPolicy& policy) {
  Automaton automaton;
  ValueWriter writer(automaton, Syntax::json);
  Rule content;
  std::vector<std::string> unenforced;
  if (format == "json") {
    content = writer.any_object();
  } else if (format.is_object()) {
    if (to_text(format).size() > kMaxSchemaBytes) {
      return Failure{"format: the schema is larger than 256 KiB"};
    }
    SchemaBudget budget;
    SchemaCompiler compiler(writer, format, kWhere, policy, budget);
    const Result<Rule> compiled = compiler.compile();
    if (!compiled) return Failure{compiled.message()};
    content = compiled.value();
    for (const SchemaNote& note : compiler.notes()) {
      unenforced.push_back(fmt::format("{}{}: {}", kWhere, note.place, note.why));
    }
  } else {
    return Failure{"format: expected \"json\" or a JSON schema"};
  }
  const Result<bool> finished = finish_reply(automaton, content, start, *trie, kWhere);
  if (!finished) return Failure{finished.message()};
  return std::make_shared<Grammar>(std::move(trie), std::move(automaton), std::move(unenforced));
}

Result<std::unique_ptr<sampling::TokenConstraint>> make_json_constraint(
    std::shared_ptr<const TokenTrie> trie, const Json& format, Start start) {
  Result<std::shared_ptr<Grammar>> grammar = make_json_grammar(std::move(trie), format, start);
  if (!grammar) return Failure{grammar.message()};
  auto begun = begin_reply(std::move(grammar).value());
  if (!begun) return Failure{begun.message()};
  return std::unique_ptr<sampling::TokenConstraint>(std::move(begun).value());
}

}  // namespace pleiad::constrain
