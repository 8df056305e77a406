#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "constrain/tokens/machine.h"
#include "constrain/tokens/node_lists.h"
#include "constrain/tokens/thread_sets.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {

/// The tokens that each state of an automaton allows, found once per state by a walk
/// over the trie and kept.
///
/// What a state allows depends on the stack below it only for tokens that reach
/// beyond the end of the state's rule. So a table holds the tokens that do not, and the
/// nodes of the trie at which the rule has ended: from there the caller's table for
/// just these nodes goes on. All stacks share the tables.
///
/// Within a string nearly all tokens are allowed. The walk takes a subtree of the trie as a whole
/// where all characters below it may come (ThreadSets::plain_text), and leaves it where none of its
/// tokens can. Where all plain tokens may come, or those of so many characters, the table refers to
/// the trie's own mask, which all grammars share.
class MaskTables {
 public:
  MaskTables(const TokenTrie& trie, const Automaton& automaton);

  /// Sets the bits of all tokens that may follow. Throws sampling::ConstraintError where that takes
  /// too long to find out.
  void allow(const Threads& threads, const StackPool& stacks, std::span<std::uint64_t> allowed);

  /// The steps (Machine::allow_steps()) that one mask may take, however many tables it makes; until
  /// then ten million: a second of work, where the dearest mask of some hundred real schemas takes
  /// sixty milliseconds.
  void limit_steps(std::uint64_t most) { most_steps_ = most; }

  std::size_t memory_bytes() const {
    return memory_bytes_ + node_lists_.memory_bytes() + sets_.memory_bytes();
  }

 private:
  using NodeList = NodeLists::Id;
  static constexpr NodeList kRoots = 0;
  static constexpr NodeList kNone = 1;

  struct Key {
    StateId state = 0;
    Counter counter = {};
    NodeList nodes = kRoots;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Table {
    std::uint32_t plain = 0;            // plain tokens of at most so many characters; beside them
    std::vector<text::TokenId> tokens;  // few, or
    std::vector<std::uint64_t> bits;    // many
    NodeList ended = kNone;             // where the rule has ended and tokens go on
    std::uint32_t deepest = 0;          // see Threads
    std::uint64_t taken = 0;            // the last call of allow() that took it
  };
  using Range = std::pair<std::uint32_t, std::uint32_t>;  // of the trie's tokens: first, end

  bool allow(const Thread& thread, const StackPool& stacks, std::span<std::uint64_t> allowed);
  void allow_exactly(const Threads& threads, const StackPool& stacks,
                     std::span<std::uint64_t> allowed);
  Table& table(const Key& key);
  Table make_table(const Key& key);
  void walk_all(ThreadSets::Id start, Table& table);
  void walk(std::uint32_t root, ThreadSets::Id start, Table& table);
  enum class Below : std::uint8_t { all, none, some };
  Below allowed_below(std::uint32_t node, ThreadSets::Id set, Table& table);
  bool takes_tree(std::size_t tree, ThreadSets::Id start, Table& table);
  bool takes_all_plain(ThreadSets::Id start, Table& table);
  void take(std::uint32_t first, std::uint32_t end);
  void join_ranges();
  void pack(Table& table);
  Counter clamp(const Counter& counter) const;
  void clear();

  const TokenTrie& trie_;
  const Automaton& automaton_;
  ThreadSets sets_;
  std::unordered_map<Key, Table, KeyHash> tables_;
  NodeLists node_lists_;
  std::size_t memory_bytes_ = 0;  // beside these, and sets_
  std::uint64_t most_steps_ = 10'000'000;
  std::uint64_t n_calls_ = 0;  // of allow()
  std::uint32_t plain_ = 0;    // the most that this call took of a table's `plain`

  // Of the table that is made:
  std::vector<ThreadSets::Id> path_;  // the set at each depth
  std::vector<Range> ranges_;         // what is allowed, beside
  std::vector<std::size_t> trees_;    // all of these, and
  std::vector<std::span<const text::TokenId>> lists_;
  std::vector<std::uint32_t> ended_;
};

}  // namespace pleiad::constrain
