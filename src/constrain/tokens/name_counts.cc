#include "constrain/tokens/name_counts.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace pleiad::constrain {
namespace {

constexpr std::uint32_t kAnyNames = std::numeric_limits<std::uint32_t>::max();

/// The names that begin at a place, and their states.
class NameCounter {
 public:
  NameCounter(const Automaton& automaton, StateId place) : automaton_(automaton), place_(place) {
    find_states();
    find_leading();
  }

  /// How many there are: exactly, or `enough` or more. Nothing is left of `steps` where it takes
  /// more than these, and then there are none.
  std::uint32_t count(std::uint32_t enough, std::uint64_t& steps) const {
    if (leading_.empty()) return 0;
    if (is_endless()) return kAnyNames;
    // Begins of names, none of which is the begin of another: each stands for one at least.
    std::deque<std::set<StateId>> begins = {{place_}};
    std::uint32_t n_whole = 0;
    while (!begins.empty() && n_whole + begins.size() < enough) {
      const std::set<StateId> at = std::move(begins.front());
      begins.pop_front();
      std::map<Symbol, std::set<StateId>> next;
      bool is_whole = false;
      for (const StateId state : at) {
        for (const Edge& edge : edges_of(state)) {
          if (edge.name == NamePart::end) is_whole = is_whole || is_shallow(edge);
          if (!is_inside(edge)) continue;
          for (std::size_t symbol = edge.first; symbol <= edge.last; ++symbol) {
            if (steps == 0) return 0;
            --steps;
            next[static_cast<Symbol>(symbol)].insert(edge.target);
          }
        }
      }
      if (is_whole) ++n_whole;
      for (auto& [symbol, states] : next) begins.push_back(std::move(states));
    }
    return n_whole + static_cast<std::uint32_t>(begins.size());
  }

 private:
  std::vector<Edge> edges_of(StateId state) const {
    const auto own = automaton_.edges(state);
    std::vector<Edge> edges(own.begin(), own.end());
    if (state != place_) return edges;
    for (const StateId jump : automaton_.jumps(state)) {  // in calls
      const auto more = automaton_.edges(jump);
      edges.insert(edges.end(), more.begin(), more.end());
    }
    return edges;
  }

  bool is_shallow(const Edge& end) const { return automaton_.height(end.target) == shallowest_; }
  bool is_inside(const Edge& edge) const {
    const bool is_part = edge.name == NamePart::of_few || edge.name == NamePart::of_many;
    return is_part && leading_.contains(edge.target);
  }

  /// All of them, in the order in which they are found, and the height of the shallowest value.
  void find_states() {
    std::set<StateId> seen = {place_};
    states_ = {place_};
    for (std::size_t i = 0; i < states_.size(); ++i) {
      for (const Edge& edge : edges_of(states_[i])) {
        if (edge.name == NamePart::end) {
          shallowest_ = std::min(shallowest_, automaton_.height(edge.target));
        } else if (edge.name != NamePart::none && seen.insert(edge.target).second) {
          states_.push_back(edge.target);
        }
      }
    }
  }

  /// Those that lead to the end of a name that counts.
  void find_leading() {
    if (shallowest_ >= Automaton::kNever) return;
    std::unordered_map<StateId, std::vector<StateId>> before;
    std::vector<StateId> todo;
    const auto add = [&](StateId state) {
      if (leading_.insert(state).second) todo.push_back(state);
    };
    for (const StateId state : states_) {
      for (const Edge& edge : edges_of(state)) {
        if (edge.name == NamePart::end && is_shallow(edge)) add(state);
        if (edge.name == NamePart::of_few || edge.name == NamePart::of_many) {
          before[edge.target].push_back(state);
        }
      }
    }
    while (!todo.empty()) {
      const StateId state = todo.back();
      todo.pop_back();
      for (const StateId from : before[state]) add(from);
    }
  }

  /// Whether one of these leads back to itself.
  bool is_endless() const {
    std::unordered_map<StateId, std::size_t> n_left;
    std::unordered_map<StateId, std::vector<StateId>> before;
    std::vector<StateId> todo;
    for (const StateId state : leading_) {
      for (const Edge& edge : edges_of(state)) {
        if (!is_inside(edge)) continue;
        ++n_left[state];
        before[edge.target].push_back(state);
      }
      if (n_left[state] == 0) todo.push_back(state);
    }
    std::size_t n_taken = 0;
    while (!todo.empty()) {
      const StateId state = todo.back();
      todo.pop_back();
      ++n_taken;
      for (const StateId from : before[state]) {
        if (--n_left[from] == 0) todo.push_back(from);
      }
    }
    return n_taken < leading_.size();
  }

  const Automaton& automaton_;
  StateId place_;
  std::vector<StateId> states_;
  std::set<StateId> leading_;
  std::uint32_t shallowest_ = Automaton::kNever;
};

}  // namespace

bool limit_to_free_names(Automaton& automaton, std::uint64_t& steps) {
  if (automaton.free_names().empty()) return false;
  std::unordered_map<StateId, std::uint32_t> needed;  // the most at each place
  for (const FreeNames& names : automaton.free_names()) needed.emplace(names.place, 0);
  for (StateId state = 0; state < automaton.n_states(); ++state) {
    for (const Call& call : automaton.calls(state)) {
      if (call.rule.counter.need == 0) continue;
      const auto place = needed.find(call.rule.start);
      if (place == needed.end()) continue;
      place->second = std::max(place->second, call.rule.counter.need + 1);
    }
  }
  std::vector<std::uint32_t> n_names;
  for (const FreeNames& names : automaton.free_names()) {
    const std::uint32_t enough = needed[names.place];
    n_names.push_back(enough < 2 ? kAnyNames
                                 : NameCounter(automaton, names.place).count(enough, steps));
  }
  return automaton.limit_free_names(n_names);
}

}  // namespace pleiad::constrain
