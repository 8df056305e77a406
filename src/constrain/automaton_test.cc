#include "constrain/automaton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace pleiad::constrain {
namespace {

constexpr StateId kMany = 190'000;

// Whoever goes over all states again until nothing changes takes minutes: each round tells one
// more.
TEST(Automaton, FindsWhatLeadsToTheEndInWhateverOrderStatesWereMade) {
  for (const bool backwards : {false, true}) {
    Automaton automaton;
    std::vector<StateId> states;
    for (StateId i = 0; i < kMany; ++i) states.push_back(automaton.add_state());
    if (backwards) std::reverse(states.begin(), states.end());
    for (StateId i = 0; i + 1 < kMany; ++i) automaton.add_edge(states[i], 'a', states[i + 1]);
    automaton.set_final(states.back());
    ASSERT_TRUE(automaton.finish(states.front()).ok());
    EXPECT_EQ(automaton.height(states.front()), 0U);
  }
}

TEST(Automaton, FindsWhatMayBeEmptyInWhateverOrderStatesWereMade) {
  for (const bool backwards : {false, true}) {
    Automaton automaton;
    const StateId start = automaton.add_state();
    std::vector<StateId> states;
    for (StateId i = 0; i < kMany; ++i) states.push_back(automaton.add_state());
    if (backwards) std::reverse(states.begin(), states.end());
    for (StateId i = 0; i + 1 < kMany; ++i) automaton.add_jump(states[i], states[i + 1]);
    automaton.set_final(states.back());
    // Empty, and then itself again.
    automaton.add_call(start, {states.front()}, start);
    EXPECT_FALSE(automaton.finish(start).ok());
  }
}

TEST(Automaton, TellsTheDepthOfTheShortestWay) {
  Automaton automaton;
  const StateId end = automaton.add_state();
  automaton.set_final(end);
  const StateId inner = automaton.add_state();
  automaton.add_edge(inner, 'a', end);
  const StateId behind = automaton.add_state();
  automaton.add_edge(behind, 'b', end);
  const StateId outer = automaton.add_state();
  automaton.add_call(outer, {inner}, behind);
  const StateId either = automaton.add_state();
  automaton.add_jump(either, outer);
  automaton.add_edge(either, 'c', inner);
  const StateId never = automaton.add_state();
  automaton.add_edge(never, 'd', never);
  ASSERT_TRUE(automaton.finish(either).ok());
  EXPECT_EQ(automaton.height(inner), 0U);
  EXPECT_EQ(automaton.height(outer), 1U);
  EXPECT_EQ(automaton.height(either), 0U);
  EXPECT_EQ(automaton.height(never), Automaton::kNever);
  automaton.add_choice(never, {inner});
  ASSERT_TRUE(automaton.finish(either).ok());
  EXPECT_EQ(automaton.height(never), 0U);
}

}  // namespace
}  // namespace pleiad::constrain
