#include "constrain/tokens/distinct_mask.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "constrain/tokens/token_bits.h"

namespace pleiad::constrain {
namespace {

/// Of one mask, as those of MaskTables.
constexpr std::uint64_t kMostCuttingSteps = 10'000'000;

/// Of each state whether it reads a part of a name behind which there may be no other.
std::vector<bool> states_of_few_names(const Automaton& automaton) {
  std::vector<bool> out(automaton.n_states());
  for (StateId state = 0; state < out.size(); ++state) {
    out[state] = std::ranges::any_of(
        automaton.edges(state), [](const Edge& edge) { return edge.name == NamePart::of_few; });
  }
  return out;
}

bool has_few(const std::vector<bool>& reads_few) {
  return std::ranges::find(reads_few, true) != reads_few.end();
}

/// Whether a string may be what the rule reads, of which there are always more.
bool has_endless_strings(const Automaton& automaton, const InsideStrings& strings,
                         const Rule& rule) {
  std::vector<Rule> rules = {rule};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule at = rules[i];
    const auto begins_endless = [&](const Edge& edge) {
      return edge.first == symbol_of('"') && edge.last == symbol_of('"') &&
             strings.is_endless(edge.target, at.counter);
    };
    if (std::ranges::any_of(automaton.edges(at.start), begins_endless)) return true;
    const auto add = [&](const Rule& more) {
      if (std::ranges::find(rules, more) == rules.end()) rules.push_back(more);
    };
    for (const StateId jump : automaton.jumps(at.start)) add({jump, at.counter});
    for (const Call& call : automaton.calls(at.start)) {
      if (!call.only_asks && automaton.is_exit(call.back)) add(call.rule);
    }
  }
  return false;
}

/// What ends names that are remembered: one symbol ends them all, as one automaton has the values
/// of one syntax.
Symbol end_of_names(const Automaton& automaton) {
  Symbol end = kEnd;
  for (StateId state = 0; state < automaton.n_states(); ++state) {
    for (const Edge& edge : automaton.edges(state)) {
      if (edge.name != NamePart::end) continue;
      CHECK(edge.first == edge.last && (end == kEnd || end == edge.first),
            "names end with {} to {}, others with {}", edge.first, edge.last, end);
      end = edge.first;
    }
  }
  return end;
}

}  // namespace

DistinctMask::DistinctMask(const TokenTrie& trie, const Automaton& automaton,
                           const InsideStrings& strings)
    : trie_(trie),
      strings_(strings),
      reads_few_(states_of_few_names(automaton)),
      runs_out_(has_few(reads_few_) || std::ranges::any_of(automaton.distinct(),
                                                           [&](const DistinctItems& array) {
                                                             return !has_endless_strings(
                                                                 automaton, strings, array.item);
                                                           })),
      has_items_(!automaton.distinct().empty() || has_few(reads_few_)),
      name_end_(end_of_names(automaton)) {}

/// Whether a token below the node may end an item that is like no other so far, and go on with the
/// next one: behind a ',', and out of a string behind a quote. Where no array is open, behind a '['
/// or '{'.
bool DistinctMask::may_end_item(const Thread& thread, std::uint32_t node, bool with_node) const {
  const auto is_here = [&](char c) { return with_node && trie_.symbol(node) == symbol_of(c); };
  const bool has_comma = trie_.has_comma_below(node);
  if (strings_.has(thread.state)) {
    // Behind a ',' another string may begin, and be like no other.
    if (!runs_out_) return trie_.may_hold_item_behind_string(node);
    return trie_.has_quote_below(node) || (has_comma && is_here('"'));
  }
  if (thread.memory != ItemMemory::kNothing) return has_comma || is_here(',');
  return trie_.has_array_below(node) || (has_comma && (is_here('[') || is_here('{')));
}

/// Whether a token below the node may end the string that it begins in.
bool DistinctMask::may_leave_string(std::uint32_t node, bool with_node) const {
  const bool has_tags = with_node ? trie_.symbol(node) >= kFirstTag : node == trie_.roots().back();
  return has_tags || trie_.may_end_name(node, symbol_of('"'));
}

/// Names begin with their first symbol: until then none is like an earlier one.
bool DistinctMask::may_begin_last_name(const Thread& thread, const ItemMemory& memory) const {
  return reads_few_[thread.state] && thread.memory != ItemMemory::kNothing &&
         !memory.is_amid_item(thread.memory) && memory.has_items(thread.memory);
}

bool DistinctMask::is_safe(const Step& step, const ItemMemory& memory, std::uint32_t node,
                           bool with_node) const {
  if (step.has_dropped) return false;
  const bool goes_off = with_node && !step.equal.test(trie_.symbol(node));
  const bool may_leave = may_leave_string(node, with_node);
  return std::ranges::all_of(step.threads.list, [&](const Thread& thread) {
    if (!may_leave && strings_.is_endless(thread.state, thread.counter)) return true;
    const bool differs =
        !memory.may_be_equal(thread.memory) || (goes_off && strings_.has(thread.state));
    return differs && !may_begin_last_name(thread, memory) &&
           !may_end_item(thread, node, with_node);
  });
}

void DistinctMask::look_at_symbols(Step& step, Machine& machine, Of of) {
  step.symbols = machine.symbols(step.has_dropped ? step.loose : step.threads);
  if (of == Of::names) {
    step.named = machine.symbols_of_names(step.threads);
    return;
  }
  step.equal.reset();
  for (const Thread& thread : step.threads.list) {
    machine.memory().add_next(thread.memory, step.equal);
  }
}

void DistinctMask::read(const Step& from, Symbol symbol, Machine& machine, Step& to) {
  machine.read(from.threads, symbol, to.threads);
  to.has_dropped = from.has_dropped || to.threads.has_dropped || to.threads.has_repeated;
  if (!to.has_dropped) return;
  machine.read_without_items(from.has_dropped ? from.loose : from.threads, symbol, to.loose);
}

DistinctMask::Steps DistinctMask::begin(const Threads& threads, Machine& machine) const {
  Steps path(trie_.longest() + 1);
  path[0].threads = threads;
  path[0].has_dropped = threads.has_dropped;
  if (threads.has_dropped) machine.without_items(threads, path[0].loose);
  return path;
}

void DistinctMask::cut(const Threads& threads, Machine& machine,
                       std::span<std::uint64_t> allowed) const {
  const Machine::LookAhead look_ahead(machine);
  machine.allow_steps(kMostCuttingSteps);
  if (name_end_ != kEnd && !threads.has_dropped) {  // else all is looked at
    cut_tokens(threads, machine, allowed);
    if (machine.symbols_of_names(threads).any()) {
      Steps path = begin(threads, machine);
      cut_names(path, machine, allowed);
    }
  }
  if (has_items_) {
    Steps path = begin(threads, machine);
    cut_items(path, machine, allowed);
  }
  machine.allow_steps(Machine::kAnySteps);
}

/// Those that hold whole names, one by one.
void DistinctMask::cut_tokens(const Threads& threads, Machine& machine,
                              std::span<std::uint64_t> allowed) const {
  Threads at;
  Threads next;
  for (const text::TokenId token : trie_.tokens_with_names(name_end_)) {
    if (!has_bit(allowed, token)) continue;
    at = threads;
    for (const Symbol symbol : trie_.spelling(token)) {
      machine.read(at, symbol, next);
      std::swap(at, next);
      if (!at.can_go_on()) break;
    }
    if (!at.can_go_on()) clear_bit(allowed, token);
  }
}

void DistinctMask::cut_names(Steps& path, Machine& machine,
                             std::span<std::uint64_t> allowed) const {
  look_at_symbols(path[0], machine, Of::names);
  for (const std::uint32_t root : trie_.roots()) {
    if (trie_.may_end_name(root, name_end_)) cut_below(root, Of::names, path, machine, allowed);
  }
}

void DistinctMask::cut_items(Steps& path, Machine& machine,
                             std::span<std::uint64_t> allowed) const {
  look_at_symbols(path[0], machine, Of::items);
  for (const std::uint32_t root : trie_.roots()) {
    if (is_safe(path[0], machine.memory(), root, false)) continue;
    cut_below(root, Of::items, path, machine, allowed);
  }
}

/// Whether nothing is to be taken out at the node and below it, where `before` leads there.
bool DistinctMask::is_left(const Step& before, std::uint32_t node, Of of,
                           const ItemMemory& memory) const {
  const Symbol symbol = trie_.symbol(node);
  if (!before.symbols.test(symbol)) return true;
  if (of == Of::items) return is_safe(before, memory, node, true);
  const bool goes_on = before.named.test(symbol) && trie_.may_end_name(node, name_end_);
  return !goes_on && !before.has_dropped;
}

void DistinctMask::cut_below(std::uint32_t root, Of of, Steps& path, Machine& machine,
                             std::span<std::uint64_t> allowed) const {
  const std::uint32_t end = trie_.next(root);
  for (std::uint32_t node = root + 1; node < end;) {
    const std::uint32_t depth = trie_.depth(node);
    const std::uint32_t next = trie_.next(node);
    if (is_left(path[depth - 1], node, of, machine.memory())) {
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
    if (of == Of::items && is_safe(step, machine.memory(), node, false)) {
      node = next;
      continue;
    }
    look_at_symbols(step, machine, of);
    ++node;
  }
}

}  // namespace pleiad::constrain
