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
  memory_bytes_ = 0;
  CHECK(node_lists_.id_of({trie_.roots().begin(), trie_.roots().end()}) == kRoot);
}

void TokenTables::spend(std::uint64_t steps) {
  if (steps > steps_left_) {
    throw sampling::ConstraintError("the grammar takes too many steps to follow at one place");
  }
  steps_left_ -= steps;
}

std::size_t TokenTables::KeyHash::operator()(const Key& key) const {
  return mix_hash(mix_hash(key.state, key.longest), key.nodes);
}

void TokenTables::allow(const Row& row, const StackGraph& stacks,
                        std::span<std::uint64_t> allowed) {
  if (table_bytes() > kMaxTableBytes) clear();
  ++n_calls_;
  plain_ = 0;
  steps_left_ = bounds_.steps;
  struct Place {
    Key key;
    NodeId node;
  };
  std::vector<Place> todo;
  std::unordered_set<std::uint64_t> seen;  // a table, and a node
  for (const Item& item : row.reached) {
    todo.push_back({{item.state, item.longest, kRoot}, item.node});
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
  const RowSets::Id start = sets_.begin({key.state, StackGraph::kBottom, key.longest});
  if (start != RowSets::kDead) {
    walk_.walk(node_lists_[key.nodes], start);
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
  EndedNodes out;
  for (const auto& [node, set] : walk_.ended()) {
    const KindSet next = trie_.kinds_next(node);
    for (const StateId longest : sets_.row(set).left) {
      const bool may_go_on = (next & (kNotPlain | sets_.behind_end(set, longest))) != 0;
      if (may_go_on) out[longest].push_back(node);
    }
  }
  for (auto& [longest, nodes] : out) {
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }
  return out;
}

}  // namespace pleiad::constrain::grammars
