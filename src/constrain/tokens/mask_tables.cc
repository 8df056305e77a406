#include "constrain/tokens/mask_tables.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "constrain/mix_hash.h"
#include "constrain/tokens/token_bits.h"

namespace pleiad::constrain {
namespace {

/// Beyond it all tables are dropped and made anew as they are needed.
constexpr std::size_t kMaxMemory = 32U << 20;
/// See PlainTexts.
constexpr std::size_t kMostExplored = 1'500;
/// Where the stack decides, the trie is walked with it each time: so many times the steps.
constexpr std::uint64_t kExactSteps = 3;

}  // namespace

MaskTables::MaskTables(const TokenTrie& trie, const Automaton& automaton)
    : trie_(trie), automaton_(automaton), sets_(automaton), walk_(trie, sets_, kMostExplored) {
  clear();
}

void MaskTables::clear() {
  tables_.clear();
  node_lists_.clear();
  memory_bytes_ = 0;
  CHECK(node_lists_.id_of({trie_.roots().begin(), trie_.roots().end()}) == kRoots);
  CHECK(node_lists_.id_of({}) == kNone);
  not_plain_ = node_lists_.id_of({trie_.roots().back()});
}

std::size_t MaskTables::KeyHash::operator()(const Key& key) const {
  return mix_hash(mix_hash(mix_hash(key.state, key.counter.need), key.counter.room),
                  4 * std::uint64_t{key.nodes} + static_cast<std::uint64_t>(key.from));
}

void MaskTables::allow(const Threads& threads, const StackPool& stacks,
                       std::span<std::uint64_t> allowed) {
  if (memory_bytes_ + node_lists_.memory_bytes() > kMaxMemory) clear();
  ++n_calls_;
  plain_ = 0;
  ended_.clear();
  if (!many_ended_.empty()) many_ended_.clear();
  sets_.allow_steps(most_steps_);
  const std::size_t first = widest(threads);
  if (first < threads.list.size() && !allow(threads.list[first], {}, stacks, allowed)) {
    return allow_exactly(threads, stacks, allowed);
  }
  const Rest rest = first < threads.list.size() ? rest_of(threads.list[first]) : Rest();
  for (std::size_t i = 0; i < threads.list.size(); ++i) {
    if (i != first && !allow(threads.list[i], rest, stacks, allowed)) {
      return allow_exactly(threads, stacks, allowed);
    }
  }
  if (plain_ > 0) add_bits(allowed, trie_.plain_tokens(plain_));
}

/// Of several threads, the one that allows all plain tokens, or nearly all of them; their number
/// where there is none.
std::size_t MaskTables::widest(const Threads& threads) {
  const std::size_t n = threads.list.size();
  if (n < 2) return n;
  std::size_t nearly = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (reads_all_plain(threads.list[i])) return i;
    if (nearly == n && PlainTexts::allows_nearly_all(reach(threads.list[i]))) nearly = i;
  }
  return nearly;
}

/// What other threads are asked for then.
MaskTables::Rest MaskTables::rest_of(const Thread& thread) {
  if (reads_all_plain(thread)) return {not_plain_, false};
  const Table& found = table({thread.state, clamp(thread.counter), kRoots});
  return {found.left_out, found.left_out != kRoots};
}

bool MaskTables::reads_all_plain(const Thread& thread) {
  return reach(thread).has(kAllKinds, trie_.most_plain_characters());
}

/// False, and not all is set, where the depth of the stack decides.
bool MaskTables::allow(const Thread& thread, const Rest& rest, const StackPool& stacks,
                       std::span<std::uint64_t> allowed) {
  const From from = rest.is_left_out ? From::rest : From::threads;
  std::size_t at = ended_.size();
  if (!take({thread.state, clamp(thread.counter), rest.nodes, from}, thread.stacks, stacks,
            allowed)) {
    return false;
  }
  for (; at < ended_.size(); ++at) {
    const Ended ended = ended_[at];
    for (StackId id = ended.stacks; id != StackPool::kBottom; id = stacks.top(id).others) {
      const StackPool::Frame& frame = stacks.top(id);
      const Key key{frame.back, clamp(frame.counter), ended.nodes, From::stack};
      if (!take(key, frame.below, stacks, allowed)) return false;
    }
  }
  return true;
}

/// What the key's table allows. False where the depth of the stacks below decides.
bool MaskTables::take(const Key& key, StackId below, const StackPool& stacks,
                      std::span<std::uint64_t> allowed) {
  Table& found = table(key);
  if (stacks.depth(below) + found.deepest > Automaton::kMaxDepth) return false;
  if (found.taken != n_calls_) {  // many threads may share it
    found.taken = n_calls_;
    found.allowed.add_to(allowed);
    plain_ = std::max(plain_, found.allowed.plain);
  }
  if (found.ended != kNone && below != StackPool::kBottom) add_ended({below, found.ended});
  return true;
}

void MaskTables::add_ended(const Ended& ended) {
  constexpr std::size_t kMany = 32;
  const auto pair = [](const Ended& each) { return std::uint64_t{each.stacks} << 32 | each.nodes; };
  if (ended_.size() < kMany) {
    if (std::ranges::find(ended_, ended) == ended_.end()) ended_.push_back(ended);
    return;
  }
  if (ended_.size() == kMany) {
    for (const Ended& each : ended_) many_ended_.insert(pair(each));
  }
  if (many_ended_.insert(pair(ended)).second) ended_.push_back(ended);
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
  if (counter.has_keys()) return counter;
  const auto reach = static_cast<std::uint32_t>(trie_.longest());
  return {std::min(counter.need, reach + 1), counter.room > reach ? kUnbounded : counter.room};
}

MaskTables::Table& MaskTables::table(const Key& key) {
  const auto found = tables_.find(key);
  if (found != tables_.end()) return found->second;
  Table made = make_table(key);
  memory_bytes_ += sizeof(Key) + sizeof(Table) + made.allowed.memory_bytes();
  return tables_.emplace(key, std::move(made)).first->second;
}

MaskTables::Table MaskTables::make_table(const Key& key) {
  if (sets_.make_room()) walk_.clear();
  Table table;
  const ThreadSets::Id start = key.from == From::stack ? sets_.begin(key.state, key.counter)
                                                       : sets_.alone(key.state, key.counter);
  if (start == ThreadSets::kDead) return table;
  if (key.from == From::rest) {
    walk_.walk_to(node_lists_[key.nodes], start);
  } else {
    walk_.walk(node_lists_[key.nodes], start);
  }
  NodeLists::List ended;
  for (const TrieWalk::Ended& each : walk_.ended()) ended.push_back(each.node);
  NodeLists::put_in_order(ended, trie_.n_nodes());
  table.ended = node_lists_.id_of(std::move(ended));
  table.deepest = walk_.deepest();
  const auto left_out = walk_.left_out();
  if (key.nodes == kRoots && walk_.tells_left_out()) {
    table.left_out = node_lists_.id_of({left_out.begin(), left_out.end()});
  }
  table.allowed = walk_.tokens();
  return table;
}

}  // namespace pleiad::constrain
