#include "constrain/tokens/distinct_mask.h"

#include <algorithm>

#include "constrain/tokens/token_bits.h"

namespace pleiad::constrain {
namespace {

/// Of one mask, as those of MaskTables.
constexpr std::uint64_t kMostCuttingSteps = 10'000'000;

/// A byte other than a quote.
bool reads_inside(const Edge& edge) {
  const bool is_quote = edge.first == symbol_of('"') && edge.last == symbol_of('"');
  return edge.first < kFirstTag && !is_quote;
}

/// Of each state whether reading anything but quotes leads only to states that neither end nor
/// call.
std::vector<bool> states_inside(const Automaton& automaton) {
  const auto n = static_cast<StateId>(automaton.n_states());
  std::vector<bool> inside(n, true);
  std::vector<std::vector<StateId>> before(n);  // from where that leads to the state
  std::vector<StateId> todo;
  for (StateId state = 0; state < n; ++state) {
    for (const Edge& edge : automaton.edges(state)) {
      if (reads_inside(edge)) before[edge.target].push_back(state);
    }
    inside[state] = !automaton.is_final(state) && automaton.calls(state).empty() &&
                    automaton.jumps(state).empty();
    if (!inside[state]) todo.push_back(state);
  }
  while (!todo.empty()) {
    const StateId at = todo.back();
    todo.pop_back();
    for (const StateId from : before[at]) {
      if (!inside[from]) continue;
      inside[from] = false;
      todo.push_back(from);
    }
  }
  return inside;
}

}  // namespace

DistinctMask::DistinctMask(const TokenTrie& trie, const Automaton& automaton)
    : trie_(trie), is_inside_(states_inside(automaton)) {}

/// Whether a token below the node may end an item that is like no other so far, and go on with the
/// next one: behind a ',', and out of a string behind a quote. Where no array is open, behind a
/// '['.
bool DistinctMask::may_end_item(const Thread& thread, std::uint32_t node, bool with_node) const {
  const auto is_here = [&](char c) { return with_node && trie_.symbol(node) == symbol_of(c); };
  const bool has_comma = trie_.has_comma_below(node);
  if (is_inside_[thread.state]) return trie_.has_quote_below(node) || (has_comma && is_here('"'));
  if (thread.memory != ItemMemory::kNothing) return has_comma || is_here(',');
  return trie_.has_array_below(node) || (has_comma && is_here('['));
}

bool DistinctMask::is_safe(const Step& step, const ItemMemory& memory, std::uint32_t node,
                           bool with_node) const {
  if (step.has_dropped) return false;
  const bool goes_off = with_node && !step.equal.test(trie_.symbol(node));
  return std::ranges::all_of(step.threads.list, [&](const Thread& thread) {
    const bool differs =
        !memory.may_be_equal(thread.memory) || (goes_off && is_inside_[thread.state]);
    return differs && !may_end_item(thread, node, with_node);
  });
}

void DistinctMask::look_at_symbols(Step& step, Machine& machine) {
  step.symbols = machine.symbols(step.has_dropped ? step.loose : step.threads);
  step.equal.reset();
  for (const Thread& thread : step.threads.list) {
    machine.memory().add_next(thread.memory, step.equal);
  }
}

void DistinctMask::read(const Step& from, Symbol symbol, Machine& machine, Step& to) {
  machine.read(from.threads, symbol, to.threads);
  to.has_dropped = from.has_dropped || to.threads.has_dropped;
  if (!to.has_dropped) return;
  machine.read_without_items(from.has_dropped ? from.loose : from.threads, symbol, to.loose);
}

void DistinctMask::cut(const Threads& threads, Machine& machine,
                       std::span<std::uint64_t> allowed) const {
  const Machine::LookAhead look_ahead(machine);
  machine.allow_steps(kMostCuttingSteps);
  std::vector<Step> path(trie_.longest() + 1);
  path[0].threads = threads;
  path[0].has_dropped = threads.has_dropped;
  if (threads.has_dropped) machine.without_items(threads, path[0].loose);
  look_at_symbols(path[0], machine);
  for (const std::uint32_t root : trie_.roots()) {
    if (is_safe(path[0], machine.memory(), root, false)) continue;
    const std::uint32_t end = trie_.next(root);
    for (std::uint32_t node = root + 1; node < end;) {
      const std::uint32_t depth = trie_.depth(node);
      const std::uint32_t next = trie_.next(node);
      if (!path[depth - 1].symbols.test(trie_.symbol(node)) ||
          is_safe(path[depth - 1], machine.memory(), node, true)) {
        node = next;
        continue;
      }
      Step& step = path[depth];
      read(path[depth - 1], trie_.symbol(node), machine, step);
      if (!step.threads.can_go_on()) {
        const std::uint32_t first = trie_.first_token(node);
        for (const text::TokenId token : trie_.tokens_in(first, trie_.first_token(next))) {
          clear_bit(allowed, token);
        }
        node = next;
        continue;
      }
      if (is_safe(step, machine.memory(), node, false)) {
        node = next;
        continue;
      }
      look_at_symbols(step, machine);
      ++node;
    }
  }
  machine.allow_steps(Machine::kAnySteps);
}

}  // namespace pleiad::constrain
