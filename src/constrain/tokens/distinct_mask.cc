#include "constrain/tokens/distinct_mask.h"

#include <algorithm>

#include "constrain/tokens/token_bits.h"

namespace pleiad::constrain {
namespace {

/// Of one mask, as those of MaskTables.
constexpr std::uint64_t kMostCuttingSteps = 10'000'000;

/// Bytes of plain characters, see KindSet; the edge may read others too.
bool reads_plain(const Edge& edge) {
  const auto in = [&](Symbol first, Symbol last) {
    return edge.first <= last && edge.last >= first;
  };
  return in(' ', '"' - 1) || in('"' + 1, '\\' - 1) || in('\\' + 1, 0xFF);
}

/// Of each state whether reading plain characters leads only to states that neither end nor call.
std::vector<bool> states_inside(const Automaton& automaton) {
  const auto n = static_cast<StateId>(automaton.n_states());
  std::vector<bool> inside(n, true);
  std::vector<std::vector<StateId>> before(n);  // from where plain characters lead to the state
  std::vector<StateId> todo;
  for (StateId state = 0; state < n; ++state) {
    for (const Edge& edge : automaton.edges(state)) {
      if (reads_plain(edge)) before[edge.target].push_back(state);
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

bool DistinctMask::is_safe(const Step& step, const ItemMemory& memory, std::uint32_t node,
                           bool with_node, bool is_plain) const {
  if (step.has_dropped) return false;
  const Symbol symbol = with_node ? trie_.symbol(node) : kEnd;
  const bool has_comma = trie_.has_comma_below(node) || symbol == symbol_of(',');
  const bool has_array =
      trie_.has_array_below(node) || (symbol == symbol_of('[') && trie_.has_comma_below(node));
  return std::ranges::all_of(step.threads.list, [&](const Thread& thread) {
    if (memory.may_be_equal(thread.memory)) return false;
    if (is_plain && is_inside_[thread.state]) return true;
    return !(thread.memory == ItemMemory::kNothing ? has_array : has_comma);
  });
}

void DistinctMask::look_at_symbols(Step& step, Machine& machine, bool is_plain) const {
  if (step.has_dropped) {
    step.symbols = machine.symbols(step.loose);
    return;
  }
  step.symbols = machine.symbols(step.threads);
  const bool is_inside = std::ranges::all_of(
      step.threads.list, [&](const Thread& thread) { return is_inside_[thread.state]; });
  if (!is_plain || !is_inside) return;
  // Those that differ here differ wherever the string ends, which no plain token does.
  SymbolSet equal;
  for (const Thread& thread : step.threads.list) machine.memory().add_next(thread.memory, equal);
  step.symbols &= equal;
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
  for (const std::uint32_t root : trie_.roots()) {
    const bool is_plain = root != trie_.roots().back();
    if (is_safe(path[0], machine.memory(), root, false, is_plain)) continue;
    look_at_symbols(path[0], machine, is_plain);
    const std::uint32_t end = trie_.next(root);
    for (std::uint32_t node = root + 1; node < end;) {
      const std::uint32_t depth = trie_.depth(node);
      const std::uint32_t next = trie_.next(node);
      if (!path[depth - 1].symbols.test(trie_.symbol(node)) ||
          is_safe(path[depth - 1], machine.memory(), node, true, is_plain)) {
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
      if (is_safe(step, machine.memory(), node, false, is_plain)) {
        node = next;
        continue;
      }
      look_at_symbols(step, machine, is_plain);
      ++node;
    }
  }
  machine.allow_steps(Machine::kAnySteps);
}

}  // namespace pleiad::constrain
