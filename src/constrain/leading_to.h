#pragma once

#include <cstdint>
#include <vector>

namespace pleiad::constrain {

/// Of each state whether it is one of `states` or leads to one. `before`: of each state those that
/// lead to it at once.
inline std::vector<bool> leading_to(std::vector<std::uint32_t> states,
                                    const std::vector<std::vector<std::uint32_t>>& before) {
  std::vector<bool> out(before.size(), false);
  for (const std::uint32_t state : states) out[state] = true;
  while (!states.empty()) {
    const std::uint32_t state = states.back();
    states.pop_back();
    for (const std::uint32_t from : before[state]) {
      if (out[from]) continue;
      out[from] = true;
      states.push_back(from);
    }
  }
  return out;
}

}  // namespace pleiad::constrain
