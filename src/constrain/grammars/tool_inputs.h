#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "constrain/grammars/reply_grammar.h"
#include "constrain/tokens/token_trie.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {

/// The argument of a tool that takes one text.
inline constexpr const char* kToolInput = "input";

/// The grammar of a tool's one text, which a declaration has beside its "parameters": "format", a
/// text_grammar(). Null where it has none.
const Json* input_grammar(const Json& tool);

/// A reply whose calls are held already, of whose tools some take a text of a grammar: within the
/// text of such a call it is that grammar which says what may come, and that the text may end.
class ToolInputs final : public sampling::TokenConstraint {
 public:
  using Grammars = std::map<std::string, std::shared_ptr<ReplyGrammar>>;  // by the tool's name

  /// `calls` says what else may come; Start::at_once is where the grammars begin.
  ToolInputs(std::shared_ptr<const TokenTrie> trie, Grammars grammars,
             std::unique_ptr<sampling::TokenConstraint> calls);

  void prepare() override;
  bool allowed_next(std::span<std::uint64_t> allowed) override;
  std::vector<std::int32_t> forced_next(std::size_t most) override;
  void accept(std::int32_t token) override;
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<ToolInputs>(*this);
  }

 private:
  void follow_call(std::int32_t token);

  std::shared_ptr<const TokenTrie> trie_;
  Grammars grammars_;
  sampling::OwnedConstraint calls_;
  std::optional<std::string> call_;    // what was read of the call that is open
  std::optional<GrammarReply> input_;  // within its text
  std::vector<std::uint64_t> may_come_;
};

}  // namespace pleiad::constrain::grammars
