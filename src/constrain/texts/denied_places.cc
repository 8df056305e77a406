#include "constrain/texts/denied_places.h"

#include <algorithm>
#include <utility>

#include "constrain/leading_to.h"

namespace pleiad::constrain {

DeniedPlaces::DeniedPlaces(const Dfa& dfa, const Dfa& denied, std::size_t most)
    : dfa_(dfa), denied_(denied) {
  id_of({0, 0});
  std::vector<std::uint32_t> ending;
  for (std::uint32_t id = 0; id < pairs_.size(); ++id) {
    if (pairs_.size() > most) {
      is_known_ = false;
      return;
    }
    const auto [state, place] = pairs_[id];
    const bool ends_here = dfa_.states[state].accepts && !denied_.states[place].accepts;
    if (follow(id) || ends_here) ending.push_back(id);
  }
  may_end_ = leading_to(std::move(ending), before_);
}

std::uint32_t DeniedPlaces::id_of(const Pair& pair) {
  const auto [known, is_new] =
      ids_.try_emplace(key_of(pair), static_cast<std::uint32_t>(pairs_.size()));
  if (is_new) {
    pairs_.push_back(pair);
    before_.emplace_back();
  }
  return known->second;
}

bool DeniedPlaces::follow(std::uint32_t id) {
  const auto [state, place] = pairs_[id];
  bool leaves = false;
  for (const Dfa::Edge& edge : dfa_.states[state].edges) {
    std::size_t n_left = edge.last - edge.first + std::size_t{1};
    for (const Dfa::Edge& other : denied_.states[place].edges) {
      const std::size_t first = std::max(edge.first, other.first);
      const std::size_t end = std::min(edge.last, other.last) + std::size_t{1};
      if (first >= end) continue;
      n_left -= end - first;
      before_[id_of({edge.target, other.target})].push_back(id);
    }
    leaves = leaves || n_left > 0;
  }
  return leaves;
}

bool DeniedPlaces::may_end(std::uint32_t state, std::uint32_t place) const {
  if (!is_known_) return true;
  const auto known = ids_.find(key_of({state, place}));
  return known == ids_.end() || may_end_[known->second];
}

}  // namespace pleiad::constrain
