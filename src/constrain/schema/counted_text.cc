#include "constrain/schema/counted_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace pleiad::constrain {
namespace {

constexpr std::uint32_t kFar = kUnbounded;

struct TextPlaces {
  std::vector<std::uint32_t> to_end;  // characters to where it may end, at least
  std::vector<bool> is_endless;       // texts of any length go on from it
  std::vector<bool> is_behind_loop;   // it may be reached by texts of any length
  std::uint32_t n_before_loops = 0;   // characters before such a place, at most
};

using Sources = std::vector<std::vector<std::pair<std::uint32_t, bool>>>;  // with whether it counts

/// Character by character backwards. What is within a character comes before those behind it.
void find_ends(const Dfa& dfa, const Sources& sources, TextPlaces& places) {
  std::vector<std::uint32_t> here, next;
  places.to_end.assign(dfa.states.size(), kFar);
  for (std::uint32_t i = 0; i < dfa.states.size(); ++i) {
    if (dfa.states[i].accepts) here.push_back(i);
  }
  for (std::uint32_t n = 0; !here.empty(); ++n, here = std::exchange(next, {})) {
    for (std::size_t i = 0; i < here.size(); ++i) {
      const std::uint32_t state = here[i];
      if (places.to_end[state] <= n) continue;
      places.to_end[state] = n;
      for (const auto& [source, counts] : sources[state]) (counts ? next : here).push_back(source);
    }
  }
}

/// Takes away what nothing leads to, again and again: what is left is on a loop or behind one.
/// `order`: in which it was taken.
std::vector<bool> left_of(std::size_t n, const std::vector<std::vector<std::uint32_t>>& targets,
                          std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> n_into(n, 0);
  for (const auto& of_state : targets) {
    for (const std::uint32_t target : of_state) ++n_into[target];
  }
  std::vector<bool> left(n, true);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (n_into[i] == 0) order.push_back(i);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    left[order[i]] = false;
    for (const std::uint32_t target : targets[order[i]]) {
      if (--n_into[target] == 0) order.push_back(target);
    }
  }
  return left;
}

/// Without the states that lead nowhere, as Dfa::trim() leaves them, and without the ways to them.
Dfa without_trimmed(const Dfa& dfa) {
  constexpr std::uint32_t kTrimmed = UINT32_MAX;
  std::vector<std::uint32_t> ids(dfa.states.size(), kTrimmed);
  Dfa out;
  for (std::size_t i = 0; i < dfa.states.size(); ++i) {
    if (i > 0 && dfa.states[i].edges.empty() && !dfa.states[i].accepts) continue;
    ids[i] = static_cast<std::uint32_t>(out.states.size());
    out.states.push_back(dfa.states[i]);
  }
  for (Dfa::State& state : out.states) {
    for (Dfa::Edge& edge : state.edges) edge.target = ids[edge.target];
    std::erase_if(state.edges, [](const Dfa::Edge& edge) { return edge.target == kTrimmed; });
  }
  return out;
}

TextPlaces places_of(const Dfa& dfa) {
  const std::size_t n = dfa.states.size();
  TextPlaces places;
  Sources sources(n);
  std::vector<std::vector<std::uint32_t>> forward(n), backward(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (const Dfa::Edge& edge : dfa.states[i].edges) {
      sources[edge.target].push_back({i, edge.counts});
      forward[i].push_back(edge.target);
      backward[edge.target].push_back(i);
    }
  }
  find_ends(dfa, sources, places);
  std::vector<std::uint32_t> order, other_order;
  places.is_behind_loop = left_of(n, forward, order);
  places.is_endless = left_of(n, backward, other_order);
  std::vector<std::uint32_t> depth(n, 0);
  for (const std::uint32_t state : order) {
    for (const Dfa::Edge& edge : dfa.states[state].edges) {
      const std::uint32_t behind = depth[state] + (edge.counts ? 1 : 0);
      depth[edge.target] = std::max(depth[edge.target], behind);
      places.n_before_loops = std::max(places.n_before_loops, behind);
    }
  }
  return places;
}

/// Adds the ends of up to so many characters, and a way there from each place behind `begins`.
void add_ends(const Dfa& dfa, const TextPlaces& places, const std::vector<bool>& begins,
              std::uint32_t n_last, Dfa& out) {
  struct Rest {
    std::uint32_t state = 0;
    std::uint32_t left = 0;

    auto operator<=>(const Rest&) const = default;
  };
  std::map<Rest, std::uint32_t> ids;
  std::vector<Rest> found;
  const auto add_edges = [&](std::size_t from, const Rest& at) {
    for (const Dfa::Edge& edge : dfa.states[at.state].edges) {
      if (edge.counts && at.left == 0) continue;
      const Rest next{edge.target, at.left - (edge.counts ? 1 : 0)};
      if (places.to_end[next.state] > next.left) continue;
      const auto [known, is_new] =
          ids.try_emplace(next, static_cast<std::uint32_t>(out.states.size()));
      if (is_new) {
        found.push_back(next);
        out.states.push_back({.edges = {}, .accepts = dfa.states[next.state].accepts});
      }
      out.states[from].edges.push_back({edge.first, edge.last, known->second, false});
    }
  };
  for (std::uint32_t i = 0; i < dfa.states.size(); ++i) {
    const bool is_between = std::ranges::any_of(dfa.states[i].edges, &Dfa::Edge::counts);
    if (begins[i] && is_between) add_edges(i, {i, n_last});
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Rest at = found[i];
    add_edges(ids.at(at), at);
  }
}

}  // namespace

std::optional<Dfa> counted_text(SchemaContext& context, const Dfa& text, Counter& length,
                                std::size_t max_states) {
  if (text.states.empty() || !context.spend(4 * text.states.size())) return std::nullopt;
  const Dfa dfa = without_trimmed(text);
  const std::size_t n = dfa.states.size();
  const TextPlaces places = places_of(dfa);
  if (places.to_end[0] == kFar) return std::nullopt;  // there is no text at all
  const bool has_loops =
      std::ranges::find(places.is_behind_loop, true) != places.is_behind_loop.end();
  // Bounds that the shortest text keeps, and the longest one, ask for nothing.
  if (length.need <= places.to_end[0]) length.need = 0;
  if (!has_loops && length.room >= places.n_before_loops) length.room = kUnbounded;
  const bool is_endless = std::ranges::find(places.is_endless, false) == places.is_endless.end();
  if (length.need > 0 && !is_endless) return std::nullopt;
  if (length.room == kUnbounded) return dfa;
  // Where the text may end is never further than this, at places whose distance from the beginning
  // is not bounded, and if need be at all.
  std::uint32_t n_last = 0;
  std::uint32_t n_last_anywhere = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (places.to_end[i] == kFar) return std::nullopt;
    n_last_anywhere = std::max(n_last_anywhere, places.to_end[i]);
    if (places.is_behind_loop[i]) n_last = std::max(n_last, places.to_end[i]);
  }
  std::vector<bool> begins = places.is_behind_loop;
  if (!has_loops || std::uint64_t{places.n_before_loops} + n_last > length.room) {
    n_last = n_last_anywhere;
    begins.assign(n, true);
  }
  if (n_last > length.room || length.need > length.room - n_last) return std::nullopt;
  if (n * (std::size_t{n_last} + 2) > max_states) return std::nullopt;
  if (!context.spend(n * (std::size_t{n_last} + 1))) return std::nullopt;
  Dfa out = dfa;
  if (n_last > 0) add_ends(dfa, places, begins, n_last, out);
  length.room -= n_last;
  return out;
}

}  // namespace pleiad::constrain
