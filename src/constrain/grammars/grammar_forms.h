#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "constrain/grammars/reply_grammar.h"
#include "constrain/replies/kept_forms.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {

/// The grammars that replies of one model have had lately; see ReplyForms. May be used by several
/// threads.
class GrammarForms {
 public:
  /// `most_bytes`: see KeptForms.
  GrammarForms(std::shared_ptr<const TokenTrie> trie, std::size_t most_bytes)
      : trie_(std::move(trie)), kept_(most_bytes) {}

  /// `format` is a text_grammar(); `begun`, `warnings` and `where` as for ReplyForms::json(). A
  /// Failure begins with `where`.
  Result<std::unique_ptr<sampling::TokenConstraint>> reply(std::uint64_t scope, const Json& format,
                                                           Start start, std::string_view begun,
                                                           std::vector<std::string>* warnings,
                                                           const std::string& where);
  /// Calls that `calls` holds, of whose tools some take a text of a grammar (input_grammar());
  /// `calls` itself where none does. `tools` as for ReplyForms::tools(). A Failure begins with the
  /// tool's path: of `paths`, or where there are none, tools[0].function.format and so on, as what
  /// `warnings` learns does.
  Result<std::unique_ptr<sampling::TokenConstraint>> tool_inputs(
      std::uint64_t scope, const Json& tools, std::unique_ptr<sampling::TokenConstraint> calls,
      std::span<const std::string> paths = {}, std::vector<std::string>* warnings = nullptr);
  std::size_t n_kept() const { return kept_.size(); }

 private:
  /// Costs the same whether or not it is kept.
  Result<std::shared_ptr<ReplyGrammar>> find_or_make(std::uint64_t scope, const Json& format,
                                                     Start start, GrammarBudget& budget);

  struct Kept {
    std::shared_ptr<ReplyGrammar> grammar;
    GrammarBudget before;  // it was made
    GrammarBudget after;

    std::size_t memory_bytes() const { return grammar->memory_bytes(); }
  };

  std::shared_ptr<const TokenTrie> trie_;
  KeptForms<Kept> kept_;
};

}  // namespace pleiad::constrain::grammars
