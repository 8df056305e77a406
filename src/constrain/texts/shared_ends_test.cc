#include "constrain/texts/shared_ends.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "constrain/texts/dfa_test_data.h"
#include "constrain/texts/pattern.h"

namespace pleiad::constrain {
namespace {

Dfa automaton_of(std::vector<std::string> texts) {
  std::vector<Symbols> symbols;
  for (const std::string& text : texts) symbols.emplace_back(text.begin(), text.end());
  return constrain::dfa_of(symbols);
}

TEST(SharedEnds, AreOneStateEach) {
  // a, c, b or d behind them, x behind these.
  const Dfa words = automaton_of({"abx", "adx", "cbx", "cdx"});
  const Dfa shared = with_shared_ends(words);
  EXPECT_EQ(words.states.size(), 11U);
  EXPECT_EQ(shared.states.size(), 4U);
  EXPECT_EQ(texts_of(shared), texts_of(words));
  // Neighbours that lead to one state are one edge.
  const Dfa letters = with_shared_ends(automaton_of({"a", "b", "c", "e"}));
  ASSERT_EQ(letters.states.size(), 2U);
  ASSERT_EQ(letters.states[0].edges.size(), 2U);
  EXPECT_EQ(letters.states[0].edges[0].last, 'c');
}

TEST(SharedEnds, WhatDiffersStaysApart) {
  for (const std::vector<std::string>& texts : {std::vector<std::string>{"a", "ab", "cb"},
                                                {"ax", "bx", "bxx"},
                                                {"", "a", "aa"},
                                                {""},
                                                {}}) {
    const Dfa words = automaton_of(texts);
    EXPECT_EQ(texts_of(with_shared_ends(words)), texts_of(words));
  }
  Dfa counting = automaton_of({"ax", "bx"});
  for (Dfa::State& state : counting.states) {
    for (Dfa::Edge& edge : state.edges) edge.counts = edge.first == 'a';
  }
  const Dfa shared = with_shared_ends(counting);
  ASSERT_EQ(shared.states[0].edges.size(), 2U);
  EXPECT_TRUE(shared.states[0].edges[0].counts);
  EXPECT_FALSE(shared.states[0].edges[1].counts);
  EXPECT_EQ(shared.states.size(), 3U);
}

TEST(SharedEnds, LoopsGoOn) {
  // Behind a and behind b the same may follow, amid and behind loops of one state and of two.
  for (const auto& [pattern, n] :
       {std::pair{"^(?:a[xy]c|b[xy]c)z*$", 4U}, std::pair{"^(?:a[xy]c|b[xy]c)(?:z1)*$", 5U},
        std::pair{"^(?:az*|bz*)$", 2U}}) {
    std::size_t work = kPatternWork;
    const Dfa shared = pattern_dfa(Syntax::json, pattern, {}, work).value();
    EXPECT_EQ(shared.states.size(), n) << pattern;
  }
  std::size_t work = kPatternWork;
  const char* pattern = "^(?:ab|cb)*(?:x[12]|y[12])(?:ab|c1)*z$";
  const Dfa dfa = pattern_dfa(Syntax::json, pattern, {}, work).value();
  for (const char* text : {"x1z", "y2z", "abx1z", "cby1abz", "abcbaby1c1abz"}) {
    EXPECT_TRUE(accepts(dfa, text)) << text;
  }
  for (const char* text : {"", "x", "ab", "abx", "ayz", "x1x1z", "y1zab", "x1az", "y1cz"}) {
    EXPECT_FALSE(accepts(dfa, text)) << text;
  }
}

}  // namespace
}  // namespace pleiad::constrain
