#include "constrain/tokens/mask_tables.h"

#include <algorithm>

#include "base/check.h"

namespace pleiad::constrain {
namespace {

/// Beyond it all tables are dropped and made anew as they are needed.
constexpr std::size_t kMaxMemory = 32U << 20;
/// Where the stack decides, the trie is walked with it each time: so many times the steps.
constexpr std::uint64_t kExactSteps = 3;
/// Smaller subtrees are walked rather than asked whether they are allowed as a whole.
constexpr std::uint32_t kSmallSubtree = 8;
/// Larger ones are asked whether nothing is allowed, even where that is dear to find out.
constexpr std::uint32_t kLargeSubtree = 200;

std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

void set_bit(std::span<std::uint64_t> bits, text::TokenId token) {
  bits[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
}

void add_bits(std::span<std::uint64_t> to, std::span<const std::uint64_t> bits) {
  for (std::size_t i = 0; i < bits.size(); ++i) to[i] |= bits[i];
}

}  // namespace

MaskTables::MaskTables(const TokenTrie& trie, const Automaton& automaton)
    : trie_(trie),
      automaton_(automaton),
      sets_(automaton, static_cast<std::uint32_t>(trie.longest())) {
  path_.resize(trie_.longest() + 1);
  clear();
}

void MaskTables::clear() {
  tables_.clear();
  node_lists_.clear();
  memory_bytes_ = 0;
  CHECK(node_lists_.id_of({trie_.roots().begin(), trie_.roots().end()}) == kRoots);
  CHECK(node_lists_.id_of({}) == kNone);
}

std::size_t MaskTables::KeyHash::operator()(const Key& key) const {
  return mix_hash(mix_hash(mix_hash(key.state, key.counter.need), key.counter.room), key.nodes);
}

void MaskTables::allow(const Threads& threads, const StackPool& stacks,
                       std::span<std::uint64_t> allowed) {
  if (memory_bytes_ + node_lists_.memory_bytes() > kMaxMemory) clear();
  ++n_calls_;
  plain_ = 0;
  sets_.allow_steps(most_steps_);
  for (const Thread& thread : threads.list) {
    if (!allow(thread, stacks, allowed)) return allow_exactly(threads, stacks, allowed);
  }
  if (plain_ > 0) add_bits(allowed, trie_.plain_tokens(plain_));
}

/// False, and not all is set, where the depth of the stack decides.
bool MaskTables::allow(const Thread& thread, const StackPool& stacks,
                       std::span<std::uint64_t> allowed) {
  Key key{thread.state, clamp(thread.counter), kRoots};
  for (StackId stack = thread.stack;;) {
    Table& found = table(key);
    if (stacks.depth(stack) + found.deepest > Automaton::kMaxDepth) return false;
    if (found.taken != n_calls_) {  // many threads may share it
      found.taken = n_calls_;
      for (const text::TokenId token : found.tokens) set_bit(allowed, token);
      add_bits(allowed, found.bits);
      plain_ = std::max(plain_, found.plain);
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
  machine.allow_steps(kExactSteps * most_steps_);
  std::vector<Threads> path(trie_.longest() + 1);
  path[0] = threads;
  for (const std::uint32_t root : trie_.roots()) {
    for (std::uint32_t node = root + 1; node < trie_.next(root);) {
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
  sets_.make_room();
  Table table;
  const ThreadSets::Id start = sets_.begin(key.state, key.counter);
  if (start == ThreadSets::kDead) return table;
  ranges_.clear();
  trees_.clear();
  lists_.clear();
  ended_.clear();
  if (key.nodes == kRoots) {
    walk_all(start, table);
  } else {
    for (const std::uint32_t root : node_lists_[key.nodes]) walk(root, start, table);
  }
  std::ranges::sort(ended_);
  ended_.erase(std::unique(ended_.begin(), ended_.end()), ended_.end());
  table.ended = node_lists_.id_of(ended_);
  pack(table);
  return table;
}

/// From the roots. Most trees are allowed as a whole, or but for their longer tokens, or not at
/// all.
void MaskTables::walk_all(ThreadSets::Id start, Table& table) {
  const auto roots = trie_.roots();
  const bool has_plain = takes_all_plain(start, table);
  for (std::size_t tree = 0; tree < roots.size(); ++tree) {
    const std::uint32_t root = roots[tree];
    const bool is_plain = tree + 1 < roots.size();
    if (!is_plain || !(has_plain || takes_tree(tree, start, table))) {
      walk(root, start, table);
    } else if (sets_.threads(start).reached_bottom) {
      ended_.push_back(root);
    }
  }
}

/// Whether of the tree those are allowed that are short enough, and no others.
bool MaskTables::takes_tree(std::size_t tree, ThreadSets::Id start, Table& table) {
  const std::uint32_t root = trie_.roots()[tree];
  const KindSet kinds = trie_.kinds_below(root);
  if (!sets_.may_have(start, kinds)) return false;
  const ThreadSets::PlainText& plain = sets_.plain_text(start);
  if (plain.most == 0 || (kinds & ~plain.kinds) != 0) return false;
  table.deepest = std::max(table.deepest, plain.deepest);
  if (trie_.characters_below(root) <= plain.most) {
    trees_.push_back(tree);
    return true;
  }
  if ((kinds & ~plain.dead_behind) != 0) return false;
  lists_.push_back(trie_.short_tokens(tree, plain.most));
  return true;
}

void MaskTables::walk(std::uint32_t root, ThreadSets::Id start, Table& table) {
  table.deepest = std::max(table.deepest, sets_.threads(start).deepest);
  if (sets_.threads(start).reached_bottom && trie_.has_children(root)) ended_.push_back(root);
  const Below below = allowed_below(root, start, table);
  if (below == Below::all) take(trie_.first_token(root + 1), trie_.first_token(trie_.next(root)));
  if (below != Below::some) return;
  const std::uint32_t base = trie_.depth(root);
  path_[0] = start;
  for (std::uint32_t node = root + 1; node < trie_.next(root);) {
    const std::uint32_t depth = trie_.depth(node) - base;
    const ThreadSets::Id reached = sets_.read(path_[depth - 1], trie_.symbol(node));
    if (reached == ThreadSets::kDead) {
      node = trie_.next(node);
      continue;
    }
    path_[depth] = reached;
    take(trie_.first_token(node), trie_.first_token(node + 1));
    table.deepest = std::max(table.deepest, sets_.threads(reached).deepest);
    if (sets_.threads(reached).reached_bottom && trie_.has_children(node)) ended_.push_back(node);
    switch (allowed_below(node, reached, table)) {
      case Below::all:
        take(trie_.first_token(node), trie_.first_token(trie_.next(node)));
        [[fallthrough]];
      case Below::none:
        node = trie_.next(node);
        break;
      case Below::some:
        ++node;
    }
  }
}

/// Of what is below a node that led to the set; where nothing ends amid it, or it is `some`.
MaskTables::Below MaskTables::allowed_below(std::uint32_t node, ThreadSets::Id set, Table& table) {
  const KindSet kinds = trie_.kinds_below(node);
  const std::uint32_t n_nodes = trie_.next(node) - node;
  if (n_nodes < kSmallSubtree || (kinds & kNotPlain) != 0) return Below::some;
  const bool may_be_all = sets_.may_have(set, kinds);
  const bool may_be_none = n_nodes >= kLargeSubtree;
  if (!may_be_all && !may_be_none) return Below::some;
  const ThreadSets::PlainText& plain = sets_.plain_text(set);
  table.deepest = std::max(table.deepest, plain.deepest);
  if (trie_.characters_below(node) <= plain.most) {
    if ((kinds & ~plain.kinds) == 0) return Below::all;
    const bool is_told = (kinds & ~(plain.kinds | plain.dead)) == 0;
    if (is_told && (trie_.kinds_of_each(node) & plain.dead) != 0) return Below::none;
  }
  return Below::some;
}

/// Whether of the plain tokens those are allowed that are short enough, and no others.
bool MaskTables::takes_all_plain(ThreadSets::Id start, Table& table) {
  if (trie_.n_plain_tokens() == 0 || !sets_.may_have(start, kAllKinds)) return false;
  const ThreadSets::PlainText& plain = sets_.plain_text(start);
  if (plain.most == 0 || plain.kinds != kAllKinds) return false;
  if (trie_.most_plain_characters() > plain.most && plain.dead_behind != kAllKinds) return false;
  if (trie_.plain_tokens(plain.most).empty()) return false;
  table.plain = plain.most;
  table.deepest = std::max(table.deepest, plain.deepest);
  return true;
}

void MaskTables::take(std::uint32_t first, std::uint32_t end) {
  if (first == end) return;
  if (!ranges_.empty() && ranges_.back().second == first) {
    ranges_.back().second = end;
  } else {
    ranges_.emplace_back(first, end);
  }
}

/// In order, none within another: lists of nodes may hold a node and some below it.
void MaskTables::join_ranges() {
  std::ranges::sort(ranges_);
  std::size_t n = 0;
  for (const Range& range : ranges_) {
    if (n > 0 && range.first <= ranges_[n - 1].second) {
      ranges_[n - 1].second = std::max(ranges_[n - 1].second, range.second);
    } else {
      ranges_[n++] = range;
    }
  }
  ranges_.resize(n);
}

/// Bits where they are smaller than a list.
void MaskTables::pack(Table& table) {
  join_ranges();
  std::size_t n_tokens = 0;
  for (const auto& [first, end] : ranges_) n_tokens += end - first;
  for (const auto& list : lists_) n_tokens += list.size();
  const std::size_t n_words = (trie_.vocab_size() + 63) / 64;
  if (trees_.empty() && n_tokens * sizeof(text::TokenId) <= n_words * sizeof(std::uint64_t)) {
    table.tokens.reserve(n_tokens);
    for (const auto& [first, end] : ranges_) {
      const auto tokens = trie_.tokens_in(first, end);
      table.tokens.insert(table.tokens.end(), tokens.begin(), tokens.end());
    }
    for (const auto& list : lists_) {
      table.tokens.insert(table.tokens.end(), list.begin(), list.end());
    }
    return;
  }
  table.bits.assign(n_words, 0);
  for (const std::size_t tree : trees_) add_bits(table.bits, trie_.tree_tokens(tree));
  for (const auto& [first, end] : ranges_) {
    for (const text::TokenId token : trie_.tokens_in(first, end)) set_bit(table.bits, token);
  }
  for (const auto& list : lists_) {
    for (const text::TokenId token : list) set_bit(table.bits, token);
  }
}

}  // namespace pleiad::constrain
