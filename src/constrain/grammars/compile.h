#pragma once

#include "base/result.h"
#include "constrain/grammars/grammar_budget.h"
#include "constrain/grammars/grammar_tree.h"
#include "constrain/grammars/network.h"
#include "constrain/replies/reply_form.h"

namespace pleiad::constrain::grammars {

/// A grammar without its reply's frame.
struct CompiledGrammar {
  Network network;
  std::uint32_t root = 0;  // its rule of the start
  bool may_be_empty = false;
};

/// A Failure where no text fits, and where it takes more than the budget.
Result<CompiledGrammar> compile(const GrammarTree& tree, GrammarBudget& budget);

/// The network of replies whose content the grammar gives; see finish_reply().
Network make_reply(CompiledGrammar grammar, Start start, const TokenTrie& trie);

}  // namespace pleiad::constrain::grammars
