#include "constrain/grammars/token_tables.h"

#include <algorithm>

#include "base/check.h"
#include "constrain/mix_hash.h"
#include "constrain/tokens/token_bits.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {
namespace {

/// Beyond it all tables are dropped and made anew as they are needed; one call makes so much more
/// at most.
constexpr std::size_t kMaxTableBytes = 48U << 20;
/// See PlainTexts. Rows are dear, and where brackets may open there is no end of them.
constexpr std::size_t kMostExploredRows = 150;
/// A return is kept until it is followed.
constexpr std::uint64_t kStepsOfReturn = 8;
/// Returns that are followed for the tokens of one place.
constexpr std::size_t kMaxReturns = 200'000;
/// Where a rule has ended at more than one of so many of the trie's nodes, and at more than these,
constexpr std::size_t kNodesOfEnded = 32;
constexpr std::size_t kManyEnded = 256;
/// what it returns to is followed with it, where that is one state, and so many rules deep at most.
constexpr std::size_t kMostReturnDepth = 4;
/// Among returns: whatever the rule before returns to, it is followed by itself.
constexpr StateId kAnywhere = StackGraph::kNowhere - 1;

}  // namespace

TokenTables::TokenTables(const TokenTrie& trie, const Network& network)
    : TokenTables(trie, network, Bounds()) {}

TokenTables::TokenTables(const TokenTrie& trie, const Network& network, Bounds bounds)
    : trie_(trie),
      bounds_(bounds),
      sets_(network, bounds.set_items),
      walk_(trie, sets_, kMostExploredRows) {
  clear();
}

void TokenTables::clear() {
  tables_.clear();
  node_lists_.clear();
  return_lists_.clear();
  memory_bytes_ = 0;
  CHECK(node_lists_.id_of({trie_.roots().begin(), trie_.roots().end()}) == kRoot);
  CHECK(return_lists_.id_of({}) == kNoReturns);
}

void TokenTables::spend(std::uint64_t steps) {
  if (steps > steps_left_) {
    throw sampling::ConstraintError("the grammar takes too many steps to follow at one place");
  }
  steps_left_ -= steps;
}

std::size_t TokenTables::KeyHash::operator()(const Key& key) const {
  return mix_hash(mix_hash(mix_hash(key.state, key.longest), key.nodes), key.returns);
}

void TokenTables::allow(const Row& row, const StackGraph& stacks,
                        std::span<std::uint64_t> allowed) {
  if (table_bytes() > kMaxTableBytes) clear();
  ++n_calls_;
  plain_ = 0;
  steps_left_ = bounds_.steps;
  std::vector<Place> todo;
  std::unordered_set<std::uint64_t> seen;  // a table, and a node
  for (const Item& item : row.reached) {
    todo.push_back({{item.state, item.longest}, item.node});
  }
  while (!todo.empty()) {
    const Place place = todo.back();
    todo.pop_back();
    Table& found = table(place.key);
    if (!seen.insert(std::uint64_t{found.id} << 32 | place.node).second) continue;
    if (seen.size() > kMaxReturns) {
      throw sampling::ConstraintError(
          "the grammar can be read in too many ways at one place: too many rules may end there");
    }
    if (found.asks_returns) {
      todo.push_back(with_return(place, stacks));
      continue;
    }
    if (found.taken != n_calls_) {
      found.taken = n_calls_;
      found.allowed.add_to(allowed);
      plain_ = std::max(plain_, found.allowed.plain);
    }
    for (const Ended& ended : found.ended) {
      const auto frames = stacks.frames(place.node);
      spend(frames.size() * kStepsOfReturn);
      for (const StackGraph::Frame& frame : frames) {
        if (frame.back == StackGraph::kNowhere) continue;
        todo.push_back({{frame.back, ended.longest, ended.nodes}, frame.below});
      }
    }
  }
  if (plain_ > 0) add_bits(allowed, trie_.plain_tokens(plain_));
}

/// The place of a table that knows a return more; or of the one that is to know no more.
TokenTables::Place TokenTables::with_return(Place place, const StackGraph& stacks) {
  NodeLists::List returns = return_lists_[place.key.returns];
  const auto frames = stacks.frames(place.node);
  if (frames.size() > 1 || returns.size() == kMostReturnDepth) {
    returns.push_back(kAnywhere);
  } else {
    returns.push_back(frames.front().back);
    place.node = frames.front().below;
  }
  place.key.returns = return_lists_.id_of(std::move(returns));
  return place;
}

TokenTables::Table& TokenTables::table(const Key& key) {
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second;
  if (table_bytes() > 2 * kMaxTableBytes) {
    throw sampling::ConstraintError("the grammar leaves too much open at one place");
  }
  Table made;
  try {
    made = make_table(key);
  } catch (...) {
    sets_.clear();  // what was too much for one table is nothing to begin the next one with
    walk_.clear();
    throw;
  }
  made.id = static_cast<std::uint32_t>(tables_.size());
  memory_bytes_ += sizeof(Key) + sizeof(Table) + made.allowed.memory_bytes();
  return tables_.emplace(key, std::move(made)).first->second;
}

TokenTables::Table TokenTables::make_table(const Key& key) {
  if (sets_.make_room()) walk_.clear();
  Table table;
  sets_.allow_steps(steps_left_);
  std::span<const StateId> returns = return_lists_[key.returns];
  const bool may_ask = returns.empty() || returns.back() < kAnywhere;
  if (!may_ask && returns.back() == kAnywhere) returns = returns.first(returns.size() - 1);
  const RowSets::Id start = sets_.begin(key.state, key.longest, returns);
  if (start != RowSets::kDead) {
    const std::size_t most_ended =
        may_ask ? std::max(kManyEnded, trie_.n_nodes() / kNodesOfEnded) : TrieWalk::kAnyEnded;
    if (!walk_.walk(node_lists_[key.nodes], start, most_ended)) {
      table.asks_returns = true;
      steps_left_ = sets_.steps_left();
      return table;
    }
    EndedNodes ended = ended_nodes();
    for (auto& [longest, nodes] : ended) {
      table.ended.push_back({longest, node_lists_.id_of(std::move(nodes))});
    }
    table.allowed = walk_.tokens();
  }
  steps_left_ = sets_.steps_left();
  return table;
}

TokenTables::EndedNodes TokenTables::ended_nodes() {
  struct Way {
    KindSet next = 0;  // the node's kinds of which one has to come
    std::vector<std::uint32_t>* nodes = nullptr;
  };
  EndedNodes out;
  RowSets::Id from = RowSets::kDead;  // the set of
  std::vector<Way> ways;              // these
  for (const auto& [node, set] : walk_.ended()) {
    if (set != from) {
      from = set;
      ways.clear();
      for (const StateId longest : sets_.row(set).left) {
        ways.push_back({kNotPlain | sets_.behind_end(set, longest), &out[longest]});
      }
    }
    for (const Way& way : ways) {
      if ((trie_.kinds_next(node) & way.next) != 0) way.nodes->push_back(node);
    }
  }
  std::erase_if(out, [](const auto& each) { return each.second.empty(); });
  for (auto& [longest, nodes] : out) NodeLists::put_in_order(nodes, trie_.n_nodes());
  return out;
}

}  // namespace pleiad::constrain::grammars
