#include "constrain/replies/json_constraint.h"

#include <fmt/format.h>

#include <utility>

#include "constrain/schema/compiler.h"

namespace pleiad::constrain {
Result<std::shared_ptr<Grammar>> make_json_grammar(std::shared_ptr<const TokenTrie> trie,
                                                   const Json& format, Start start,
                                                   const SchemaPolicy& policy,
                                                   const std::string& where) {
  Automaton automaton;
  ValueWriter writer(automaton, Syntax::json);
  Rule content;
  std::string contradiction;
  std::vector<std::string> unenforced;
  if (format == "json") {
    content = writer.any_object();
  } else if (format.is_object()) {
    if (to_text(format).size() > kMaxSchemaBytes) {
      return Failure{where + ": the schema is larger than 256 KiB"};
    }
    SchemaBudget budget;
    SchemaCompiler compiler(writer, format, where, policy, budget);
    const Result<Rule> compiled = compiler.compile();
    if (!compiled) return Failure{compiled.message()};
    content = compiled.value();
    if (!compiler.contradiction().empty()) {
      contradiction = fmt::format(" ({})", compiler.contradiction());
    }
    for (const SchemaNote& note : compiler.notes()) {
      unenforced.push_back(fmt::format("{}: {}", note.path, note.why));
    }
  } else {
    return Failure{where + ": expected \"json\" or a JSON schema"};
  }
  const Result<bool> finished = finish_reply(automaton, content, start, *trie, where);
  if (!finished) {
    const bool is_empty = finished.message().ends_with("no value can satisfy it");
    return Failure{finished.message() + (is_empty ? contradiction : "")};
  }
  return std::make_shared<Grammar>(std::move(trie), std::move(automaton), std::move(unenforced));
}

}  // namespace pleiad::constrain
