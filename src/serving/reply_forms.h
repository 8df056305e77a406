#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "sampling/stop_tokens.h"
#include "sampling/token_constraint.h"
#include "serving/answer.h"
#include "text/reply_parser.h"
#include "text/vocabulary.h"

namespace pleiad::constrain {
class Grammar;
class TokenTrie;
}  // namespace pleiad::constrain

namespace pleiad::serving {

/// The forms that replies of one model are asked to have. What takes long to make is
/// made when it is first needed, and kept. Threads may share it.
class ReplyForms {
 public:
  /// Both must outlive the object.
  ReplyForms(const text::Vocabulary& vocabulary, const sampling::StopTokens& stop_tokens);
  ~ReplyForms();

  /// A call of a tool where one must come, else the request's `format`; null where it asks
  /// for neither. Throws RequestError.
  std::unique_ptr<sampling::TokenConstraint> constraint(const AnswerRequest& request,
                                                        const text::ReplyOptions& reply);

 private:
  static constexpr std::size_t kMostGrammars = 16;
  using GrammarPtr = std::shared_ptr<constrain::Grammar>;

  GrammarPtr grammar(const AnswerRequest& request, const text::ReplyOptions& reply);
  std::shared_ptr<const constrain::TokenTrie> trie();

  const text::Vocabulary& vocabulary_;
  const sampling::StopTokens& stop_tokens_;
  std::mutex mutex_;
  std::shared_ptr<const constrain::TokenTrie> trie_;
  std::list<std::pair<std::string, GrammarPtr>> grammars_;  // the latest used first
};

}  // namespace pleiad::serving
