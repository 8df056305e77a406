#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "constrain/machine.h"
#include "constrain/token_trie.h"

namespace pleiad::constrain {

/// The tokens that each state of an automaton allows, found once per state by a walk
/// over the trie and kept.
///
/// What a state allows depends on the stack below it only for tokens that reach
/// beyond the end of the state's rule. So a table holds the tokens that do not, and the
/// nodes of the trie at which the rule has ended: from there the caller's table for
/// just these nodes goes on. All stacks share the tables.
class MaskTables {
 public:
  MaskTables(const TokenTrie& trie, const Automaton& automaton);

  /// Sets the bits of all tokens that may follow. Throws sampling::ConstraintError where that takes
  /// too long to find out.
  void allow(const Threads& threads, const StackPool& stacks, std::span<std::uint64_t> allowed);

  std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  using NodeList = std::uint32_t;  // index into node_lists_
  static constexpr NodeList kRoot = 0;
  static constexpr NodeList kNone = 1;

  struct Key {
    StateId state = 0;
    Counter counter = {};
    NodeList nodes = kRoot;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Table {
    std::vector<text::TokenId> tokens;  // few, or
    std::vector<std::uint64_t> bits;    // many
    NodeList ended = kNone;             // where the rule has ended and tokens go on
    std::uint32_t deepest = 0;          // see Threads
    std::uint64_t taken = 0;            // the last call of allow() that took it
  };
  /// A set of threads above a stack that is not known, with what reading gives.
  struct Node {
    Threads threads;
    std::vector<std::int32_t> after;  // [kSymbols] or empty: a set, kDead or kUnknown
  };
  static constexpr std::int32_t kDead = -1;
  static constexpr std::int32_t kUnknown = -2;

  bool allow(const Thread& thread, const StackPool& stacks, std::span<std::uint64_t> allowed);
  void allow_exactly(const Threads& threads, const StackPool& stacks,
                     std::span<std::uint64_t> allowed);
  Table& table(const Key& key);
  Table make_table(const Key& key);
  void walk(std::uint32_t root, std::int32_t start, Table& table,
            std::vector<std::uint32_t>& ended);
  void pack(Table& table) const;
  Counter clamp(const Counter& counter) const;
  NodeList list_of(std::vector<std::uint32_t> nodes);
  std::int32_t read(std::int32_t from, Symbol symbol);
  std::int32_t intern(const Threads& threads);
  void clear();

  const TokenTrie& trie_;
  const Automaton& automaton_;
  std::unordered_map<Key, Table, KeyHash> tables_;
  std::map<std::vector<std::uint32_t>, NodeList> list_ids_;
  std::vector<const std::vector<std::uint32_t>*> node_lists_;  // keys of list_ids_
  std::size_t memory_bytes_ = 0;
  std::uint64_t n_calls_ = 0;  // of allow()

  Machine machine_;
  std::vector<Node> sets_;
  std::size_t n_threads_ = 0;  // in sets_
  std::unordered_multimap<std::uint64_t, std::int32_t> set_ids_;
  Threads scratch_;
  std::vector<std::int32_t> path_;  // of walk(): the set at each depth
};

}  // namespace pleiad::constrain
