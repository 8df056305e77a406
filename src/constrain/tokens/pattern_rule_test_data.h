#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

#include "constrain/automaton.h"
#include "constrain/texts/dfa.h"
#include "constrain/texts/pattern.h"

namespace pleiad::constrain {

/// A rule that reads what a pattern finds something in, and a quote behind it.
struct PatternRule {
  explicit PatternRule(std::string_view pattern) {
    std::size_t work = kPatternWork;
    const Result<Dfa> dfa = pattern_dfa(Syntax::call, pattern, {}, work);
    EXPECT_TRUE(dfa) << dfa.message();
    const StateId end = automaton.add_state();
    automaton.set_final(end);
    start = add_dfa(automaton, dfa.value(), quote(Syntax::call), end);
    EXPECT_TRUE(automaton.finish(start));
  }

  Automaton automaton;
  StateId start = 0;
};

}  // namespace pleiad::constrain
