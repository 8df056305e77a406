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
#include "constrain/tokens/node_lists.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain::grammars {

/// The tokens that each state of a network allows, found by a walk over the trie when they are
/// first asked for, and kept.
///
/// As in MaskTables, a table knows nothing of what called its state's rule: it holds the tokens
/// that stay within the rule, and the nodes of the trie at which it has ended, from where the
/// tables of its callers go on.
class TokenTables {
 public:
  struct Bounds {
    /// Of a call of allow(): nodes of the trie that are walked over, and items that are looked at.
    std::uint64_t steps = 30'000'000;
    /// In all sets, with their frames: some 30 bytes each. Where one table needs more it is given
    /// up.
    std::size_t set_items = 1'500'000;
  };

  TokenTables(const TokenTrie& trie, const Network& network);
  TokenTables(const TokenTrie& trie, const Network& network, Bounds bounds);

  /// Sets the bits of all tokens that may follow. Throws sampling::ConstraintError where that takes
  /// too long to find out.
  void allow(const Row& row, const StackGraph& stacks, std::span<std::uint64_t> allowed);

  std::size_t memory_bytes() const { return table_bytes() + set_bytes_; }

 private:
  using NodeList = NodeLists::Id;
  static constexpr NodeList kRoot = 0;

  struct Key {
    StateId state = 0;
    StateId longest = kNoLongest;  // see Item
    NodeList nodes = kRoot;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Ended {
    StateId longest = kNoLongest;
    NodeList nodes = kRoot;
  };
  struct Table {
    std::vector<text::TokenId> tokens;  // few, or
    std::vector<std::uint64_t> bits;    // many
    std::vector<Ended> ended;           // where the rule has ended and tokens go on
    std::uint64_t taken = 0;            // the last call of allow() that took it
    std::uint32_t id = 0;
  };
  /// A row above a node that is not known, with what reading gives.
  struct Set {
    Row row;
    std::vector<std::int32_t> after;  // [kSymbols] or empty: a set, kDead or kUnknown
  };
  static constexpr std::int32_t kDead = -1;
  static constexpr std::int32_t kUnknown = -2;
  using EndedNodes = std::map<StateId, std::vector<std::uint32_t>>;  // by Item::longest

  Table& table(const Key& key);
  Table make_table(const Key& key);
  void walk(std::uint32_t root, std::int32_t start, Table& table, EndedNodes& ended);
  void note_ended(std::int32_t set, std::uint32_t node, EndedNodes& ended) const;
  void pack(Table& table) const;
  std::int32_t read(std::int32_t from, Symbol symbol);
  std::int32_t intern(const Row& row);
  void clear();
  void clear_sets();
  std::size_t table_bytes() const { return memory_bytes_ + node_lists_.memory_bytes(); }
  std::size_t n_held() const { return n_items_ + parser_.stacks().n_frames(); }
  void spend(std::uint64_t steps);

  const TokenTrie& trie_;
  Bounds bounds_;
  std::uint64_t steps_left_ = 0;  // of this call of allow()
  std::unordered_map<Key, Table, KeyHash> tables_;
  NodeLists node_lists_;
  std::size_t memory_bytes_ = 0;  // beside these
  std::uint64_t n_calls_ = 0;     // of allow()

  Parser parser_;
  std::vector<Set> sets_;
  std::size_t n_items_ = 0;    // in sets_
  std::size_t set_bytes_ = 0;  // of these; stacks are not counted
  std::unordered_multimap<std::uint64_t, std::int32_t> set_ids_;
  Row scratch_;
  std::vector<std::int32_t> path_;  // of walk(): the set at each depth
};

}  // namespace pleiad::constrain::grammars
