#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "constrain/grammars/parser.h"
#include "constrain/grammars/row_sets.h"
#include "constrain/tokens/node_lists.h"
#include "constrain/tokens/token_trie.h"
#include "constrain/tokens/trie_walk.h"

namespace pleiad::constrain::grammars {

/// The tokens that each state of a network allows, found by a walk over the trie when they are
/// first asked for, and kept.
///
/// As in MaskTables, a table knows nothing of what called its state's rule: it holds the tokens
/// that stay within the rule, and the nodes of the trie at which it has ended, from where the
/// tables of its callers go on. Where that are very many, as where text may end a rule at each
/// of its characters and the next begin it again, and the rule returns to one state, a table of
/// both takes its place, which follows both together: the walk then sees that nothing changes.
class TokenTables {
 public:
  struct Bounds {
    /// Of a call of allow(): symbols that are read, and items that are looked at.
    std::uint64_t steps = 30'000'000;
    /// See RowSets; where one table needs more it is given up.
    std::size_t set_items = 1'500'000;
  };

  TokenTables(const TokenTrie& trie, const Network& network);
  TokenTables(const TokenTrie& trie, const Network& network, Bounds bounds);

  /// Sets the bits of all tokens that may follow. Throws sampling::ConstraintError where that takes
  /// too long to find out.
  void allow(const Row& row, const StackGraph& stacks, std::span<std::uint64_t> allowed);

  std::size_t memory_bytes() const {
    return table_bytes() + sets_.memory_bytes() + walk_.memory_bytes();
  }

 private:
  using NodeList = NodeLists::Id;
  using ReturnList = NodeLists::Id;
  static constexpr NodeList kRoot = 0;
  static constexpr ReturnList kNoReturns = 0;

  struct Key {
    StateId state = 0;
    StateId longest = kNoLongest;  // see Item
    NodeList nodes = kRoot;
    ReturnList returns = kNoReturns;  // where its rule returns to, as far as the table knows

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Ended {
    StateId longest = kNoLongest;
    NodeList nodes = kRoot;
  };
  struct Place {
    Key key;
    NodeId node = StackGraph::kBottom;  // of where the key's last rule returns to
  };
  struct Table {
    /// Nothing is here: it takes tables that know more returns.
    bool asks_returns = false;
    TokenList allowed;
    std::vector<Ended> ended;  // where the rule has ended and tokens go on
    std::uint64_t taken = 0;   // the last call of allow() that took it
    std::uint32_t id = 0;
  };
  using EndedNodes = std::map<StateId, std::vector<std::uint32_t>>;  // by Item::longest

  Table& table(const Key& key);
  Table make_table(const Key& key);
  Place with_return(Place place, const StackGraph& stacks);
  EndedNodes ended_nodes();
  void clear();
  std::size_t table_bytes() const {
    return memory_bytes_ + node_lists_.memory_bytes() + return_lists_.memory_bytes();
  }
  void spend(std::uint64_t steps);

  const TokenTrie& trie_;
  Bounds bounds_;
  std::uint64_t steps_left_ = 0;  // of this call of allow()
  std::unordered_map<Key, Table, KeyHash> tables_;
  NodeLists node_lists_;
  NodeLists return_lists_;        // of states, with kAnywhere or kNowhere at the end
  std::size_t memory_bytes_ = 0;  // of tables_
  std::uint64_t n_calls_ = 0;     // of allow()
  std::uint32_t plain_ = 0;       // the most that this call took of a table's `plain`

  RowSets sets_;
  TrieWalk walk_;
};

}  // namespace pleiad::constrain::grammars
