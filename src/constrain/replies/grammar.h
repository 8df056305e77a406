#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constrain/tokens/distinct_mask.h"
#include "constrain/tokens/mask_tables.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain {

/// A form for replies, ready for use: the automaton, and the tables that were made so
/// far. Shared by all replies of that form; they may run on several threads.
class Grammar {
 public:
  /// `automaton` is finished. `unenforced`: what of the form it leaves out, in words for the user.
  Grammar(std::shared_ptr<const TokenTrie> trie, Automaton automaton,
          std::vector<std::string> unenforced = {});

  const TokenTrie& trie() const { return *trie_; }
  const Automaton& automaton() const { return automaton_; }
  /// Of the automaton, where items or names have to differ; else null.
  const InsideStrings* strings() const { return strings_ ? &*strings_ : nullptr; }
  /// The tokens that may follow; `machine` is the threads'.
  void allow(const Threads& threads, Machine& machine, std::span<std::uint64_t> allowed);
  /// See MaskTables; before there are replies.
  void limit_mask_steps(std::uint64_t most) { tables_.limit_steps(most); }
  const std::vector<std::string>& unenforced() const { return unenforced_; }
  /// What else there is to tell of the form; before there are replies.
  void add_note(std::string note) { notes_.push_back(std::move(note)); }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Of the automaton and of all that was found out so far.
  std::size_t memory_bytes() const { return automaton_bytes_ + table_bytes_; }

 private:
  std::shared_ptr<const TokenTrie> trie_;
  Automaton automaton_;
  std::vector<std::string> unenforced_;
  std::vector<std::string> notes_;
  std::optional<InsideStrings> strings_;  // where items or names have to differ,
  std::optional<DistinctMask> distinct_;  // as this
  std::size_t automaton_bytes_;
  std::mutex mutex_;
  MaskTables tables_;  // guarded by mutex_
  std::atomic<std::size_t> table_bytes_;
};

/// One reply under a grammar.
class GrammarConstraint final : public sampling::TokenConstraint {
 public:
  explicit GrammarConstraint(std::shared_ptr<Grammar> grammar);

  /// What stands before the reply and has the form together with it. False where nothing that has
  /// the form begins so; the constraint is of no use then. Throws sampling::ConstraintError where
  /// that takes too long to find out.
  bool begin_with(std::string_view text);

  void prepare() override;
  bool allowed_next(std::span<std::uint64_t> allowed) override;
  std::vector<std::int32_t> forced_next(std::size_t most) override;
  void accept(std::int32_t token) override;
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<GrammarConstraint>(*this);
  }

  /// Whether the token may come next: the slow way, token by token.
  bool allows(std::int32_t token);
  /// The reply has all it needs: only what ends it, or more of it, may follow.
  bool may_end();

 private:
  bool read(std::int32_t token, Threads& out);
  std::size_t n_words() const { return (grammar_->trie().vocab_size() + 63) / 64; }

  std::shared_ptr<Grammar> grammar_;
  Machine machine_;
  Threads threads_;
  Threads next_;
  Threads other_;
  std::vector<std::uint64_t> prepared_;  // what may come next, where is_prepared_
  bool is_prepared_ = false;
};

/// A reply that begins now. A Failure where the form leaves too much open at its very beginning.
Result<std::unique_ptr<GrammarConstraint>> begin_reply(std::shared_ptr<Grammar> grammar);

}  // namespace pleiad::constrain
