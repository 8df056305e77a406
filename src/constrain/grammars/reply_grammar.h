#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "constrain/grammars/grammar_budget.h"
#include "constrain/grammars/network.h"
#include "constrain/grammars/parser.h"
#include "constrain/grammars/token_tables.h"
#include "constrain/replies/reply_form.h"
#include "constrain/tokens/token_trie.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {

/// A user's grammar, ready for replies: the network, and the tables that were made so far. Shared
/// by all replies that have it; they may run on several threads.
class ReplyGrammar {
 public:
  /// `notes`: as a GrammarTree's.
  ReplyGrammar(std::shared_ptr<const TokenTrie> trie, Network network,
               std::vector<std::string> notes = {});

  const TokenTrie& trie() const { return *trie_; }
  const Network& network() const { return network_; }
  const std::vector<std::string>& notes() const { return notes_; }
  void allow(const Row& row, const StackGraph& stacks, std::span<std::uint64_t> allowed);
  /// Of the network, the tables and what they were made with; waits for nobody.
  std::size_t memory_bytes() const { return network_bytes_ + table_bytes_; }

 private:
  std::shared_ptr<const TokenTrie> trie_;
  Network network_;
  std::vector<std::string> notes_;
  std::size_t network_bytes_;
  std::mutex mutex_;
  TokenTables tables_;  // guarded by mutex_
  std::atomic<std::size_t> table_bytes_;
};

/// `format` is a text_grammar(). A Failure says where in it what is wrong, or that it would cost
/// too much. Of many notes on its schemas the first are kept. Grammars of one request share its
/// budget.
Result<std::shared_ptr<ReplyGrammar>> make_reply_grammar(std::shared_ptr<const TokenTrie> trie,
                                                         const Json& format, Start start,
                                                         GrammarBudget& budget);
/// With a budget of its own.
Result<std::shared_ptr<ReplyGrammar>> make_reply_grammar(std::shared_ptr<const TokenTrie> trie,
                                                         const Json& format, Start start);

/// One reply under a grammar.
class GrammarReply final : public sampling::TokenConstraint {
 public:
  explicit GrammarReply(std::shared_ptr<ReplyGrammar> grammar);

  /// What stands before the reply, and fits the grammar together with it. False where nothing that
  /// fits begins so; the constraint is of no use then. Throws sampling::ConstraintError where that
  /// takes too long to find out.
  bool begin_with(std::string_view text);

  void prepare() override;
  bool allowed_next(std::span<std::uint64_t> allowed) override;
  std::vector<std::int32_t> forced_next(std::size_t most) override;
  void accept(std::int32_t token) override;
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<GrammarReply>(*this);
  }

  /// Whether the token may come next: the slow way, token by token.
  bool allows(std::int32_t token);

 private:
  bool read(std::span<const Symbol> symbols, Row& out);
  void forget_old_nodes();

  std::shared_ptr<ReplyGrammar> grammar_;
  Parser parser_;
  Row row_;
  Row next_;
  Row other_;
  std::vector<std::uint64_t> prepared_;  // what may come next; empty: not known yet
};

}  // namespace pleiad::constrain::grammars
