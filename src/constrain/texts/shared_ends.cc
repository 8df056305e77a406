#include "constrain/texts/shared_ends.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "constrain/mix_hash.h"

namespace pleiad::constrain {
namespace {

/// The same edges in order, those in one that lead to one state from neighbouring symbols.
void join_edges(std::vector<Dfa::Edge>& edges) {
  std::ranges::sort(edges, {}, &Dfa::Edge::first);
  std::size_t n = 0;
  for (const Dfa::Edge& edge : edges) {
    Dfa::Edge* last = n == 0 ? nullptr : &edges[n - 1];
    const bool goes_on = last && last->target == edge.target && last->counts == edge.counts &&
                         last->last + 1U == edge.first;
    if (goes_on) {
      last->last = edge.last;
    } else {
      edges[n++] = edge;
    }
  }
  edges.resize(n);
}

std::uint64_t hash_of_ways(const Dfa::State& state) {
  std::uint64_t hash = state.accepts ? 1 : 0;
  for (const Dfa::Edge& edge : state.edges) {
    hash = mix_hash(hash, std::uint64_t{edge.first} << 32 | edge.last);
    hash = mix_hash(hash, std::uint64_t{edge.target} << 1 | (edge.counts ? 1 : 0));
  }
  return hash;
}

bool has_same_ways(const Dfa::State& state, const Dfa::State& other) {
  return state.accepts == other.accepts &&
         std::ranges::equal(state.edges, other.edges, [](const Dfa::Edge& a, const Dfa::Edge& b) {
           return a.first == b.first && a.last == b.last && a.target == b.target &&
                  a.counts == b.counts;
         });
}

/// Those that are reached, from the first one on.
Dfa only_reached(const Dfa& dfa) {
  constexpr std::uint32_t kUnseen = UINT32_MAX;
  std::vector<std::uint32_t> ids(dfa.states.size(), kUnseen);
  std::vector<std::uint32_t> order = {0};
  ids[0] = 0;
  Dfa out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Dfa::State state = dfa.states[order[i]];
    for (Dfa::Edge& edge : state.edges) {
      if (ids[edge.target] == kUnseen) {
        ids[edge.target] = static_cast<std::uint32_t>(order.size());
        order.push_back(edge.target);
      }
      edge.target = ids[edge.target];
    }
    out.states.push_back(std::move(state));
  }
  return out;
}

/// The states, those that are on loops together in one part, and parts behind those that they lead
/// to (Tarjan's strongly connected components).
class LoopParts {
 public:
  explicit LoopParts(const Dfa& dfa) : dfa_(dfa), numbers_(dfa.states.size()), low_(numbers_) {
    visit(0);
  }

  const std::vector<std::vector<std::uint32_t>>& parts() const { return parts_; }

 private:
  static constexpr std::uint32_t kClosed = UINT32_MAX;

  struct Visit {
    std::uint32_t state;
    std::size_t n_edges = 0;  // that were followed
  };

  void enter(std::uint32_t state) {
    numbers_[state] = low_[state] = ++n_seen_;
    open_.push_back(state);
    visits_.push_back({state});
  }

  void visit(std::uint32_t start) {
    enter(start);
    while (!visits_.empty()) {
      Visit& at = visits_.back();
      const std::uint32_t state = at.state;
      const std::vector<Dfa::Edge>& edges = dfa_.states[state].edges;
      if (at.n_edges < edges.size()) {
        const std::uint32_t target = edges[at.n_edges++].target;
        if (numbers_[target] == 0) {
          enter(target);
        } else {
          low_[state] = std::min(low_[state], numbers_[target]);
        }
        continue;
      }
      visits_.pop_back();
      if (low_[state] == numbers_[state]) close(state);
      if (!visits_.empty()) {
        std::uint32_t& before = low_[visits_.back().state];
        before = std::min(before, low_[state]);
      }
    }
  }

  /// All that was opened behind a state is of its part.
  void close(std::uint32_t state) {
    std::vector<std::uint32_t>& part = parts_.emplace_back();
    do {
      part.push_back(open_.back());
      numbers_[open_.back()] = low_[open_.back()] = kClosed;
      open_.pop_back();
    } while (part.back() != state);
  }

  const Dfa& dfa_;
  std::uint32_t n_seen_ = 0;
  std::vector<std::uint32_t> numbers_;  // in which order they were seen; 0: not yet
  std::vector<std::uint32_t> low_;      // the lowest number that they lead back to
  std::vector<std::uint32_t> open_;
  std::vector<Visit> visits_;
  std::vector<std::vector<std::uint32_t>> parts_;
};

}  // namespace

Dfa with_shared_ends(const Dfa& dfa) {
  constexpr std::uint32_t kItself = UINT32_MAX;
  std::vector<std::uint32_t> instead(dfa.states.size());  // of a state the one that stands for it
  for (std::uint32_t i = 0; i < instead.size(); ++i) instead[i] = i;
  Dfa out = dfa;
  std::unordered_multimap<std::uint64_t, std::uint32_t> known;
  const auto point_at_those_instead = [&](std::uint32_t state, bool names_itself) {
    for (Dfa::Edge& edge : out.states[state].edges) {
      edge.target = names_itself && edge.target == state ? kItself : instead[edge.target];
    }
    join_edges(out.states[state].edges);
  };
  const LoopParts loops(dfa);
  for (const std::vector<std::uint32_t>& part : loops.parts()) {
    if (part.size() > 1) continue;
    const std::uint32_t state = part.front();
    point_at_those_instead(state, true);
    const std::uint64_t hash = hash_of_ways(out.states[state]);
    const auto [first, last] = known.equal_range(hash);
    const auto found = std::find_if(first, last, [&](const auto& other) {
      return has_same_ways(out.states[state], out.states[other.second]);
    });
    if (found == last) known.emplace(hash, state);
    if (found != last) instead[state] = found->second;
  }
  for (const std::vector<std::uint32_t>& part : loops.parts()) {
    for (const std::uint32_t state : part) {
      if (part.size() > 1) point_at_those_instead(state, false);
      for (Dfa::Edge& edge : out.states[state].edges) {
        if (edge.target == kItself) edge.target = state;
      }
    }
  }
  return only_reached(out);
}

}  // namespace pleiad::constrain
