#include "constrain/automaton.h"

#include <fmt/format.h>

#include <algorithm>

namespace pleiad::constrain {

Automaton::Automaton() {
  done_ = add_state();
  set_final(done_);
}

StateId Automaton::add_state() {
  if (states_.size() >= kMaxStates) {
    is_too_large_ = true;
    return static_cast<StateId>(states_.size() - 1);
  }
  states_.emplace_back();
  return static_cast<StateId>(states_.size() - 1);
}

StateId Automaton::add_symbols(StateId from, std::span<const Symbol> symbols) {
  for (const Symbol symbol : symbols) {
    const StateId next = add_state();
    add_edge(from, symbol, next);
    from = next;
  }
  return from;
}

Result<bool> Automaton::finish(StateId start) {
  start_ = start;
  if (is_too_large_) {
    return Failure{fmt::format("it is too large: more than {} states are needed", kMaxStates)};
  }
  find_nullable();
  if (calls_itself_at_once()) {
    return Failure{"a \"$ref\" leads back to itself without any value in between"};
  }
  find_heights();
  if (height(start) >= kNever) return Failure{"no value can satisfy it"};
  if (height(start) > kMaxDepth) {
    return Failure{fmt::format("its values are nested deeper than {} levels", kMaxDepth)};
  }
  return true;
}

std::uint32_t Automaton::height_through(const Call& call) const {
  const std::uint32_t inside = states_[call.rule.start].height + (is_exit(call.back) ? 0 : 1);
  return std::min(kNever, std::max(inside, states_[call.back].height));
}

void Automaton::find_heights() {
  // From the back, because states are mostly added in the order of reading.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = states_.size(); i-- > 0;) {
      State& state = states_[i];
      std::uint32_t height = state.is_final ? 0 : kNever;
      for (const Edge& edge : state.edges) height = std::min(height, states_[edge.target].height);
      for (const StateId jump : state.jumps) height = std::min(height, states_[jump].height);
      for (const Call& call : state.calls) height = std::min(height, height_through(call));
      if (height < state.height) {
        state.height = height;
        changed = true;
      }
    }
  }
}

void Automaton::find_nullable() {
  for (bool changed = true; changed;) {
    changed = false;
    for (State& state : states_) {
      if (state.is_nullable) continue;
      const auto nullable = [&](StateId other) { return states_[other].is_nullable; };
      const bool now = state.is_final || std::ranges::any_of(state.jumps, nullable) ||
                       std::ranges::any_of(state.calls, [&](const Call& call) {
                         return nullable(call.rule.start) && nullable(call.back);
                       });
      state.is_nullable = now;
      changed |= now;
    }
  }
}

bool Automaton::calls_itself_at_once() const {
  enum class Mark : std::uint8_t { unseen, open, closed };
  std::vector<Mark> marks(states_.size(), Mark::unseen);
  struct Visit {
    StateId state;
    std::vector<StateId> successors;
  };
  const auto visit = [&](StateId id) {
    const State& state = states_[id];
    Visit out{id, state.jumps};
    for (const Call& call : state.calls) {
      out.successors.push_back(call.rule.start);
      if (states_[call.rule.start].is_nullable) out.successors.push_back(call.back);
    }
    return out;
  };
  for (StateId root = 0; root < states_.size(); ++root) {
    if (marks[root] != Mark::unseen) continue;
    std::vector<Visit> path = {visit(root)};
    marks[root] = Mark::open;
    while (!path.empty()) {
      if (path.back().successors.empty()) {
        marks[path.back().state] = Mark::closed;
        path.pop_back();
        continue;
      }
      const StateId next = path.back().successors.back();
      path.back().successors.pop_back();
      if (marks[next] == Mark::open) return true;
      if (marks[next] == Mark::closed) continue;
      marks[next] = Mark::open;
      path.push_back(visit(next));
    }
  }
  return false;
}

}  // namespace pleiad::constrain
