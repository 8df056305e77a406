#include "constrain/tokens/thread_sets.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "constrain/mix_hash.h"

namespace pleiad::constrain {
namespace {

constexpr std::size_t kMaxSets = 3'000;
/// So many sets remember what reading gave; the others read again.
constexpr std::size_t kMaxRemembered = 10'000;
/// In all sets: about 16 bytes each. Where one table needs more it is given up.
constexpr std::size_t kMaxThreads = 4'000'000;
/// Room for so many is kept when sets are forgotten.
constexpr std::size_t kMostKeptThreads = 20'000;

}  // namespace

ThreadSets::ThreadSets(const Automaton& automaton)
    : ReadSets(kMaxRemembered),
      automaton_(automaton),
      machine_(automaton, Automaton::kNever),
      plain_states_(automaton),
      dead_endings_(automaton, plain_states_),
      threads_(kMostKeptThreads) {}

bool ThreadSets::make_room() {
  plain_states_.begin_table();
  const bool has_few_stacks = machine_.stacks().size() <= StackPool::kMostFrames / 4;
  if (sets_.size() <= kMaxSets && n_threads_ <= kMaxThreads / 4 && has_few_stacks) return false;
  sets_.clear();
  threads_.clear();
  clear_sets();
  n_threads_ = 0;
  ids_.clear();
  machine_.stacks().clear();
  return true;
}

bool ThreadSets::has_room() const { return n_threads_ <= kMaxThreads / 2; }

std::size_t ThreadSets::memory_bytes() const {
  return sets_.capacity() * sizeof(Set) + set_bytes() + threads_.memory_bytes() +
         ids_.memory_bytes() + plain_states_.memory_bytes() + machine_.stacks().memory_bytes();
}

PlainReach ThreadSets::plain_reach(StateId state, const Counter& counter) {
  if (counter.has_keys()) return {};
  PlainReach reach = plain_states_.of(state);
  if (counter.room != kUnbounded) {
    reach.most = std::min(reach.most, counter.room);
    reach.kinds_forever = 0;
  }
  return reach;
}

/// That of the thread which reads most: what one reads may follow, whatever others do.
PlainReach ThreadSets::plain_reach(Id id) {
  const auto worth = [](const PlainReach& reach) {
    return std::tuple(reach.kinds_forever == kAllKinds, std::popcount(reach.kinds), reach.most,
                      std::popcount(reach.kinds_forever));
  };
  PlainReach best;
  for (const Thread& thread : set(id).list) {
    const PlainReach reach = plain_reach(thread.state, thread.counter);
    if (worth(reach) > worth(best)) best = reach;
  }
  return best;
}

/// Asked of the first thread from which most kinds of characters lead on.
bool ThreadSets::tell_dead_endings(Id id, std::uint32_t most_characters,
                                   std::vector<TextEnding>& endings) {
  const auto& threads = set(id).list;
  const auto found = std::ranges::find_if(threads, [&](const Thread& thread) {
    const KindSet kinds = plain_states_.of(thread.state).kinds;
    return !thread.counter.has_keys() && thread.counter.room == kUnbounded &&
           2 * std::popcount(kinds) > static_cast<int>(kKinds);
  });
  return found != threads.end() && dead_endings_.find(found->state, most_characters, endings);
}

ThreadSets::Id ThreadSets::begin(StateId state, const Counter& counter) {
  machine_.begin({state, counter, StackPool::kBottom}, scratch_);
  return scratch_.alive() ? intern(scratch_) : kDead;
}

ThreadSets::Id ThreadSets::alone(StateId state, const Counter& counter) {
  scratch_.clear();
  scratch_.list.push_back({state, counter, StackPool::kBottom});
  scratch_.deepest = automaton_.height(state);
  return intern(scratch_);
}

ThreadSets::Id ThreadSets::find_after(Id from, Symbol symbol) {
  machine_.read(set(from).list, symbol, scratch_);
  return scratch_.alive() ? intern(scratch_) : kDead;
}

void ThreadSets::add_set_of(std::span<const Thread> threads, const Facts& facts) {
  if (threads.size() == 1) {
    const std::span<const Edge> edges = automaton_.edges(threads.front().state);
    if (edges.size() == 1 && edges.front().first == edges.front().last) {
      return add_set(facts, edges.front().first);
    }
  }
  ReadMemory memory = new_memory();
  for (const Thread& thread : threads) {
    for (const Edge& edge : automaton_.edges(thread.state)) {
      memory.add_edge(edge.first, edge.last);
    }
  }
  add_set(facts, memory);
}

ThreadSets::Id ThreadSets::intern(const Threads& threads) {
  std::uint64_t hash = threads.reached_bottom ? 1 : 0;
  for (const Thread& thread : threads.list) {
    hash = mix_hash(mix_hash(hash, thread.state), thread.stacks);
    hash = mix_hash(mix_hash(hash, thread.counter.need), thread.counter.room);
  }
  const Id known = ids_.find(hash, [&](Id id) {
    const Set& each = set(id);
    return each.reached_bottom == threads.reached_bottom && each.deepest == threads.deepest &&
           std::ranges::equal(each.list, threads.list);
  });
  if (known != HashIndex::kNone) return known;
  const auto id = static_cast<Id>(sets_.size());
  n_threads_ += threads.list.size();
  if (n_threads_ > kMaxThreads) {
    throw sampling::ConstraintError("the form of the reply leaves too much open to follow");
  }
  const std::span<Thread> list = threads_.add(threads.list.size());
  std::ranges::copy(threads.list, list.begin());
  sets_.push_back({list, threads.deepest, threads.reached_bottom});
  const KindSet behind_end = threads.reached_bottom ? kAllKinds | kNotPlain : 0;
  add_set_of(list, {.behind_end = behind_end, .deepest = threads.deepest});
  ids_.add(hash, id);
  return id;
}

}  // namespace pleiad::constrain
