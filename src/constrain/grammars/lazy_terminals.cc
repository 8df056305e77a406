#include "constrain/grammars/lazy_terminals.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "constrain/grammars/left_corners.h"
#include "constrain/grammars/machine_dfas.h"

namespace pleiad::constrain::grammars {
namespace {

constexpr std::size_t kStepsOfState = 16;

/// Sorted, each once.
using Rules = std::vector<std::uint32_t>;

void put_in_order(Rules& rules) {
  std::ranges::sort(rules);
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
}

/// The texts that begin with one of a lazy terminal, longer ones alone where `longer`.
Dfa beginning_with(const Dfa& lazy, bool longer) {
  Dfa out = lazy;
  const auto anything = static_cast<std::uint32_t>(out.states.size());
  out.states.push_back({.edges = {{0, 0xFF, anything}}, .accepts = true});
  for (std::uint32_t id = 0; id < anything; ++id) {
    Dfa::State& state = out.states[id];
    const bool ends = state.accepts && id != 0;
    state.accepts = ends && !longer;
    if (ends) state.edges = {{0, 0xFF, anything}};
  }
  return out;
}

/// Of each state of an automaton with fewer texts, as restricted() makes it, the one of the whole.
std::vector<std::uint32_t> states_of(const Dfa& whole, const Dfa& fewer) {
  constexpr std::uint32_t kUnknown = UINT32_MAX;
  std::vector<std::uint32_t> out(fewer.states.size(), kUnknown);
  std::vector<std::uint32_t> todo = {0};
  out[0] = 0;
  while (!todo.empty()) {
    const std::uint32_t id = todo.back();
    todo.pop_back();
    for (const Dfa::Edge& edge : fewer.states[id].edges) {
      if (out[edge.target] != kUnknown) continue;
      const auto& edges = whole.states[out[id]].edges;
      const auto found = std::ranges::find_if(edges, [&](const Dfa::Edge& it) {
        return it.first <= edge.first && edge.last <= it.last;
      });
      CHECK(found != edges.end(), "state {}", id);
      out[edge.target] = found->target;
      todo.push_back(edge.target);
    }
  }
  std::ranges::replace(out, kUnknown, 0U);  // of those that nothing leads to
  return out;
}

class LazyEnds {
 public:
  LazyEnds(const RuleMachines& machines, GrammarBudget& budget)
      : machines_(machines), budget_(budget) {}

  std::optional<RuleMachines> write(std::uint32_t start) {
    find_first();
    rule_of(start, {});
    while (!todo_.empty() && !budget_.is_spent()) {
      const auto [rule, beside, id] = std::move(todo_.back());
      todo_.pop_back();
      if (machines_.rules[rule].is_terminal) {
        write_terminal(rule, beside, id);
      } else {
        write_rule(rule, beside, id);
      }
    }
    if (budget_.is_spent()) return std::nullopt;
    return std::move(out_);
  }

 private:
  using Set = std::vector<std::uint32_t>;
  struct Todo {
    std::uint32_t rule;
    Rules beside;
    std::uint32_t id;
  };

  /// Of each rule the lazy terminals that it may begin with, until none is added.
  void find_first() {
    const std::size_t n_rules = machines_.rules.size();
    first_.resize(n_rules);
    std::vector<Rules> begun(n_rules);  // with these
    for (std::uint32_t rule = 0; rule < n_rules && !budget_.is_spent(); ++rule) {
      if (!machines_.is_used[rule]) continue;
      if (machines_.rules[rule].is_lazy) first_[rule] = {rule};
      for (const std::uint32_t state :
           with_jumps(machines_, {machines_.rules[rule].start}, budget_)) {
        for (const RuleMachines::Call& call : machines_.states[state].calls) {
          begun[rule].push_back(call.rule);
        }
      }
      put_in_order(begun[rule]);
    }
    for (bool grows = true; grows && !budget_.is_spent();) {
      grows = false;
      for (std::uint32_t rule = 0; rule < n_rules && !budget_.is_spent(); ++rule) {
        const std::size_t before = first_[rule].size();
        for (const std::uint32_t other : begun[rule]) {
          if (!add_all(first_[rule], first_[other])) break;
        }
        grows = grows || first_[rule].size() > before;
      }
    }
  }

  /// False where the budget is spent, and then nothing is added.
  bool add_all(Rules& to, const Rules& more) {
    if (!budget_.spend(1 + to.size() + more.size())) return false;
    Rules all;
    std::ranges::set_union(to, more, std::back_inserter(all));
    to = std::move(all);
    return true;
  }

  /// The rule where `beside` may begin too.
  std::uint32_t rule_of(std::uint32_t rule, Rules beside) {
    // What it may begin with itself is beside it anyway.
    std::erase_if(
        beside, [&](std::uint32_t lazy) { return std::ranges::binary_search(first_[rule], lazy); });
    const auto [found, is_new] =
        ids_.try_emplace({rule, beside}, static_cast<std::uint32_t>(out_.rules.size()));
    if (is_new) {
      budget_.spend(kStepsOfState + beside.size());
      out_.rules.push_back(
          {add(), add(), machines_.rules[rule].is_terminal, machines_.rules[rule].is_lazy});
      out_.is_used.push_back(true);
      todo_.push_back({rule, std::move(beside), found->second});
    }
    return found->second;
  }

  std::uint32_t add() {
    budget_.spend(kStepsOfState);
    out_.states.emplace_back();
    return static_cast<std::uint32_t>(out_.states.size() - 1);
  }

  const Dfa* dfa_of(std::uint32_t terminal) {
    const auto [found, is_new] = dfas_.try_emplace(terminal);
    if (is_new) {
      const RuleMachines::Rule& rule = machines_.rules[terminal];
      found->second = dfa_between(machines_, rule.start, rule.end, budget_);
    }
    return found->second ? &*found->second : nullptr;
  }

  /// beginning_with(), made once for all terminals beside it.
  const Dfa* beginning_with_one_of(std::uint32_t lazy, bool longer) {
    const auto [found, is_new] = beginnings_.try_emplace({lazy, longer});
    if (is_new) {
      const Dfa* dfa = dfa_of(lazy);
      if (dfa && budget_.spend(dfa->states.size())) found->second = beginning_with(*dfa, longer);
    }
    return found->second ? &*found->second : nullptr;
  }

  void write_terminal(std::uint32_t rule, const Rules& beside, std::uint32_t id) {
    const Dfa* own = dfa_of(rule);
    std::vector<const Dfa*> outside;
    for (const std::uint32_t lazy : beside) {
      const Dfa* dfa = beginning_with_one_of(lazy, machines_.rules[rule].is_lazy);
      if (dfa) outside.push_back(dfa);
    }
    if (budget_.is_spent()) return;
    std::optional<Dfa> dfa = outside.empty() ? *own : texts_without(*own, outside, budget_);
    if (!dfa || budget_.is_spent()) return;
    const std::vector<std::uint32_t> own_states = states_of(*own, *dfa);
    std::vector<std::uint32_t> ids = {out_.rules[id].start};
    while (ids.size() < dfa->states.size()) ids.push_back(add());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      RuleMachines::State& state = out_.states[ids[i]];
      budget_.spend(dfa->states[i].edges.size());
      for (const Dfa::Edge& edge : dfa->states[i].edges) {
        state.edges.push_back({edge.first, edge.last, ids[edge.target]});
      }
      if (!dfa->states[i].accepts) continue;
      state.jumps.push_back(out_.rules[id].end);
      add_ended(own->states[own_states[i]], dfa->states[i], state);
    }
  }

  /// What one automaton reads and the other, which has fewer texts, does not.
  void add_ended(const Dfa::State& all, const Dfa::State& fewer, RuleMachines::State& out) {
    budget_.spend(all.edges.size() + fewer.edges.size());
    std::bitset<256> left;
    for (const Dfa::Edge& edge : all.edges) {
      for (std::size_t byte = edge.first; byte <= edge.last; ++byte) left.set(byte);
    }
    for (const Dfa::Edge& edge : fewer.edges) {
      for (std::size_t byte = edge.first; byte <= edge.last; ++byte) left.reset(byte);
    }
    for (std::size_t first = 0; first < left.size(); ++first) {
      if (!left[first]) continue;
      std::size_t last = first;
      while (last + 1 < left.size() && left[last + 1]) ++last;
      out.ended.push_back({static_cast<Symbol>(first), static_cast<Symbol>(last), 0});
      first = last;
    }
  }

  void write_rule(std::uint32_t rule, const Rules& beside, std::uint32_t id) {
    std::map<Set, std::uint32_t> made;
    std::vector<std::pair<const Set*, std::uint32_t>> todo;
    const auto place = [&](Set targets) {
      const auto [found, is_new] =
          made.try_emplace(with_jumps(machines_, std::move(targets), budget_), 0);
      if (is_new) {
        budget_.spend(found->first.size());
        found->second = add();
        todo.emplace_back(&found->first, found->second);
      }
      return found->second;
    };
    const RuleMachines::Rule& it = machines_.rules[rule];
    const auto fill = [&](const Set& set, std::uint32_t from, const Rules& around) {
      RuleMachines::State state;
      std::vector<RuleMachines::Edge> edges;
      std::map<std::uint32_t, Set> backs;  // of calls, by their rule
      Rules lazy = around;
      for (const std::uint32_t of : set) {
        const RuleMachines::State& old = machines_.states[of];
        edges.insert(edges.end(), old.edges.begin(), old.edges.end());
        for (const RuleMachines::Call& call : old.calls) {
          backs[call.rule].push_back(call.back);
          if (!add_all(lazy, first_[call.rule])) return;
        }
      }
      for (auto& [called, targets] : backs) {
        if (!budget_.spend(1 + lazy.size())) return;
        state.calls.push_back({rule_of(called, lazy), place(std::move(targets))});
      }
      for (CutEdge& edge : cut_apart(edges, budget_)) {
        state.edges.push_back({edge.first, edge.last, place(std::move(edge.targets))});
      }
      if (std::ranges::binary_search(set, it.end)) state.jumps.push_back(out_.rules[id].end);
      out_.states[from] = std::move(state);
    };
    fill(with_jumps(machines_, {it.start}, budget_), out_.rules[id].start, beside);
    while (!todo.empty() && !budget_.is_spent()) {
      const auto [set, from] = todo.back();
      todo.pop_back();
      fill(*set, from, {});
    }
  }

  const RuleMachines& machines_;
  GrammarBudget& budget_;
  RuleMachines out_;
  std::vector<Rules> first_;
  std::map<std::uint32_t, std::optional<Dfa>> dfas_;                         // of terminals
  std::map<std::pair<std::uint32_t, bool>, std::optional<Dfa>> beginnings_;  // of lazy ones
  std::map<std::pair<std::uint32_t, Rules>, std::uint32_t> ids_;
  std::vector<Todo> todo_;
};

}  // namespace

Dfa shortest_texts(const Dfa& dfa) {
  // The start is left for a copy of it, at which texts may end.
  Dfa out = dfa;
  const auto again = static_cast<std::uint32_t>(out.states.size());
  out.states.push_back(dfa.states[0]);
  for (std::uint32_t id = 0; id <= again; ++id) {
    Dfa::State& state = out.states[id];
    if (state.accepts && id != 0) state.edges.clear();
    for (Dfa::Edge& edge : state.edges) {
      if (edge.target == 0) edge.target = again;
    }
  }
  out.trim();
  return out;
}

bool has_lazy_terminals(const RuleMachines& machines) {
  return std::ranges::any_of(machines.rules, &RuleMachines::Rule::is_lazy);
}

std::optional<RuleMachines> end_beside_lazy(const RuleMachines& machines, std::uint32_t start,
                                            GrammarBudget& budget) {
  return LazyEnds(machines, budget).write(start);
}

}  // namespace pleiad::constrain::grammars
