#include "constrain/tokens/item_counts.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "constrain/tokens/machine.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain {
namespace {

/// Whether the rule has so many texts: each begin of one that can go on stands for one at least,
/// and none of these is the begin of another.
bool has_texts(Machine& machine, const Rule& rule, std::uint32_t least) {
  Threads at;
  machine.begin({.state = rule.start, .counter = rule.counter}, at);
  std::deque<Threads> begins = {std::move(at)};
  std::size_t n_whole = 0;
  while (n_whole + begins.size() < least) {
    if (begins.empty()) return false;
    at = std::move(begins.front());
    begins.pop_front();
    const SymbolSet symbols = machine.symbols_but_blanks(at);
    for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
      if (!symbols.test(symbol)) continue;
      Threads next;
      machine.read(at, static_cast<Symbol>(symbol), next);
      if (next.reached_bottom) ++n_whole;
      if (next.can_go_on()) begins.push_back(std::move(next));
    }
  }
  return true;
}

}  // namespace

ItemCounts forbid_short_of_items(Automaton& automaton, std::uint64_t most_steps) {
  ItemCounts out;
  std::vector<DistinctItems> forbidden;
  const std::span<const DistinctItems> all = automaton.distinct();
  const auto n_counted =
      std::ranges::count_if(all, [](const DistinctItems& array) { return array.least >= 2; });
  const auto share =
      most_steps / static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, n_counted));
  for (const DistinctItems& array : all) {
    if (array.least < 2) continue;
    const std::uint32_t height = automaton.height(array.item.start);
    if (height >= Automaton::kNever) continue;  // it has none, so nothing leads to the array's end
    Machine machine(automaton, height, Machine::Items::compared);
    machine.allow_steps(share);
    bool has_enough = false;
    try {
      has_enough = has_texts(machine, array.item, array.least);
      out.n_steps += share - machine.steps_left();
    } catch (const sampling::ConstraintError&) {
      out.gave_up = true;
      out.n_steps += share;
    }
    if (!has_enough) forbidden.push_back(array);
  }
  for (const DistinctItems& array : forbidden) automaton.forbid_distinct(array);
  out.forbade_some = !forbidden.empty();
  return out;
}

}  // namespace pleiad::constrain
