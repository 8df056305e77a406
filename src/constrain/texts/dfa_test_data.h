#pragma once

#include <optional>
#include <string_view>

#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// Whether the automaton accepts the bytes.
inline bool accepts(const Dfa& dfa, std::string_view text) {
  std::uint32_t at = 0;
  for (const char c : text) {
    std::optional<std::uint32_t> next;
    for (const Dfa::Edge& edge : dfa.states[at].edges) {
      if (edge.first <= symbol_of(c) && symbol_of(c) <= edge.last) next = edge.target;
    }
    if (!next) return false;
    at = *next;
  }
  return dfa.states[at].accepts;
}

}  // namespace pleiad::constrain
