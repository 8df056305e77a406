#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "constrain/grammar.h"
#include "constrain/reply_form.h"
#include "constrain/token_trie.h"

namespace pleiad::constrain {

/// Which tools a reply has to call.
struct ToolPolicy {
  std::optional<std::string> name;  // this one; else whichever it likes
  bool parallel = false;            // or several times, one call behind the other
};

/// The grammar of replies that call tools, in Gemma's syntax. `tools` are declarations in
/// OpenAI's form, as text::declare_tool takes them. Arguments obey "parameters" (keys in
/// alphabetical order, as the templates teach) where the schema is one that SchemaCompiler
/// understands, and are any arguments in the right syntax where it is not.
Result<std::shared_ptr<Grammar>> make_tool_grammar(std::shared_ptr<const TokenTrie> trie,
                                                   const Json& tools, const ToolPolicy& policy,
                                                   Start start);

/// The same for one reply. What is said of parsers in json_constraint.h holds here too.
Result<std::unique_ptr<sampling::TokenConstraint>> make_tool_constraint(
    std::shared_ptr<const TokenTrie> trie, const Json& tools, const ToolPolicy& policy,
    Start start);

}  // namespace pleiad::constrain
