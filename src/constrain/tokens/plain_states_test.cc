// What plain text the states of patterns read, whatever its characters are: counted by hand.

#include "constrain/tokens/plain_states.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "constrain/tokens/ascii_set.h"
#include "constrain/tokens/pattern_rule_test_data.h"

namespace pleiad::constrain {
namespace {

constexpr KindSet kSmallLetters = KindSet{1} << kSmallLetterKind;
constexpr KindSet kBlanks = KindSet{1} << kBlankKind;

struct Text : PatternRule {
  using PatternRule::PatternRule;

  StateId after(std::string_view text) const {
    StateId at = start;
    for (const char c : text) {
      for (const Edge& edge : automaton.edges(at)) {
        if (edge.first > symbol_of(c) || edge.last < symbol_of(c)) continue;
        at = edge.target;
        break;
      }
    }
    return at;
  }
  PlainReach reach(std::string_view text = "") { return PlainStates(automaton).of(after(text)); }
};

TEST(AsciiSet, HasTheKindsOfItsCharacters) {
  for (Symbol first = 0; first < kAsciiSymbols; ++first) {
    KindSet expected = 0;
    for (Symbol last = first; last < kAsciiSymbols + 3; ++last) {
      const std::size_t kind = last < kAsciiSymbols ? kinds_of_ascii()[last] : kKinds;
      if (kind != kKinds) expected |= KindSet{1} << kind;
      ASSERT_EQ(kinds_in(AsciiSet::of_range(first, last)), expected) << first << " to " << last;
    }
  }
  const AsciiSet all = AsciiSet::of_range(0, kAsciiSymbols - 1);
  AsciiSet others = all.without(AsciiSet::of_range('b', 'z'));
  EXPECT_EQ(kinds_in(others), kAllKinds & ~(KindSet{1} << kLongKind)) << "the 'a' is left";
  others = others.without(AsciiSet::of_range('a', 'a'));
  EXPECT_EQ(kinds_in(others) & kSmallLetters, 0U);
  others.add(AsciiSet::of_range('m', 'm'));
  EXPECT_EQ(kinds_in(others) & kSmallLetters, kSmallLetters);
}

TEST(PlainStates, TextThatHasToHoldAWordReadsAllCharactersForever) {
  Text text("maker|operator");
  for (const char* begin : {"", "mak", "maker", "opera"}) {
    EXPECT_EQ(text.reach(begin).kinds_forever, kAllKinds) << begin;
  }
}

TEST(PlainStates, TextThatMustNotHoldAWordReadsAsManyCharactersAsItLacks) {
  Text text("^((?!maker|up 7).)*$");
  EXPECT_EQ(text.reach().kinds, kAllKinds);
  EXPECT_EQ(text.reach().most, 3U);  // "up " and not the 7
  EXPECT_EQ(text.reach("ma").most, 2U);
  EXPECT_EQ(text.reach("up").most, 1U);
  EXPECT_EQ(text.reach("upm").most, 3U);
  EXPECT_EQ(text.reach("x").kinds_forever & (kSmallLetters | kBlanks), kBlanks);
  const PlainReach before = text.reach("make");
  EXPECT_EQ(before.kinds, kAllKinds & ~kSmallLetters);
  EXPECT_TRUE(before.has(kBlanks, 3));
  EXPECT_FALSE(before.has(kSmallLetters, 1));
}

TEST(PlainStates, LettersAloneReadLetters) {
  Text text("^[a-z]+$");
  EXPECT_EQ(text.reach().kinds, kSmallLetters);
  EXPECT_EQ(text.reach().kinds_forever, kSmallLetters);
  EXPECT_EQ(Text("^[a-y]+$").reach().kinds, 0U);
}

TEST(PlainStates, CharactersOfManyBytesAreReadWhole) {
  constexpr KindSet kLong = KindSet{1} << kLongKind;
  EXPECT_EQ(Text("^[^a]*$").reach().kinds_forever, kAllKinds & ~kSmallLetters);
  EXPECT_EQ(Text("^[^\\u4e00]*$").reach().kinds_forever, kAllKinds & ~kLong);
}

TEST(PlainStates, StatesThatReadOthersBeyondAsciiAreToldApart) {
  // The states before and behind the x differ in one character beyond ASCII.
  constexpr KindSet kLong = KindSet{1} << kLongKind;
  Text text("^[^\\u4e00]x.*$");
  EXPECT_EQ(text.reach().kinds & kLong, 0U);
  EXPECT_EQ(text.reach("a").kinds & kLong, 0U);  // an x alone
  EXPECT_EQ(text.reach("ax").kinds_forever, kAllKinds);
  PlainStates states(text.automaton);
  EXPECT_EQ(states.of(text.after("ax")).kinds, kAllKinds);
  EXPECT_EQ(states.of(text.start).kinds & kLong, 0U);
  EXPECT_EQ(states.of(text.after("axb")).kinds, kAllKinds);
}

TEST(PlainStates, BoundedTextReadsSoManyCharacters) {
  Text text("^.{4}$");
  EXPECT_EQ(text.reach().most, 4U);
  EXPECT_EQ(text.reach("ab").most, 2U);
  EXPECT_EQ(text.reach().kinds_forever, 0U);
}

TEST(PlainStates, WhereEachByteCountsNothingIsToldOfCharactersOfMany) {
  Automaton automaton;
  const StateId text = automaton.add_state();
  const StateId end = automaton.add_state();
  automaton.set_final(end);
  automaton.add_edge(text, Edge{.first = 0, .last = 0xFF, .counts = true, .target = text});
  automaton.add_edge(text, quote(Syntax::call), end);
  ASSERT_TRUE(automaton.finish(text));
  constexpr KindSet kLong = KindSet{1} << kLongKind;
  EXPECT_EQ(PlainStates(automaton).of(text).kinds, kAllKinds & ~kLong);
}

TEST(PlainStates, NothingIsToldWhereARuleEndsOrCallsAnother) {
  Automaton automaton;
  const StateId end = automaton.add_state();
  automaton.set_final(end);
  automaton.add_edge(end, Edge{.first = 0, .last = 0xFF, .target = end});
  const StateId caller = automaton.add_state();
  automaton.add_edge(caller, Edge{.first = 0, .last = 0xFF, .target = caller});
  automaton.add_call(caller, {end}, end);
  ASSERT_TRUE(automaton.finish(caller));
  PlainStates states(automaton);
  EXPECT_EQ(states.of(end).kinds, 0U);
  EXPECT_EQ(states.of(caller).kinds, 0U);
}

}  // namespace
}  // namespace pleiad::constrain
