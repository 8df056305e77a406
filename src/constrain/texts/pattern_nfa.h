#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "constrain/syntax.h"
#include "constrain/texts/pattern_tree.h"

namespace pleiad::constrain {

/// Which part of a text a pattern describes.
enum class PatternSpan : std::uint8_t {
  whole,
  anywhere,
  begin,  // of what follows: the rest of it is not read
};

/// What a pattern looks for, with several ways on per symbol.
struct PatternNfa {
  struct Edge {
    Symbol first = 0;
    Symbol last = 0;
    std::uint32_t target = 0;
  };
  /// A way on that reads nothing, where the condition holds.
  struct Check {
    const PatternNode* condition = nullptr;  // of the tree that the automaton was made of
    std::uint32_t target = 0;
  };
  struct State {
    std::vector<Edge> edges = {};
    std::vector<std::uint32_t> jumps = {};
    std::vector<Check> checks = {};
    bool between = true;  // characters, not inside one
  };

  std::vector<State> states;  // [0] is the start
  std::uint32_t final = 0;    // where it is found, if nothing follows
  /// Where it is found whatever follows.
  std::optional<std::uint32_t> found;
  /// Whether it matters behind the start what stands before: nothing, or a word's character.
  bool asks_begin = false;
  bool asks_word = false;
};

/// Fails where that is too large, or takes more than `work`, from which its cost is subtracted. The
/// tree has to outlive it.
Result<PatternNfa> make_pattern_nfa(Syntax syntax, const PatternNode& pattern, PatternSpan span,
                                    std::size_t& work);

}  // namespace pleiad::constrain
