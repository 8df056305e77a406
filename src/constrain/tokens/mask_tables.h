#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "constrain/tokens/machine.h"
#include "constrain/tokens/node_lists.h"
#include "constrain/tokens/thread_sets.h"
#include "constrain/tokens/token_trie.h"
#include "constrain/tokens/trie_walk.h"

namespace pleiad::constrain {

/// The tokens that each state of an automaton allows, found once per state by a walk
/// over the trie and kept.
///
/// What a state allows depends on the stack below it only for tokens that reach
/// beyond the end of the state's rule. So a table holds the tokens that do not, and the
/// nodes of the trie at which the rule has ended: from there the caller's table for
/// just these nodes goes on. All stacks share the tables.
///
/// Within a string nearly all tokens are allowed: see TrieWalk. Where all plain tokens may come, or
/// those of so many characters, the table refers to the trie's own mask, which all grammars share.
/// Of what else may be read there, no plain token is looked at then; and where one way allows
/// nearly all of them, others are asked for what it left out.
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
    return memory_bytes_ + node_lists_.memory_bytes() + sets_.memory_bytes() + walk_.memory_bytes();
  }

 private:
  using NodeList = NodeLists::Id;
  static constexpr NodeList kRoots = 0;
  static constexpr NodeList kNone = 1;

  enum class From : std::uint8_t {
    threads,  // what one of them reads; all that it leads to before it reads are threads too
    rest,     // the same below the nodes that another thread left out
    stack,    // what follows where a rule has ended
  };
  struct Key {
    StateId state = 0;
    Counter counter = {};
    NodeList nodes = kRoots;
    From from = From::threads;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Table {
    TokenList allowed;
    NodeList ended = kNone;      // where the rule has ended and tokens go on
    NodeList left_out = kRoots;  // of kRoots, where that is little: what is not allowed is there
    std::uint32_t deepest = 0;   // see Threads
    std::uint64_t taken = 0;     // the last call of allow() that took it
  };

  struct Rest {
    NodeList nodes = kRoots;
    bool is_left_out = false;
  };

  /// Stacks to whose topmost frames a rule returns amid tokens that go on at these nodes.
  struct Ended {
    StackId stacks = StackPool::kBottom;
    NodeList nodes = kNone;

    bool operator==(const Ended&) const = default;
  };

  std::size_t widest(const Threads& threads);
  Rest rest_of(const Thread& thread);
  bool reads_all_plain(const Thread& thread);
  PlainReach reach(const Thread& thread) {
    return sets_.plain_reach(thread.state, clamp(thread.counter));
  }
  bool allow(const Thread& thread, const Rest& rest, const StackPool& stacks,
             std::span<std::uint64_t> allowed);
  bool take(const Key& key, StackId below, const StackPool& stacks,
            std::span<std::uint64_t> allowed);
  void add_ended(const Ended& ended);
  void allow_exactly(const Threads& threads, const StackPool& stacks,
                     std::span<std::uint64_t> allowed);
  Table& table(const Key& key);
  Table make_table(const Key& key);
  Counter clamp(const Counter& counter) const;
  void clear();

  const TokenTrie& trie_;
  const Automaton& automaton_;
  ThreadSets sets_;
  TrieWalk walk_;
  std::unordered_map<Key, Table, KeyHash> tables_;
  NodeLists node_lists_;
  NodeList not_plain_ = kRoots;   // the root of the tokens that are not plain
  std::size_t memory_bytes_ = 0;  // of tables_
  std::uint64_t most_steps_ = 10'000'000;
  std::uint64_t n_calls_ = 0;                     // of allow(), of which the last one came to
  std::vector<Ended> ended_;                      // these, each once:
  std::unordered_set<std::uint64_t> many_ended_;  // where they are many, as one number each
  std::uint32_t plain_ = 0;  // the most that this call took of a table's `plain`
};

}  // namespace pleiad::constrain
