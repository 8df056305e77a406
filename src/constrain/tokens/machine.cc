#include "constrain/tokens/machine.h"

#include <algorithm>

#include "constrain/mix_hash.h"

namespace pleiad::constrain {
namespace {

std::uint64_t key_bit(const Edge& edge) { return std::uint64_t{1} << (edge.key - 1U); }

}  // namespace

StackPool::StackPool() { clear(); }

void StackPool::clear() {
  frames_.assign(1, {});
  depths_.assign(1, 0);
  ids_.clear();
}

void StackPool::forget_since(std::size_t size) {
  while (frames_.size() > size) {
    ids_.erase(frames_.back());
    frames_.pop_back();
    depths_.pop_back();
  }
}

std::size_t StackPool::Hash::operator()(const Frame& frame) const {
  std::uint64_t hash = frame.back;
  for (const std::uint32_t part : {frame.counter.need, frame.counter.room, frame.below}) {
    hash = mix_hash(hash, part);
  }
  return hash;
}

std::size_t Machine::Hash::operator()(const Thread& thread) const {
  std::uint64_t hash = thread.state;
  for (const std::uint32_t part :
       {thread.counter.need, thread.counter.room, thread.stack, thread.memory}) {
    hash = mix_hash(hash, part);
  }
  return hash;
}

StackId StackPool::push(const Frame& frame) {
  const auto [found, is_new] = ids_.try_emplace(frame, static_cast<StackId>(frames_.size()));
  if (is_new) {
    frames_.push_back(frame);
    depths_.push_back(depths_[frame.below] + 1);
  }
  return found->second;
}

void Machine::begin(const Thread& thread, Threads& out) {
  out.clear();
  seen_.clear();
  if (!many_.empty()) many_.clear();
  settle(thread, out);
}

void Machine::read(std::span<const Thread> from, Symbol symbol, Threads& out) {
  read_any(from, symbol, out);
  if (compares_items_) drop_equal(out);
}

void Machine::read_any(std::span<const Thread> from, Symbol symbol, Threads& out) {
  out.clear();
  seen_.clear();
  if (!many_.empty()) many_.clear();
  for (const Thread& thread : from) {
    for (const Edge& edge : automaton_.edges(thread.state)) {
      if (symbol < edge.first || symbol > edge.last || !may_take(edge, thread)) continue;
      Thread next{edge.target, thread.counter, thread.stack, thread.memory};
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
      settle(next, out);
    }
  }
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
    const std::uint32_t needed = stacks_.depth(thread.stack) + height;
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
      for (std::size_t symbol = edge.first; symbol <= edge.last; ++symbol) out.set(symbol);
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

void Machine::settle(const Thread& thread, Threads& out) {
  todo_.clear();
  visit(thread, out);
  while (!todo_.empty()) {
    const Thread next = todo_.back();
    todo_.pop_back();
    follow(next, out);
  }
}

/// Takes the thread in, unless it is known or cannot end.
void Machine::visit(const Thread& thread, Threads& out) {
  spend(1);
  const std::uint32_t height = automaton_.height(thread.state);
  if (height >= Automaton::kNever) return;
  const std::uint32_t needed = stacks_.depth(thread.stack) + height;
  out.deepest = std::max(out.deepest, needed);
  if (needed > max_depth_) return;
  const bool reads = !automaton_.edges(thread.state).empty();
  std::vector<Thread>& known = reads ? out.list : seen_;
  if (!is_new(thread, known)) return;
  if (known.size() == kMostThreads) {
    throw sampling::ConstraintError(
        "the form of the reply can be read in more than {} ways at one place: alternatives that "
        "begin alike, nested in each other",
        kMostThreads);
  }
  known.push_back(thread);
  todo_.push_back(thread);
}

bool Machine::is_new(const Thread& thread, const std::vector<Thread>& known) {
  constexpr std::size_t kMany = 64;
  if (known.size() < kMany) return std::ranges::find(known, thread) == known.end();
  if (known.size() == kMany) many_.insert(known.begin(), known.end());
  return many_.insert(thread).second;
}

/// Whether all keys came that the call waits for.
bool Machine::may_call(const Call& call, const Counter& counter) const {
  if (call.needs_none && counter.need > 0) return false;
  return call.object == 0 || (counter.keys() & automaton_.object(call.object).required) == 0;
}

void Machine::follow(const Thread& thread, Threads& out) {
  for (const StateId jump : automaton_.jumps(thread.state)) {
    visit({jump, thread.counter, thread.stack, thread.memory}, out);
  }
  for (const Call& call : automaton_.calls(thread.state)) {
    if (!may_call(call, thread.counter)) continue;
    if (call.only_asks) {
      visit({call.back, thread.counter, thread.stack, thread.memory}, out);
      continue;
    }
    StackId stack = thread.stack;
    if (!automaton_.is_exit(call.back)) {
      const std::uint32_t height = automaton_.height(call.back);
      if (height >= Automaton::kNever) continue;
      const std::uint32_t needed = stacks_.depth(stack) + height;
      out.deepest = std::max(out.deepest, needed);
      if (needed > max_depth_) continue;
      stack = stacks_.push({call.back, thread.counter, stack});
    }
    const bool begins = call.is_item && compares_items_;
    const MemoryId memory = begins ? memory_.begin_item(thread.memory) : thread.memory;
    visit({call.rule.start, call.rule.counter, stack, memory}, out);
  }
  if (!automaton_.is_final(thread.state)) return;
  if (thread.stack == StackPool::kBottom) {
    out.reached_bottom = true;
    return;
  }
  const StackPool::Frame& frame = stacks_.top(thread.stack);
  Thread back{frame.back, frame.counter, frame.below, thread.memory};
  if (compares_items_ && automaton_.ends_item(frame.back)) {
    const std::optional<MemoryId> ended = memory_.end_item(thread.memory);
    if (!ended) {
      out.has_dropped = true;
      return;
    }
    back.memory = *ended;
  }
  visit(back, out);
}

}  // namespace pleiad::constrain
