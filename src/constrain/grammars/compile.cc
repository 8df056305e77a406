#include "constrain/grammars/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text_format.h"
#include "constrain/grammars/cost_failure.h"
#include "constrain/grammars/lazy_terminals.h"
#include "constrain/grammars/left_corners.h"
#include "constrain/grammars/machine_dfas.h"
#include "constrain/grammars/rule_machines.h"

namespace pleiad::constrain::grammars {
namespace {

using Machines = RuleMachines;

/// Which states come to the end of their rule; by reading nothing, or by whatever it takes.
std::vector<bool> coming_to_end(const Machines& machines, bool by_nothing) {
  struct User {
    std::uint32_t state;
    const Machines::Call* call;  // null: a jump or an edge leads there
  };
  std::vector<std::vector<User>> users(machines.states.size());
  for (std::uint32_t id = 0; id < machines.states.size(); ++id) {
    const Machines::State& state = machines.states[id];
    for (const std::uint32_t jump : state.jumps) users[jump].push_back({id, nullptr});
    for (const Machines::Edge& edge : state.edges) {
      if (!by_nothing) users[edge.target].push_back({id, nullptr});
    }
    for (const Machines::Call& call : state.calls) {
      users[call.back].push_back({id, &call});
      users[machines.rules[call.rule].start].push_back({id, &call});
    }
  }
  std::vector<bool> comes(machines.states.size(), false);
  std::vector<std::uint32_t> todo;
  const auto add = [&](std::uint32_t id) {
    if (comes[id]) return;
    comes[id] = true;
    todo.push_back(id);
  };
  for (std::size_t rule = 0; rule < machines.rules.size(); ++rule) {
    if (machines.is_used[rule]) add(machines.rules[rule].end);
  }
  while (!todo.empty()) {
    const std::uint32_t id = todo.back();
    todo.pop_back();
    for (const User& user : users[id]) {
      const Machines::Call* call = user.call;
      if (!call || (comes[call->back] && comes[machines.rules[call->rule].start])) {
        add(user.state);
      }
    }
  }
  return comes;
}

/// Takes out what leads to no end.
void take_out_dead(Machines& machines, const std::vector<bool>& ends) {
  for (Machines::State& state : machines.states) {
    std::erase_if(state.edges, [&](const Machines::Edge& edge) { return !ends[edge.target]; });
    std::erase_if(state.jumps, [&](std::uint32_t jump) { return !ends[jump]; });
    std::erase_if(state.calls, [&](const Machines::Call& call) {
      return !ends[call.back] || !ends[machines.rules[call.rule].start];
    });
  }
}

/// Lets calls of rules that may be empty be jumped over.
void jump_over_empty(Machines& machines, const std::vector<bool>& empty) {
  for (Machines::State& state : machines.states) {
    for (const Machines::Call& call : state.calls) {
      if (empty[machines.rules[call.rule].start]) state.jumps.push_back(call.back);
    }
  }
}

/// Makes the machine of one rule: its states are sets of states of the grammar's machines.
///
/// Where rules begin with each other, a rule's texts are begun by what each of them can begin
/// with otherwise, and whenever one of them is whole, it goes on in all that begin with it: the
/// machine has the states of all of them, and its end is that of its own rule.
class RuleCompiler {
 public:
  RuleCompiler(const Machines& machines, const LeftCorners& corners, std::uint32_t rule,
               Network& network, GrammarBudget& budget)
      : machines_(machines), corners_(corners), rule_(rule), network_(network), budget_(budget) {
    const std::uint32_t loop = corners.loop_of[rule];
    if (loop != LeftCorners::kNone) loop_ = &corners.loops[loop];
  }

  /// False where the budget is spent, or a terminal takes too many states.
  bool compile() {
    const std::size_t first = network_.states.size();
    std::vector<std::uint32_t> starts = {machines_.rules[rule_].start};
    if (loop_) {
      starts.clear();
      for (const std::uint32_t rule : *loop_) starts.push_back(machines_.rules[rule].start);
    }
    GrammarBudget whole = budget_;
    budget_ = GrammarBudget(whole.left() / 4);
    const std::size_t given = budget_.left();
    const bool is_made = write(starts);
    whole.spend(given - budget_.left());
    budget_ = whole;
    if (is_made || machines_.rules[rule_].is_terminal) return is_made;
    apart_ = true;
    ids_.clear();
    todo_.clear();
    network_.states.resize(first);
    return write(starts);
  }

 private:
  using Set = std::vector<std::uint32_t>;
  static constexpr std::size_t kStepsOfState = 16;

  Set closed(Set set) {
    set = with_jumps(machines_, std::move(set), budget_);
    if (!loop_) return set;
    for (bool grows = true; grows && !budget_.is_spent();) {
      Set more = set;
      budget_.spend(loop_->size());
      for (const std::uint32_t rule : *loop_) {
        if (!std::ranges::binary_search(set, machines_.rules[rule].end)) continue;
        const auto& backs = corners_.backs[rule];
        more.insert(more.end(), backs.begin(), backs.end());
      }
      budget_.spend(more.size());
      more = with_jumps(machines_, std::move(more), budget_);
      grows = more.size() > set.size();
      set = std::move(more);
    }
    return set;
  }

  bool write(const Set& starts) {
    // The start reads at least one symbol, and begins with no rule of the loop.
    const Set begun = with_jumps(machines_, starts, budget_);
    const auto start = static_cast<StateId>(network_.states.size());
    network_.rules[rule_] = {start, corners_.ranks[rule_]};
    network_.states.emplace_back();
    fill(start, begun, true);
    while (!todo_.empty()) {
      if (budget_.is_spent()) return false;
      const auto [id, set] = todo_.back();
      todo_.pop_back();
      fill(id, *set, false);
    }
    return !budget_.is_spent();
  }

  StateId id_of(Set set) {
    const auto [found, is_new] =
        ids_.try_emplace(std::move(set), static_cast<StateId>(network_.states.size()));
    if (is_new) {
      budget_.spend(kStepsOfState + found->first.size());
      network_.states.emplace_back();
      todo_.emplace_back(found->second, &found->first);
    }
    return found->second;
  }

  void fill(StateId id, const Set& set, bool is_start) {
    Network::State state;
    state.is_final = !is_start && std::ranges::binary_search(set, machines_.rules[rule_].end);
    state.takes_longest = machines_.rules[rule_].is_terminal;
    std::vector<Machines::Edge> edges;
    std::vector<Machines::Edge> ended;
    std::map<std::uint32_t, Set> backs;  // of calls, by their rule
    for (const std::uint32_t from : set) {
      const Machines::State& it = machines_.states[from];
      edges.insert(edges.end(), it.edges.begin(), it.edges.end());
      ended.insert(ended.end(), it.ended.begin(), it.ended.end());
      for (const Machines::Call& call : it.calls) {
        const bool is_own = loop_ && corners_.loop_of[call.rule] == corners_.loop_of[rule_];
        if (!is_start || !is_own) backs[call.rule].push_back(call.back);
      }
    }
    for (auto& [rule, targets] : backs) {
      for (const StateId back : ids_of(std::move(targets))) state.calls.push_back({rule, back});
    }
    write_edges(edges, state);
    if (!ended.empty() && state.is_final) state.longest_as = add_longest(state, ended);
    network_.states[id] = std::move(state);
  }

  /// The state that is asked for the longest text; see RuleMachines::State::ended.
  StateId add_longest(const Network::State& state, const std::vector<Machines::Edge>& ended) {
    const auto id = static_cast<StateId>(network_.states.size());
    Network::State made;
    for (const Network::Edge& edge : state.edges) made.edges.push_back({edge.first, edge.last, id});
    for (const Machines::Edge& edge : ended) made.edges.push_back({edge.first, edge.last, id});
    budget_.spend(kStepsOfState + made.edges.size());
    network_.states.push_back(std::move(made));
    return id;
  }

  /// Of what may be read at once: one state, or where that takes too many, one for each target.
  std::vector<StateId> ids_of(Set targets) {
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    budget_.spend(targets.size());
    if (!apart_) return {id_of(closed(std::move(targets)))};
    std::vector<StateId> out;
    for (const std::uint32_t target : targets) {
      if (budget_.is_spent()) break;
      out.push_back(id_of(closed({target})));
    }
    return out;
  }

  void write_edges(const std::vector<Machines::Edge>& edges, Network::State& state) {
    for (CutEdge& edge : cut_apart(edges, budget_)) {
      for (const StateId target : ids_of(std::move(edge.targets))) {
        add_edge({edge.first, edge.last, target}, state);
      }
    }
  }

  void add_edge(Network::Edge edge, Network::State& state) const {
    if (!apart_ && !state.edges.empty()) {
      Network::Edge& last = state.edges.back();
      if (last.target == edge.target && last.last + 1 == edge.first) {
        last.last = edge.last;
        return;
      }
    }
    state.edges.push_back(edge);
  }

  const Machines& machines_;
  const LeftCorners& corners_;
  std::uint32_t rule_;
  const std::vector<std::uint32_t>* loop_ = nullptr;
  Network& network_;
  GrammarBudget& budget_;
  bool apart_ = false;
  std::map<Set, StateId> ids_;
  std::vector<std::pair<StateId, const Set*>> todo_;
};

}  // namespace

Network make_reply(CompiledGrammar grammar, Start start, const TokenTrie& trie) {
  Network network = std::move(grammar.network);
  const auto add = [&] {
    network.states.emplace_back();
    return static_cast<StateId>(network.states.size() - 1);
  };
  const StateId begin = add();
  const StateId behind = add();
  const StateId end = add();
  network.states[begin].calls.push_back({grammar.root, behind});
  if (grammar.may_be_empty) network.states[begin].edges.push_back({kEnd, kEnd, end});
  network.states[behind].edges.push_back({kEnd, kEnd, end});
  network.states[end].edges.push_back({kEnd, kEnd, end});  // as often as somebody asks
  network.start = begin;
  if (start == Start::at_once || !trie.has(text::Tag::channel_open) ||
      !trie.has(text::Tag::channel_close)) {
    return network;
  }
  const StateId thought = add();
  const Symbol quote = symbol_of(text::Tag::quote);
  const Symbol close = symbol_of(text::Tag::channel_close);
  network.states[thought].edges = {
      {0, 0xFF, thought}, {quote, quote, thought}, {close, close, begin}};
  network.start = thought;
  if (start == Start::in_thought) return network;
  network.start = add();
  Network::State either = network.states[begin];
  const Symbol open = symbol_of(text::Tag::channel_open);
  either.edges.push_back({open, open, thought});
  network.states[network.start] = std::move(either);
  return network;
}

Result<CompiledGrammar> compile(const GrammarTree& tree, GrammarBudget& budget) {
  Result<Machines> made = make_rule_machines(tree, budget);
  if (!made) return Failure{made.message()};
  Machines machines = std::move(made).value();
  CompiledGrammar out;
  out.root = tree.start;
  std::vector<bool> ends = coming_to_end(machines, false);
  const std::vector<bool> empty = coming_to_end(machines, true);
  out.may_be_empty = empty[machines.rules[out.root].start];
  take_out_dead(machines, ends);
  jump_over_empty(machines, empty);
  if (has_lazy_terminals(machines)) {
    std::optional<Machines> ended = end_beside_lazy(machines, tree.start, budget);
    if (!ended) return too_costly();
    machines = std::move(*ended);
    out.root = 0;
    ends = coming_to_end(machines, false);
    take_out_dead(machines, ends);
  }
  if (!ends[machines.rules[out.root].start]) {
    return Failure{
        fmt::format("no text fits \"{}\": each of its ways leads back to itself without end, or "
                    "to a part that is no text",
                    printable(tree.rules[tree.start].name))};
  }
  const LeftCorners corners = find_left_corners(machines, budget);
  out.network.rules.resize(machines.rules.size());
  for (std::uint32_t rule = 0; rule < machines.rules.size(); ++rule) {
    if (!machines.is_used[rule] || !ends[machines.rules[rule].start]) continue;
    if (!RuleCompiler(machines, corners, rule, out.network, budget).compile()) return too_costly();
  }
  return out;
}

}  // namespace pleiad::constrain::grammars
