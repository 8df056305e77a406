#include "constrain/tokens/machine.h"

#include <algorithm>
#include <utility>

#include "constrain/mix_hash.h"

namespace pleiad::constrain {
namespace {

[[noreturn]] void throw_too_many(const char* what, std::size_t most) {
  throw sampling::ConstraintError(
      "the form of the reply can be {} more than {} ways at one place: alternatives that begin "
      "alike, nested in each other",
      what, most);
}

std::uint64_t key_bit(const Edge& edge) { return std::uint64_t{1} << (edge.key - 1U); }

}  // namespace

std::uint64_t Machine::hash_of(const Place& place) {
  std::uint64_t hash = place.state;
  for (const std::uint32_t part :
       {place.counter.need, place.counter.room, place.memory, place.depth}) {
    hash = mix_hash(hash, part);
  }
  return hash;
}

void Machine::Taken::clear() {
  progress.clear();
  if (numbers.size() > 0) numbers.clear();
}

void Machine::begin_step(Threads& out) {
  out.clear();
  seen_.clear();
  of_list_.clear();
  of_seen_.clear();
  waiting_.clear();
  parts_.clear();
}

void Machine::begin(const Thread& thread, Threads& out) {
  begin_step(out);
  visit(thread, out);
  follow_all(out);
}

void Machine::read(std::span<const Thread> from, Symbol symbol, Threads& out) {
  read_any(from, symbol, out);
  if (compares_items_) drop_equal(out);
}

void Machine::read_any(std::span<const Thread> from, Symbol symbol, Threads& out) {
  begin_step(out);
  for (const Thread& thread : from) {
    for (const Edge& edge : automaton_.edges(thread.state)) {
      if (symbol < edge.first || symbol > edge.last || !may_take(edge, thread)) continue;
      Thread next{edge.target, thread.counter, thread.stacks, thread.memory};
      if (compares_items_) {
        const std::optional<MemoryId> memory = remember(edge, symbol, thread.memory);
        if (!memory) {
          out.has_repeated = true;
          continue;
        }
        next.memory = *memory;
      }
      if (edge.counts) next.counter.count();
      if (edge.key != 0) next.counter = Counter::of_keys(next.counter.keys() & ~key_bit(edge));
      if (edge.object != 0) {
        out.deepest = std::max(out.deepest, depth_of_keys(edge.object, thread));
      }
      visit(next, out);
    }
  }
  follow_all(out);
}

bool Machine::may_take(const Edge& edge, const Thread& thread) const {
  const Counter& counter = thread.counter;
  return !(edge.needs_none && counter.need > 0) && !(edge.counts && counter.room == 0) &&
         !(edge.key != 0 && (counter.keys() & key_bit(edge)) == 0) &&
         !(edge.object != 0 && depth_of_keys(edge.object, thread) >= Automaton::kNever);
}

std::uint32_t Machine::depth_of_keys(ObjectId object, const Thread& thread) const {
  const Automaton::Object& of = automaton_.object(object);
  std::uint32_t deepest = 0;
  bool found = false;
  const auto add = [&](StateId state) {
    const std::uint32_t height = automaton_.height(state);
    if (height >= Automaton::kNever) return;
    const std::uint32_t needed = stacks_.depth(thread.stacks) + height;
    deepest = std::max(deepest, needed);
    found = found || needed <= max_depth_;
  };
  for (const Edge& edge : automaton_.edges(of.key)) {
    if (edge.key != 0 && (thread.counter.keys() & key_bit(edge)) != 0) add(edge.target);
  }
  if (of.others != 0) add(of.others);
  return found ? deepest : Automaton::kNever;
}

bool Machine::is_dead(const Edge& edge) const {
  return automaton_.height(edge.target) >= Automaton::kNever;
}

std::optional<Symbol> Machine::only_symbol(const Threads& threads) {
  std::optional<Symbol> only;
  spend(threads.list.size());
  for (const Thread& thread : threads.list) {
    for (const Edge& edge : automaton_.edges(thread.state)) {
      if (!may_take(edge, thread) || is_dead(edge)) continue;
      if (edge.first != edge.last || (only && *only != edge.first)) {
        return compares_items_ ? only_different_symbol(threads) : std::nullopt;
      }
      only = edge.first;
    }
  }
  return only;
}

SymbolSet Machine::symbols(const Threads& threads) {
  SymbolSet out;
  spend(threads.list.size());
  for (const Thread& thread : threads.list) {
    for (const Edge& edge : automaton_.edges(thread.state)) {
      if (!may_take(edge, thread) || is_dead(edge)) continue;
      add_range(out, edge.first, edge.last);
    }
  }
  return out;
}

void Machine::spend(std::uint64_t steps) {
  if (steps_left_ == kAnySteps) return;
  if (steps > steps_left_) {
    throw sampling::ConstraintError("the form of the reply takes too many steps to follow");
  }
  steps_left_ -= steps;
}

/// Takes the thread in, unless it is known or cannot end. Of one that is known its stacks are.
void Machine::visit(const Thread& thread, Threads& out) {
  spend(1);
  const std::uint32_t height = automaton_.height(thread.state);
  if (height >= Automaton::kNever) return;
  const std::uint32_t needed = stacks_.depth(thread.stacks) + height;
  out.deepest = std::max(out.deepest, needed);
  if (needed > max_depth_) return;
  const bool reads = !automaton_.edges(thread.state).empty();
  std::vector<Thread>& known = reads ? out.list : seen_;
  auto& [progress, numbers] = reads ? of_list_ : of_seen_;
  const std::size_t at = find_or_number(thread, known, numbers);
  if (at == known.size()) {
    if (at == kMostThreads) throw_too_many("read in", kMostThreads);
    known.push_back(thread);
    progress.emplace_back();
  } else if (!add_returns(thread.stacks, known[at], progress[at])) {
    return;
  }
  if (std::exchange(progress[at].is_waiting, true)) return;
  waiting_.push_back({static_cast<std::uint32_t>(at), reads});
}

/// False where it is seen at once that the thread has these stacks.
bool Machine::add_returns(StackId stacks, const Thread& thread, Progress& progress) {
  if (stacks == thread.stacks) return false;
  if (progress.last_part != kNoPart && parts_[progress.last_part].stacks == stacks) return false;
  if (parts_.size() == kMostReturns) throw_too_many("gone on with in", kMostReturns);
  parts_.push_back({stacks, progress.last_part});
  progress.last_part = static_cast<std::uint32_t>(parts_.size() - 1);
  return true;
}

/// What the threads lead to that were taken in. The first ones first: what several lead to has got
/// the stacks of all when its turn comes, mostly.
void Machine::follow_all(Threads& out) {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const auto [at, reads] = waiting_[i];
    Thread& thread = (reads ? out.list : seen_)[at];
    Progress& progress = (reads ? of_list_ : of_seen_).progress[at];
    progress.is_waiting = false;
    Thread next = thread;
    if (progress.last_part != kNoPart) {
      std::vector<StackId> parts = take_parts(progress);
      if (progress.is_followed) next.stacks = stacks_.join(parts);
      parts.push_back(thread.stacks);
      const StackId all = stacks_.join(std::move(parts));
      if (all == thread.stacks && progress.is_followed) continue;
      if (!progress.is_followed) next.stacks = all;
      thread.stacks = all;
    }
    progress.is_followed = true;
    follow(next, out);
    spend(stacks_.take_steps());
  }
  stacks_.forget_joins();
}

/// Of a thread's stacks, those that are not followed yet.
std::vector<StackId> Machine::take_parts(Progress& progress) const {
  std::vector<StackId> out;
  for (std::uint32_t at = std::exchange(progress.last_part, kNoPart); at != kNoPart;
       at = parts_[at].before) {
    out.push_back(parts_[at].stacks);
  }
  return out;
}

/// The number of the known thread at the same place; else how many are known, and it is remembered
/// as the next one.
std::size_t Machine::find_or_number(const Thread& thread, const std::vector<Thread>& known,
                                    HashIndex& numbers) const {
  constexpr std::size_t kMany = 32;
  const Place place = place_of(thread);
  const auto is_there = [&](const Thread& each) {
    return each.state == place.state && place_of(each) == place;
  };
  if (known.size() < kMany) {
    return static_cast<std::size_t>(std::ranges::find_if(known, is_there) - known.begin());
  }
  if (known.size() == kMany && numbers.size() == 0) {
    for (std::size_t i = 0; i < kMany; ++i) {
      numbers.add(hash_of(place_of(known[i])), static_cast<HashIndex::Id>(i));
    }
  }
  const std::uint64_t hash = hash_of(place);
  const HashIndex::Id found =
      numbers.find(hash, [&](HashIndex::Id id) { return is_there(known[std::size_t(id)]); });
  if (found != HashIndex::kNone) return static_cast<std::size_t>(found);
  numbers.add(hash, static_cast<HashIndex::Id>(known.size()));
  return known.size();
}

/// Whether all keys came that the call waits for.
bool Machine::may_call(const Call& call, const Counter& counter) const {
  if (call.needs_none && counter.need > 0) return false;
  return call.object == 0 || (counter.keys() & automaton_.object(call.object).required) == 0;
}

void Machine::follow(const Thread& thread, Threads& out) {
  for (const StateId jump : automaton_.jumps(thread.state)) {
    visit({jump, thread.counter, thread.stacks, thread.memory}, out);
  }
  for (const Call& call : automaton_.calls(thread.state)) {
    if (!may_call(call, thread.counter)) continue;
    if (call.only_asks) {
      visit({call.back, thread.counter, thread.stacks, thread.memory}, out);
      continue;
    }
    StackId stacks = thread.stacks;
    if (!automaton_.is_exit(call.back)) {
      const std::uint32_t height = automaton_.height(call.back);
      if (height >= Automaton::kNever) continue;
      const std::uint32_t needed = stacks_.depth(stacks) + height;
      out.deepest = std::max(out.deepest, needed);
      if (needed > max_depth_) continue;
      stacks = stacks_.push(call.back, thread.counter, stacks);
    }
    const bool begins = call.is_item && compares_items_;
    const MemoryId memory = begins ? memory_.begin_item(thread.memory) : thread.memory;
    visit({call.rule.start, call.rule.counter, stacks, memory}, out);
  }
  if (automaton_.is_final(thread.state)) follow_back(thread, out);
}

/// Where its rule has ended.
void Machine::follow_back(const Thread& thread, Threads& out) {
  if (thread.stacks == StackPool::kBottom) {
    out.reached_bottom = true;
    return;
  }
  for (StackId at = thread.stacks; at != StackPool::kBottom;) {
    const StackPool::Frame frame = stacks_.top(at);
    at = frame.others;
    Thread back{frame.back, frame.counter, frame.below, thread.memory};
    if (compares_items_ && automaton_.ends_item(frame.back)) {
      const std::optional<MemoryId> ended = memory_.end_item(thread.memory);
      if (!ended) {
        out.has_dropped = true;
        continue;
      }
      back.memory = *ended;
    }
    visit(back, out);
  }
}

}  // namespace pleiad::constrain
