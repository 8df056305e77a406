#include "constrain/mask_tables.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad::constrain {
namespace {

/// Beyond it all tables are dropped and made anew as they are needed.
constexpr std::size_t kMaxMemory = 64U << 20;
constexpr std::size_t kMaxSets = 8'000;
/// So many sets remember what reading gave; the others read again.
constexpr std::size_t kMaxRemembered = 10'000;
/// In all sets: about 16 bytes each. Where one table needs more it is given up.
constexpr std::size_t kMaxSetThreads = 4'000'000;
/// Of one table; a table of 262,144 tokens takes some millions.
constexpr std::uint64_t kMaxSteps = 100'000'000;

std::uint64_t mix(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

void set_bit(std::span<std::uint64_t> bits, text::TokenId token) {
  bits[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
}

}  // namespace

MaskTables::MaskTables(const TokenTrie& trie, const Automaton& automaton)
    : trie_(trie), automaton_(automaton), machine_(automaton, Automaton::kNever) {
  clear();
}

void MaskTables::clear() {
  tables_.clear();
  list_ids_.clear();
  node_lists_.clear();
  memory_bytes_ = 0;
  CHECK(list_of({0}) == kRoot && list_of({}) == kNone);
}

std::size_t MaskTables::KeyHash::operator()(const Key& key) const {
  return mix(mix(mix(key.state, key.counter.need), key.counter.room), key.nodes);
}

void MaskTables::allow(const Threads& threads, const StackPool& stacks,
                       std::span<std::uint64_t> allowed) {
  if (memory_bytes_ > kMaxMemory) clear();
  ++n_calls_;
  for (const Thread& thread : threads.list) {
    if (!allow(thread, stacks, allowed)) return allow_exactly(threads, stacks, allowed);
  }
}

/// False, and not all is set, where the depth of the stack decides.
bool MaskTables::allow(const Thread& thread, const StackPool& stacks,
                       std::span<std::uint64_t> allowed) {
  Key key{thread.state, clamp(thread.counter), kRoot};
  for (StackId stack = thread.stack;;) {
    Table& found = table(key);
    if (stacks.depth(stack) + found.deepest > Automaton::kMaxDepth) return false;
    if (found.taken != n_calls_) {  // many threads may share it
      found.taken = n_calls_;
      for (const text::TokenId token : found.tokens) set_bit(allowed, token);
      for (std::size_t i = 0; i < found.bits.size(); ++i) allowed[i] |= found.bits[i];
    }
    if (found.ended == kNone || stack == StackPool::kBottom) return true;
    const StackPool::Frame& frame = stacks.top(stack);
    key = {frame.back, clamp(frame.counter), found.ended};
    stack = frame.below;
  }
}

/// Without tables, with the stack that there is.
void MaskTables::allow_exactly(const Threads& threads, const StackPool& stacks,
                               std::span<std::uint64_t> allowed) {
  Machine machine(automaton_, Automaton::kMaxDepth);
  machine.stacks() = stacks;
  machine.allow_steps(kMaxSteps);
  std::vector<Threads> path(trie_.longest() + 1);
  path[0] = threads;
  for (std::uint32_t node = 1; node < trie_.n_nodes();) {
    const std::uint32_t depth = trie_.depth(node);
    machine.read(path[depth - 1], trie_.symbol(node), path[depth]);
    if (path[depth].list.empty()) {
      node = trie_.next(node);
      continue;
    }
    for (const text::TokenId token : trie_.tokens(node)) set_bit(allowed, token);
    ++node;
  }
}

/// No token counts further than the longest one.
Counter MaskTables::clamp(const Counter& counter) const {
  const auto reach = static_cast<std::uint32_t>(trie_.longest());
  return {std::min(counter.need, reach + 1), counter.room > reach ? kUnbounded : counter.room};
}

MaskTables::Table& MaskTables::table(const Key& key) {
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second;
  Table made = make_table(key);
  memory_bytes_ += sizeof(Key) + sizeof(Table) + made.tokens.capacity() * sizeof(text::TokenId) +
                   made.bits.capacity() * sizeof(std::uint64_t);
  return tables_.emplace(key, std::move(made)).first->second;
}

MaskTables::Table MaskTables::make_table(const Key& key) {
  if (sets_.size() > kMaxSets || n_threads_ > kMaxSetThreads / 4) {
    sets_.clear();
    n_threads_ = 0;
    set_ids_.clear();
    machine_.stacks().clear();
  }
  Table table;
  machine_.allow_steps(kMaxSteps);
  machine_.begin({key.state, key.counter, StackPool::kBottom}, scratch_);
  if (!scratch_.alive()) return table;
  const std::int32_t start = intern(scratch_);
  std::vector<std::uint32_t> ended;
  for (const std::uint32_t root : *node_lists_[key.nodes]) walk(root, start, table, ended);
  std::ranges::sort(ended);
  ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
  table.ended = list_of(std::move(ended));
  pack(table);
  return table;
}

void MaskTables::walk(std::uint32_t root, std::int32_t start, Table& table,
                      std::vector<std::uint32_t>& ended) {
  const auto set = [&](std::int32_t id) -> const Threads& {
    return sets_[static_cast<std::size_t>(id)].threads;
  };
  const std::uint32_t base = trie_.depth(root);
  path_.resize(trie_.longest() + 1);
  path_[0] = start;
  table.deepest = std::max(table.deepest, set(start).deepest);
  if (set(start).reached_bottom && trie_.has_children(root)) ended.push_back(root);
  const std::uint32_t end = trie_.next(root) == 0 ? trie_.n_nodes() : trie_.next(root);
  for (std::uint32_t node = root + 1; node < end;) {
    const std::uint32_t depth = trie_.depth(node) - base;
    const std::int32_t reached = read(path_[depth - 1], trie_.symbol(node));
    if (reached == kDead) {
      node = trie_.next(node);
      continue;
    }
    path_[depth] = reached;
    for (const text::TokenId token : trie_.tokens(node)) table.tokens.push_back(token);
    if (set(reached).reached_bottom && trie_.has_children(node)) ended.push_back(node);
    table.deepest = std::max(table.deepest, set(reached).deepest);
    ++node;
  }
}

/// Bits where they are smaller than a list.
void MaskTables::pack(Table& table) const {
  const std::size_t n_words = (trie_.vocab_size() + 63) / 64;
  if (table.tokens.size() * sizeof(text::TokenId) > n_words * sizeof(std::uint64_t)) {
    table.bits.assign(n_words, 0);
    for (const text::TokenId token : table.tokens) set_bit(table.bits, token);
    table.tokens.clear();
  }
  table.tokens.shrink_to_fit();
}

MaskTables::NodeList MaskTables::list_of(std::vector<std::uint32_t> nodes) {
  const std::size_t bytes = nodes.size() * sizeof(std::uint32_t);
  const auto [found, is_new] =
      list_ids_.try_emplace(std::move(nodes), static_cast<NodeList>(node_lists_.size()));
  if (is_new) {
    node_lists_.push_back(&found->first);
    memory_bytes_ += bytes;
  }
  return found->second;
}

std::int32_t MaskTables::read(std::int32_t from, Symbol symbol) {
  const auto index = static_cast<std::size_t>(from);
  const bool remembers = !sets_[index].after.empty();
  if (remembers && sets_[index].after[symbol] != kUnknown) return sets_[index].after[symbol];
  machine_.read(sets_[index].threads, symbol, scratch_);
  const std::int32_t reached = scratch_.alive() ? intern(scratch_) : kDead;
  if (remembers) sets_[index].after[symbol] = reached;
  return reached;
}

std::int32_t MaskTables::intern(const Threads& threads) {
  std::uint64_t hash = threads.reached_bottom ? 1 : 0;
  for (const Thread& thread : threads.list) {
    hash = mix(mix(hash, thread.state), thread.stack);
    hash = mix(mix(hash, thread.counter.need), thread.counter.room);
  }
  const auto [begin, end] = set_ids_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Threads& known = sets_[static_cast<std::size_t>(it->second)].threads;
    if (known.reached_bottom == threads.reached_bottom && known.list == threads.list &&
        known.deepest == threads.deepest) {
      return it->second;
    }
  }
  const auto id = static_cast<std::int32_t>(sets_.size());
  n_threads_ += threads.list.size();
  if (n_threads_ > kMaxSetThreads) {
    throw sampling::ConstraintError("the form of the reply leaves too much open to follow");
  }
  sets_.push_back({threads, {}});
  if (sets_.size() <= kMaxRemembered) sets_.back().after.assign(kSymbols, kUnknown);
  set_ids_.emplace(hash, id);
  return id;
}

}  // namespace pleiad::constrain
