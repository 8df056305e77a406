#include "constrain/grammars/left_corners.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pleiad::constrain::grammars {
namespace {

/// Strongly connected parts of a graph, those that others lead to first (Tarjan, without
/// recursion).
class ConnectedParts {
 public:
  explicit ConnectedParts(const std::vector<std::vector<std::uint32_t>>& next) : next_(next) {
    const std::size_t n = next.size();
    index_.assign(n, kUnseen);
    low_.assign(n, 0);
    is_open_.assign(n, false);
    for (std::uint32_t node = 0; node < n; ++node) {
      if (index_[node] == kUnseen) visit(node);
    }
  }

  std::vector<std::vector<std::uint32_t>> parts;

 private:
  static constexpr std::uint32_t kUnseen = UINT32_MAX;

  void open(std::uint32_t node) {
    index_[node] = low_[node] = count_++;
    is_open_[node] = true;
    open_.push_back(node);
    path_.emplace_back(node, 0);
  }

  void visit(std::uint32_t root) {
    open(root);
    while (!path_.empty()) {
      const std::uint32_t node = path_.back().first;
      if (path_.back().second < next_[node].size()) {
        const std::uint32_t to = next_[node][path_.back().second++];
        if (index_[to] == kUnseen) {
          open(to);
        } else if (is_open_[to]) {
          low_[node] = std::min(low_[node], index_[to]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        const std::uint32_t parent = path_.back().first;
        low_[parent] = std::min(low_[parent], low_[node]);
      }
      if (low_[node] == index_[node]) close(node);
    }
  }

  void close(std::uint32_t node) {
    parts.emplace_back();
    std::uint32_t last = 0;
    do {
      last = open_.back();
      open_.pop_back();
      is_open_[last] = false;
      parts.back().push_back(last);
    } while (last != node);
  }

  const std::vector<std::vector<std::uint32_t>>& next_;
  std::vector<std::uint32_t> index_, low_;
  std::vector<bool> is_open_;
  std::vector<std::uint32_t> open_;
  std::vector<std::pair<std::uint32_t, std::size_t>> path_;  // a node, and what is next of it
  std::uint32_t count_ = 0;
};

}  // namespace

std::vector<std::uint32_t> with_jumps(const RuleMachines& machines,
                                      std::vector<std::uint32_t> states, GrammarBudget& budget) {
  std::ranges::sort(states);
  states.erase(std::unique(states.begin(), states.end()), states.end());
  std::vector<std::uint32_t> todo = states;
  std::vector<std::uint32_t> found = states;
  while (!todo.empty()) {
    std::vector<std::uint32_t> reached;
    for (const std::uint32_t state : todo) {
      const auto& jumps = machines.states[state].jumps;
      if (!budget.spend(jumps.size() + 1)) return found;
      reached.insert(reached.end(), jumps.begin(), jumps.end());
    }
    std::ranges::sort(reached);
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    todo.clear();
    std::ranges::set_difference(reached, found, std::back_inserter(todo));
    if (!budget.spend(found.size())) return found;
    std::vector<std::uint32_t> all;
    all.reserve(found.size() + todo.size());
    std::ranges::merge(found, todo, std::back_inserter(all));
    found = std::move(all);
  }
  return found;
}

LeftCorners find_left_corners(const RuleMachines& machines, GrammarBudget& budget) {
  const std::size_t n_rules = machines.rules.size();
  LeftCorners out;
  out.loop_of.assign(n_rules, LeftCorners::kNone);
  out.backs.resize(n_rules);
  out.ranks.assign(n_rules, 0);
  std::vector<std::vector<RuleMachines::Call>> calls(n_rules);  // before anything is read
  std::vector<std::vector<std::uint32_t>> next(n_rules);
  for (std::uint32_t rule = 0; rule < n_rules; ++rule) {
    if (!machines.is_used[rule]) continue;
    for (const std::uint32_t state : with_jumps(machines, {machines.rules[rule].start}, budget)) {
      for (const RuleMachines::Call& call : machines.states[state].calls) {
        budget.spend(1);
        calls[rule].push_back(call);
        next[rule].push_back(call.rule);
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> parts = ConnectedParts(next).parts;
  std::uint32_t n_left = static_cast<std::uint32_t>(parts.size());
  for (std::vector<std::uint32_t>& part : parts) {
    --n_left;  // what is found first begins with none that comes later
    for (const std::uint32_t rule : part) out.ranks[rule] = n_left;
    const std::uint32_t first = part.front();
    const bool is_loop =
        part.size() > 1 || std::ranges::find(next[first], first) != next[first].end();
    if (!is_loop) continue;
    const auto loop = static_cast<std::uint32_t>(out.loops.size());
    for (const std::uint32_t rule : part) out.loop_of[rule] = loop;
    out.loops.push_back(std::move(part));
  }
  for (std::uint32_t rule = 0; rule < n_rules; ++rule) {
    const std::uint32_t loop = out.loop_of[rule];
    if (loop == LeftCorners::kNone) continue;
    for (const RuleMachines::Call& call : calls[rule]) {
      if (out.loop_of[call.rule] == loop) out.backs[call.rule].push_back(call.back);
    }
  }
  return out;
}

}  // namespace pleiad::constrain::grammars
