#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "constrain/grammars/network.h"
#include "constrain/grammars/stack_graph.h"

namespace pleiad::constrain::grammars {

/// No text was read that could have gone on.
inline constexpr StateId kNoLongest = std::numeric_limits<StateId>::max();

/// A way through the network: a state of a rule, and the node of where that returns to.
struct Item {
  StateId state = 0;
  NodeId node = StackGraph::kBottom;
  /// The state at whose end a terminal was left with nothing read since: the next symbol is none
  /// that one of its edges reads.
  StateId longest = kNoLongest;

  auto operator<=>(const Item&) const = default;
};

/// All ways that a text allows.
struct Row {
  std::vector<Item> reached;  // by reading the last symbol, or where it begins; sorted
  std::vector<Item> readers;  // with what calls and returns add; those that can read a symbol
  std::vector<StateId> left;  // Item::longest of each return from the bottom; sorted

  bool alive() const { return !readers.empty() || !left.empty(); }
  bool can_go_on() const { return !readers.empty(); }
};

/// Follows a network symbol by symbol, as Earley's parser does: all derivations at once, each rule
/// that begins at a place followed once for whoever called it. Work and memory of a symbol are
/// bounded; beyond it a call throws sampling::ConstraintError.
class Parser {
 public:
  /// Ways at one place of a text, and returns that are looked at for a symbol. Grammars that people
  /// write have some tens.
  static constexpr std::size_t kMostItems = 50'000;
  static constexpr std::size_t kMostFrames = 200'000;
  static constexpr std::uint64_t kAnySteps = std::numeric_limits<std::uint64_t>::max();

  explicit Parser(const Network& network) : network_(network), callers_(network.rules.size()) {}

  /// From now on so many steps, each an item or a return that is looked at, or some edges.
  void allow_steps(std::uint64_t n) { steps_left_ = n; }
  std::uint64_t steps_left() const { return steps_left_; }

  void begin(const Item& item, Row& out);
  /// `out` is another than `from`.
  void read(const Row& from, Symbol symbol, Row& out);
  /// The first half of read(), Row::reached, of which the rest follows by close().
  void reach(const Row& from, Symbol symbol, Row& out);
  void close(Row& row);

  /// The symbol that has to come next; nothing where there is none or a choice, or where one seems
  /// to be.
  std::optional<Symbol> only_symbol(const Row& row);
  /// All that may come next.
  SymbolSet symbols(const Row& row);

  /// Drops all nodes that the row does not lead to; it has the others by their new ids.
  void keep(Row& row);

  StackGraph& stacks() { return stacks_; }
  const StackGraph& stacks() const { return stacks_; }

 private:
  struct Hash {
    std::size_t operator()(const Item& item) const;
  };
  using RankedRule = std::pair<std::uint32_t, std::uint32_t>;

  bool reads(const Item& item, Symbol symbol) const;
  bool finds_to_read(const Item& item, Symbol symbol);
  void add_returns(Row& row);
  void add_calls(Row& row);
  void visit(const Item& item);
  void take(const Item& item, Row& row);
  std::vector<StackGraph::Frame>& callers_of(std::uint32_t rule);
  void look_at(std::size_t n);
  void spend(std::size_t steps);

  const Network& network_;
  StackGraph stacks_;
  std::uint64_t steps_left_ = kAnySteps;
  std::size_t n_looked_at_ = 0;                          // for this symbol
  std::vector<Item> items_;                              // of the row that is closed
  std::unordered_set<Item, Hash> many_;                  // the same, where they are many
  std::vector<std::vector<StackGraph::Frame>> callers_;  // of each rule that waits
  std::vector<RankedRule> waiting_;                      // a heap, the lowest rank first
};

}  // namespace pleiad::constrain::grammars
