#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "constrain/tokens/read_sets.h"
#include "constrain/tokens/token_levels.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {

/// Finds what a set allows of a whole tree of plain tokens, level by level (TokenLevels): for sets
/// from which text leads on nearly everywhere, but in no way that tells of many tokens at once, as
/// where some words must not come.
class LevelSweep {
 public:
  using Id = ReadSets::Id;

  LevelSweep(const TokenTrie& trie, ReadSets& sets);

  /// What the set allows of a tree's tokens, all or some. Given up, and false, where something ends
  /// on the way, or too much has to be found out.
  bool sweep(const TokenLevels& levels, Id start);

  /// Behind the last sweep of a walk: gives back what only they need.
  void end_walk() { reached_.reset(); }

  // What the last sweep found that was not given up.
  std::size_t n_allowed() const { return n_allowed_; }
  std::size_t n_left_out() const { return is_allowed_.size() - n_allowed_; }
  /// The tokens that are allowed, or those that are not.
  std::vector<text::TokenId> tokens(bool allowed) const;
  /// All that it did not allow is at these nodes or below them, none of which is below another.
  std::vector<std::uint32_t> nodes_left_out() const;
  std::uint32_t deepest() const { return deepest_; }  // see Threads

  std::size_t memory_bytes() const;

 private:
  void begin(const TokenLevels& levels);
  const Id* read_block(std::span<const TokenLevels::Node> nodes, const Id* from, Id* to);
  Id find(Id from, Symbol symbol);
  void find_deepest();
  template <typename Add>
  void for_each(bool allowed, Add add) const;

  const TokenTrie& trie_;
  ReadSets& sets_;
  std::vector<Id> dead_, unknown_;  // what reading makes of kDead, of sets of which none was read
  std::vector<const Id*> after_;    // what reading makes of kUnknown, kDead, then of each set

  std::size_t most_inner_ = 0;     // of TokenLevels::inner of any tree
  std::unique_ptr<Id[]> reached_;  // by the root, then by each of `inner`; between sweeps of a walk

  const TokenLevels* levels_ = nullptr;
  std::vector<std::uint8_t> is_allowed_;  // of each of its tokens
  std::size_t n_allowed_ = 0;
  std::size_t n_found_ = 0;
  std::uint32_t deepest_ = 0;
};

}  // namespace pleiad::constrain
