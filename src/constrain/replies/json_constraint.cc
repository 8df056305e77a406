#include "constrain/replies/json_constraint.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
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
  SchemaBudget budget;
  std::optional<SchemaCompiler> compiler;
  std::vector<std::string> unenforced;
  if (format == "json") {
    content = writer.any_object();
  } else if (format.is_object()) {
    if (to_text(format).size() > kMaxSchemaBytes) {
      return Failure{where + ": the schema is larger than 256 KiB"};
    }
    compiler.emplace(writer, format, where, policy, budget);
    const Result<Rule> compiled = compiler->compile();
    if (!compiled) return Failure{compiled.message()};
    content = compiled.value();
    for (const SchemaNote& note : compiler->notes()) {
      unenforced.push_back(fmt::format("{}: {}", note.path, note.why));
    }
  } else {
    return Failure{where + ": expected \"json\" or a JSON schema"};
  }
  std::string uncounted;
  const Result<bool> finished = finish_reply(automaton, content, start, *trie, where, &uncounted);
  if (!finished) {
    constexpr std::uint32_t kMostLevels = Automaton::kMaxDepth - 1;  // the reply calls them
    const auto part =
        automaton.has_heights() && compiler ? compiler->impossible_part(kMostLevels) : std::nullopt;
    if (!part) return Failure{finished.message()};
    return Failure{part->message() + uncounted};
  }
  std::vector<SchemaNote> unwritten;
  if (compiler) unwritten = compiler->unwritten_parts();
  auto grammar =
      std::make_shared<Grammar>(std::move(trie), std::move(automaton), std::move(unenforced));
  for (const SchemaNote& note : unwritten) {
    grammar->add_note(fmt::format("{}: {}{}", note.path, note.why, uncounted));
  }
  return grammar;
}

}  // namespace pleiad::constrain
