// What a machine does where items have to differ, and names.
#include <algorithm>
#include <utility>

#include "constrain/tokens/machine.h"

namespace pleiad::constrain {

/// While one lives items are not compared.
class Machine::NotCompared {
 public:
  explicit NotCompared(Machine& machine)
      : machine_(machine), compares_(std::exchange(machine.compares_items_, false)) {}
  ~NotCompared() { machine_.compares_items_ = compares_; }
  NotCompared(const NotCompared&) = delete;
  NotCompared& operator=(const NotCompared&) = delete;

 private:
  Machine& machine_;
  bool compares_;
};

void Machine::go_on_from(Threads& threads) {
  if (stacks_.has_grown()) {
    std::vector<StackId*> used;
    for (Thread& thread : threads.list) used.push_back(&thread.stacks);
    stacks_.use_only(used);
  }
  if (!compares_items_) return;
  std::vector<MemoryId> used;
  for (const Thread& thread : threads.list) used.push_back(thread.memory);
  memory_.use_only(used);
}

/// Nothing where a name ends that is equal to an earlier one.
std::optional<MemoryId> Machine::remember(const Edge& edge, Symbol symbol, MemoryId memory) {
  if (edge.is_blank) return memory;
  if (edge.name == NamePart::end) {
    const std::optional<MemoryId> ended = memory_.end_item(memory);
    if (!ended) return std::nullopt;
    memory = *ended;
  } else if (edge.name != NamePart::none && !memory_.is_amid_item(memory)) {
    memory = memory_.begin_item(memory, edge.name == NamePart::of_few);
  }
  memory = memory_.read(memory, symbol);
  if (edge.opens_set) return memory_.open(memory);
  if (edge.wants_item) return memory_.want_item(memory);
  return edge.closes_set ? memory_.close(memory) : memory;
}

/// The same where all others lead to items that are equal to earlier ones.
std::optional<Symbol> Machine::only_different_symbol(const Threads& threads) {
  constexpr std::size_t kMostTried = 64;
  const SymbolSet all = symbols(threads);
  if (!std::ranges::any_of(
          threads.list,
          [&](const Thread& thread) { return memory_.may_be_equal(thread.memory); }) ||
      all.count() > kMostTried) {
    return std::nullopt;
  }
  std::optional<Symbol> only;
  Threads next;
  for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
    if (!all.test(symbol)) continue;
    read(threads, static_cast<Symbol>(symbol), next);
    if (!next.alive()) continue;
    if (only) return std::nullopt;
    only = static_cast<Symbol>(symbol);
  }
  return only;
}

/// Takes away those of a step that can end no item but as an earlier one.
void Machine::drop_equal(Threads& threads) {
  const std::size_t n_dropped =
      std::erase_if(threads.list, [&](const Thread& thread) { return !may_differ(thread); });
  threads.has_dropped = threads.has_dropped || n_dropped > 0;
}

SymbolSet Machine::symbols_but_blanks(const Threads& threads) {
  SymbolSet out;
  for (const Thread& thread : threads.list) {
    for (const Edge& edge : automaton_.edges(thread.state)) {
      if (edge.is_blank || !may_take(edge, thread) || is_dead(edge)) continue;
      add_range(out, edge.first, edge.last);
    }
  }
  return out;
}

SymbolSet Machine::symbols_of_names(const Threads& threads) {
  SymbolSet out;
  bool may_begin = false;
  for (const Thread& thread : threads.list) {
    if (thread.memory == ItemMemory::kNothing) continue;
    const auto edges = automaton_.edges(thread.state);
    if (std::ranges::none_of(edges, [](const Edge& e) { return e.name != NamePart::none; })) {
      continue;
    }
    MemoryId memory = thread.memory;
    if (!memory_.is_amid_item(memory)) {
      if (!memory_.has_items(memory)) continue;
      may_begin = true;
      memory = memory_.begin_item(memory);
    }
    memory_.add_next_of_innermost(memory, out);
    if (!memory_.is_equal(memory)) continue;
    for (const Edge& edge : edges) {
      if (edge.name == NamePart::end) out.set(edge.first);
    }
  }
  for (const Thread& thread : threads.list) {
    if (!may_begin) break;
    for (const Edge& edge : automaton_.edges(thread.state)) {
      if (edge.is_blank) out.set(edge.first);
    }
  }
  return out;
}

void Machine::without_items(const Threads& threads, Threads& out) {
  const NotCompared not_compared(*this);
  begin_step(out);
  for (const Thread& thread : threads.list) visit(thread, out);
  follow_all(out);
}

void Machine::read_without_items(const Threads& from, Symbol symbol, Threads& out) {
  const NotCompared not_compared(*this);
  read_any(from.list, symbol, out);
}

/// Whether it is like no earlier one, or may go on in endlessly many ways.
bool Machine::surely_differs(const Thread& thread) const {
  return !memory_.may_be_equal(thread.memory) ||
         (strings_ != nullptr && strings_->is_endless(thread.state, thread.counter));
}

/// Whether all items that are being written can end as no earlier one: found by following the
/// earlier ones only, which is as long as these are.
bool Machine::may_differ(const Thread& thread) {
  if (surely_differs(thread)) return true;
  std::vector<Threads> todo(1);
  begin(thread, todo[0]);  // white space may end where it is
  Threads next;
  while (!todo.empty()) {
    const Threads at = std::move(todo.back());
    todo.pop_back();
    const auto differs_behind = [&](std::size_t symbol) {
      read_any(at.list, static_cast<Symbol>(symbol), next);
      const auto differs = [&](const Thread& each) { return surely_differs(each); };
      if (std::ranges::any_of(next.list, differs)) return true;
      if (next.can_go_on()) todo.push_back(next);
      return false;
    };
    SymbolSet equal;
    for (const Thread& each : at.list) {
      memory_.add_next(each.memory, equal);
      // Names begin with their first symbol.
      if (memory_.wants_item(each.memory)) {
        memory_.add_next_of_innermost(memory_.begin_item(each.memory), equal);
      }
    }
    for (const Symbol symbol : other_symbols(at, equal)) {
      if (differs_behind(symbol)) return true;
    }
    for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
      if (equal.test(symbol) && differs_behind(symbol)) return true;
    }
  }
  return false;
}

/// For each edge one of the symbols that no earlier item goes on with: behind them all is the same.
/// White space may be left out.
std::vector<Symbol> Machine::other_symbols(const Threads& at, SymbolSet equal) const {
  std::vector<Symbol> symbols;
  for (const Thread& thread : at.list) {
    for (const Edge& edge : automaton_.edges(thread.state)) {
      if (!may_take(edge, thread) || is_dead(edge) || edge.is_blank) continue;
      std::size_t symbol = edge.first;
      while (symbol <= edge.last && equal.test(symbol)) ++symbol;
      if (symbol > edge.last) continue;
      symbols.push_back(static_cast<Symbol>(symbol));
      equal.set(symbol);
    }
  }
  return symbols;
}

}  // namespace pleiad::constrain
