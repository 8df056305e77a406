#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "constrain/syntax.h"
#include "constrain/texts/characters.h"

namespace pleiad::constrain {

/// The ways to spell one character of a set, as an automaton: what goes on alike is one node, so
/// that the letters of all scripts take some hundred.
struct SpellingTree {
  static constexpr std::uint32_t kWhole = UINT32_MAX;  // behind the character

  struct Edge {
    Symbol first = 0;
    Symbol last = 0;
    std::uint32_t target = 0;  // a node, or kWhole

    auto operator<=>(const Edge&) const = default;
  };
  using Node = std::vector<Edge>;

  std::vector<Node> nodes;  // each after those that it leads to; the last one is where it begins
};

SpellingTree spelling_tree(Syntax syntax, const std::vector<CodeRange>& characters);

}  // namespace pleiad::constrain
