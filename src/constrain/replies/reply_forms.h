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
#include "constrain/grammars/grammar_forms.h"
#include "constrain/replies/json_constraint.h"
#include "constrain/replies/kept_forms.h"
#include "constrain/replies/tool_constraint.h"

namespace pleiad::constrain {

/// The forms that replies of one model have had lately. Requests of one scope that ask for the
/// same form again share the grammar and all that was found out about its tokens: those of
/// another shall not learn from the time that a form was asked for. May be used by several
/// threads.
class ReplyForms {
 public:
  using Constraint = Result<std::unique_ptr<sampling::TokenConstraint>>;

  /// Builds the trie. `end_tokens`: what ends a reply.
  ReplyForms(const text::Vocabulary& vocabulary, std::span<const text::TokenId> end_tokens);
  /// What a form compels is cut as the tokenizer, which outlives the forms, does it.
  ReplyForms(const text::Tokenizer& tokenizer, std::span<const text::TokenId> end_tokens);
  /// `most_bytes`: see KeptForms; of users' grammars as much again.
  ReplyForms(const text::Vocabulary& vocabulary, std::span<const text::TokenId> end_tokens,
             std::size_t most_bytes);

  /// `begun`: what the prompt has already of the content, which is a part of what has the form;
  /// then `start` is at_once. `format` may be a user's grammar (grammars/text_grammar.h) as well as
  /// what make_json_grammar() takes. `where` is its path in the request. `warnings` learns what of
  /// the schema cannot be enforced, and where it says nothing. `any_order`: see PropertyOrder.
  Constraint json(std::uint64_t scope, const Json& format, Start start, std::string_view begun = {},
                  std::vector<std::string>* warnings = nullptr, const std::string& where = "format",
                  bool any_order = false);
  /// The reply is calls, or where the policy leaves it to the model, text in which calls may stand.
  Constraint tools(std::uint64_t scope, const Json& tools, const ToolPolicy& policy, Start start,
                   std::vector<std::string>* warnings = nullptr);
  /// The reply is calls or has the format, whichever the model chooses. The policy demands none.
  Constraint tools_or_json(std::uint64_t scope, const Json& tools, const ToolPolicy& policy,
                           const Json& format, Start start,
                           std::vector<std::string>* warnings = nullptr,
                           const std::string& where = "format");

  grammars::GrammarForms& grammars() { return grammars_; }
  const std::shared_ptr<const TokenTrie>& trie() const { return trie_; }
  std::size_t n_kept() const { return kept_.size() + grammars_.n_kept(); }

 private:
  using Made = Result<std::shared_ptr<Grammar>>;
  Made json_grammar(std::uint64_t scope, const Json& format, Start start, const std::string& where,
                    bool any_order, std::vector<std::string>* warnings);
  Made tool_grammar(std::uint64_t scope, const Json& tools, const ToolPolicy& policy, Start start,
                    std::vector<std::string>* warnings);

  std::shared_ptr<const TokenTrie> trie_;
  KeptForms<Grammar> kept_;
  grammars::GrammarForms grammars_;
};

}  // namespace pleiad::constrain
