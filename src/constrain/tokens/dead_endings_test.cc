// How texts of patterns end that cannot go on, beside all texts of some characters, read one by
// one.

#include "constrain/tokens/dead_endings.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "constrain/tokens/pattern_rule_test_data.h"

namespace pleiad::constrain {
namespace {

struct RuleOfPattern : PatternRule {
  using PatternRule::PatternRule;

  /// False where no edge reads on to a place where text may go on.
  bool read(StateId& at, char c) const {
    for (const Edge& edge : automaton.edges(at)) {
      if (edge.first > symbol_of(c) || edge.last < symbol_of(c)) continue;
      if (automaton.height(edge.target) >= Automaton::kNever) continue;
      at = edge.target;
      return true;
    }
    return false;
  }
};

bool has_ending(const std::vector<TextEnding>& endings, std::string_view text) {
  for (const TextEnding& ending : endings) {
    bool fits = true;
    for (std::size_t i = 0; i < ending.last.size() && fits; ++i) {
      if (i >= text.size()) {
        fits = ending.last[i].is_none;
        continue;
      }
      const auto symbol = symbol_of(text[text.size() - 1 - i]);
      fits = (ending.last[i].ascii.words[symbol / 64] >> (symbol % 64) & 1) != 0;
    }
    if (fits) return true;
  }
  return false;
}

struct Found {
  std::size_t n_dead = 0;   // texts that do not lead on, none behind another, and
  std::size_t n_other = 0;  // texts that do, and have an ending all the same
};

/// Reads all texts of up to five of these characters from behind `begin`.
Found look_at_texts(const RuleOfPattern& rule, StateId start,
                    const std::vector<TextEnding>& endings) {
  struct Place {
    std::string text;
    StateId state = 0;
  };
  Found out;
  std::vector<Place> places = {{"", start}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const char c : {'a', 'b', 'c', '7'}) {
      Place next = {places[i].text + c, places[i].state};
      const bool leads_on = rule.read(next.state, c);
      const bool ends_so = has_ending(endings, next.text);
      EXPECT_TRUE(leads_on || ends_so) << next.text;
      out.n_dead += leads_on ? 0 : 1;
      out.n_other += leads_on && ends_so ? 1 : 0;
      if (leads_on && next.text.size() < 5) places.push_back(next);
    }
  }
  return out;
}

/// The endings behind `begin`, of texts of up to five characters.
std::vector<TextEnding> endings_of(const RuleOfPattern& rule, StateId start) {
  PlainStates states(rule.automaton);
  DeadEndings dead(rule.automaton, states);
  std::vector<TextEnding> out;
  EXPECT_TRUE(dead.find(start, 5, out));
  return out;
}

StateId read_all(const RuleOfPattern& rule, std::string_view text) {
  StateId at = rule.start;
  for (const char c : text) EXPECT_TRUE(rule.read(at, c));
  return at;
}

Found find_dead(std::string_view pattern, std::string_view begin = "") {
  SCOPED_TRACE(std::string(pattern) + " behind " + std::string(begin));
  const RuleOfPattern rule(pattern);
  const StateId start = read_all(rule, begin);
  return look_at_texts(rule, start, endings_of(rule, start));
}

TEST(DeadEndings, HaveAllTextsThatDoNotLeadOn) {
  for (const char* pattern : {"^((?!abc).)*$", "^((?!aba|7b|cc).)*$", "^((?!a).)*$",
                              "^((?!abcab).)*$", "^[^7]*$", "^((?!ab|bbb).)*7$", "^((?!a.b).)*$"}) {
    for (const char* begin : {"", "b", "bb"}) EXPECT_GT(find_dead(pattern, begin).n_dead, 0U);
  }
}

TEST(DeadEndings, TellWordsApartByTheirLastSymbols) {
  EXPECT_EQ(find_dead("^((?!abc).)*$").n_other, 0U);
  EXPECT_EQ(find_dead("^((?!aba|7b|cc).)*$").n_other, 0U);
}

TEST(DeadEndings, OfAWordThatHasBegunAreShort) {
  const RuleOfPattern rule("^((?!abc).)*$");
  const auto behind = endings_of(rule, read_all(rule, "ab"));
  EXPECT_TRUE(has_ending(behind, "c"));
  EXPECT_FALSE(has_ending(behind, "ac"));
  EXPECT_TRUE(has_ending(behind, "aabc"));
  EXPECT_FALSE(has_ending(endings_of(rule, rule.start), "c"));
}

TEST(DeadEndings, AreNotToldWhereCharactersBeyondAsciiMayNotCome) {
  const RuleOfPattern rule("^((?!\xC3\xA9).)*$");
  PlainStates states(rule.automaton);
  DeadEndings dead(rule.automaton, states);
  std::vector<TextEnding> endings;
  EXPECT_FALSE(dead.find(rule.start, 5, endings));
}

}  // namespace
}  // namespace pleiad::constrain
