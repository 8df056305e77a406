#include "constrain/grammars/token_tables.h"

#include <algorithm>

#include "base/check.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {
namespace {

/// Beyond it all tables are dropped and made anew as they are needed; one call makes so much more
/// at most.
constexpr std::size_t kMaxTableBytes = 48U << 20;
/// So many sets remember what reading gave; the others read again. A table begins with half of
/// them free.
constexpr std::size_t kMaxRememberedSets = 8'000;
/// Of a set in set_ids_, about.
constexpr std::size_t kIndexBytes = 48;
/// A return is kept until it is followed.
constexpr std::uint64_t kStepsOfReturn = 8;
/// Returns that are followed for the tokens of one place.
constexpr std::size_t kMaxReturns = 200'000;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

void allow_token(std::span<std::uint64_t> bits, text::TokenId token) {
  bits[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
}

}  // namespace

TokenTables::TokenTables(const TokenTrie& trie, const Network& network)
    : TokenTables(trie, network, Bounds()) {}

TokenTables::TokenTables(const TokenTrie& trie, const Network& network, Bounds bounds)
    : trie_(trie), bounds_(bounds), parser_(network) {
  clear();
}

void TokenTables::clear() {
  tables_.clear();
  node_lists_.clear();
  memory_bytes_ = 0;
  CHECK(node_lists_.id_of({trie_.roots().begin(), trie_.roots().end()}) == kRoot);
}

void TokenTables::clear_sets() {
  sets_.clear();
  n_items_ = 0;
  set_bytes_ = 0;
  set_ids_.clear();
  parser_.stacks().clear();
}

void TokenTables::spend(std::uint64_t steps) {
  if (steps > steps_left_) {
    throw sampling::ConstraintError("the grammar takes too many steps to follow at one place");
  }
  steps_left_ -= steps;
}

std::size_t TokenTables::KeyHash::operator()(const Key& key) const {
  return mixed(mixed(key.state, key.longest), key.nodes);
}

void TokenTables::allow(const Row& row, const StackGraph& stacks,
                        std::span<std::uint64_t> allowed) {
  if (table_bytes() > kMaxTableBytes) clear();
  ++n_calls_;
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
      for (const text::TokenId token : found.tokens) allow_token(allowed, token);
      for (std::size_t i = 0; i < found.bits.size(); ++i) allowed[i] |= found.bits[i];
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
    clear_sets();  // what was too much for one table is nothing to begin the next one with
    throw;
  }
  made.id = static_cast<std::uint32_t>(tables_.size());
  memory_bytes_ += sizeof(Key) + sizeof(Table) + made.tokens.capacity() * sizeof(text::TokenId) +
                   made.bits.capacity() * sizeof(std::uint64_t);
  return tables_.emplace(key, std::move(made)).first->second;
}

TokenTables::Table TokenTables::make_table(const Key& key) {
  if (sets_.size() > kMaxRememberedSets / 2 || n_held() > bounds_.set_items / 4) clear_sets();
  Table table;
  parser_.allow_steps(steps_left_);
  parser_.begin({key.state, StackGraph::kBottom, key.longest}, scratch_);
  steps_left_ = parser_.steps_left();
  if (!scratch_.alive()) return table;
  const std::int32_t start = intern(scratch_);
  EndedNodes ended;
  for (const std::uint32_t root : node_lists_[key.nodes]) walk(root, start, table, ended);
  for (auto& [longest, nodes] : ended) {
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    table.ended.push_back({longest, node_lists_.id_of(std::move(nodes))});
  }
  pack(table);
  return table;
}

void TokenTables::note_ended(std::int32_t set, std::uint32_t node, EndedNodes& ended) const {
  const Row& row = sets_[static_cast<std::size_t>(set)].row;
  if (row.left.empty() || !trie_.has_children(node)) return;
  for (const StateId longest : row.left) ended[longest].push_back(node);
}

void TokenTables::walk(std::uint32_t root, std::int32_t start, Table& table, EndedNodes& ended) {
  const std::uint32_t base = trie_.depth(root);
  path_.resize(trie_.longest() + 1);
  path_[0] = start;
  note_ended(start, root, ended);
  const std::uint32_t end = trie_.next(root);
  for (std::uint32_t node = root + 1; node < end;) {
    const std::uint32_t depth = trie_.depth(node) - base;
    spend(1);
    const std::int32_t reached = read(path_[depth - 1], trie_.symbol(node));
    if (reached == kDead) {
      node = trie_.next(node);
      continue;
    }
    path_[depth] = reached;
    for (const text::TokenId token : trie_.tokens(node)) table.tokens.push_back(token);
    note_ended(reached, node, ended);
    ++node;
  }
}

/// Bits where they are smaller than a list.
void TokenTables::pack(Table& table) const {
  const std::size_t n_words = (trie_.vocab_size() + 63) / 64;
  if (table.tokens.size() * sizeof(text::TokenId) > n_words * sizeof(std::uint64_t)) {
    table.bits.assign(n_words, 0);
    for (const text::TokenId token : table.tokens) allow_token(table.bits, token);
    table.tokens.clear();
  }
  table.tokens.shrink_to_fit();
}

std::int32_t TokenTables::read(std::int32_t from, Symbol symbol) {
  const auto index = static_cast<std::size_t>(from);
  const bool remembers = !sets_[index].after.empty();
  if (remembers && sets_[index].after[symbol] != kUnknown) return sets_[index].after[symbol];
  parser_.allow_steps(steps_left_);
  parser_.read(sets_[index].row, symbol, scratch_);
  steps_left_ = parser_.steps_left();
  if (n_held() > bounds_.set_items) {
    throw sampling::ConstraintError("the grammar leaves too much open to follow");
  }
  const std::int32_t reached = scratch_.alive() ? intern(scratch_) : kDead;
  if (remembers) sets_[index].after[symbol] = reached;
  return reached;
}

std::int32_t TokenTables::intern(const Row& row) {
  std::uint64_t hash = row.reached.size();
  for (const Item& item : row.reached) {
    hash = mixed(mixed(mixed(hash, item.state), item.node), item.longest);
  }
  const auto [begin, end] = set_ids_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (sets_[static_cast<std::size_t>(it->second)].row.reached == row.reached) return it->second;
  }
  const auto id = static_cast<std::int32_t>(sets_.size());
  n_items_ += row.reached.size() + row.readers.size() + row.left.size();
  if (n_held() > bounds_.set_items) {
    throw sampling::ConstraintError("the grammar leaves too much open to follow");
  }
  sets_.push_back({row, {}});
  if (sets_.size() <= kMaxRememberedSets) sets_.back().after.assign(kSymbols, kUnknown);
  const Set& set = sets_.back();
  set_bytes_ += sizeof(Set) + kIndexBytes +
                (set.row.reached.size() + set.row.readers.size()) * sizeof(Item) +
                set.row.left.size() * sizeof(StateId) + set.after.size() * sizeof(std::int32_t);
  set_ids_.emplace(hash, id);
  return id;
}

}  // namespace pleiad::constrain::grammars
