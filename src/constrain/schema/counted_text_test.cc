#include "constrain/schema/counted_text.h"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "constrain/schema/context.h"
#include "constrain/texts/characters.h"

namespace pleiad::constrain {
namespace {

/// Where a text may stand: a state with what its counter says.
using TextThread = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using TextThreads = std::set<TextThread>;

TextThreads step(const Dfa& dfa, const TextThreads& from, Symbol symbol) {
  TextThreads to;
  for (const auto& [state, need, room] : from) {
    for (const Dfa::Edge& edge : dfa.states[state].edges) {
      Counter counter{need, room};
      if (symbol < edge.first || symbol > edge.last || (edge.counts && !counter.count())) continue;
      to.emplace(edge.target, counter.need, counter.room);
    }
  }
  return to;
}

bool may_end(const Dfa& dfa, const TextThreads& threads) {
  return std::ranges::any_of(threads, [&](const TextThread& thread) {
    return dfa.states[std::get<0>(thread)].accepts && std::get<1>(thread) == 0;
  });
}

class CountedText : public testing::Test {
 protected:
  Dfa text_of(const char* pattern, const char* other = "") {
    std::string problem;
    const Dfa* dfa = context_.pattern(pattern, problem);
    const Dfa* other_dfa = context_.pattern(other, problem);
    EXPECT_EQ(problem, "");
    return context_
        .restricted(any_plain_text(Syntax::json), {{dfa, true}, {other_dfa, true}}, 10'000)
        .value();
  }

  /// All texts of up to so many characters: those that the pattern has, of that length; and each
  /// begun text can be ended. False where it is not counted.
  bool expect_exact(const char* pattern, Counter length, std::size_t n_characters,
                    const char* other = "") {
    const Dfa plain = text_of(pattern, other);
    Counter counter = length;
    const auto counted = counted_text(context_, plain, counter, 10'000);
    if (!counted) return false;
    std::vector<std::string> texts = {""};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string text = texts[i];
      TextThreads expected = {{0, 0, kUnbounded}};
      TextThreads found = {{0, counter.need, counter.room}};
      for (const char c : text) {
        expected = step(plain, expected, symbol_of(c));
        found = step(*counted, found, symbol_of(c));
      }
      const bool fits = text.size() >= length.need && text.size() <= length.room;
      EXPECT_EQ(may_end(*counted, found), fits && may_end(plain, expected)) << pattern << text;
      if (found.empty()) continue;
      EXPECT_LE(text.size(), length.room) << pattern << text;
      const bool goes_on = std::ranges::any_of(std::string_view("abc-"), [&](char c) {
        return !step(*counted, found, symbol_of(c)).empty();
      });
      EXPECT_TRUE(goes_on || may_end(*counted, found)) << "no way on: " << pattern << text;
      if (text.size() == n_characters) continue;
      for (const char c : {'a', 'b', 'c', '-'}) texts.push_back(text + c);
    }
    return true;
  }

  const Json root_ = Json::object();
  SchemaBudget budget_;
  SchemaContext context_{root_, Syntax::json, "format", SchemaPolicy{}, budget_};
};

TEST_F(CountedText, TextsOfALength) {
  for (const char* pattern : {"^a+(-a+)*$", "^[ab]+-[ab]+$", "ab-c", "^(ab)*$", "^c(a-b)+$"}) {
    for (const Counter length : {Counter{0, 6}, Counter{0, 7}, Counter{2, 6}, Counter{3, 7}}) {
      EXPECT_TRUE(expect_exact(pattern, length, 7)) << pattern;
    }
  }
  // Where a text may have come to its end, there must be no least length.
  for (const char* pattern : {"^(a|b)*-c$", "^(abc)*-?$"}) {
    EXPECT_TRUE(expect_exact(pattern, {0, 6}, 7)) << pattern;
    EXPECT_TRUE(expect_exact(pattern, {0, 7}, 7)) << pattern;
    EXPECT_FALSE(expect_exact(pattern, {3, 7}, 7)) << pattern;
  }
  EXPECT_FALSE(expect_exact("^(abc)*-?$", {2, 7}, 7));
  EXPECT_TRUE(expect_exact("^(a|b)*-c$", {2, 7}, 7)) << "none is shorter";
}

TEST_F(CountedText, BeginningsThatAreNoLoop) {
  for (const std::uint32_t room : {4U, 5U, 6U}) {
    EXPECT_TRUE(expect_exact("^abc-[abc]*$", {0, room}, 7));
    EXPECT_TRUE(expect_exact("^(a|abc)-b+$", {0, room}, 7));
    EXPECT_TRUE(expect_exact("^(a|b-){1,5}$", {0, room}, 7));
  }
}

TEST_F(CountedText, TheLeastLengthAlone) {
  EXPECT_TRUE(expect_exact("^a+(-a+)*$", {4, kUnbounded}, 6));
  // Some end too early.
  EXPECT_FALSE(expect_exact("^a+$|^b$", {2, kUnbounded}, 3));
  EXPECT_FALSE(expect_exact("^a-b$", {0, 2}, 3)) << "there is none";
}

TEST_F(CountedText, BoundsThatAskForNothing) {
  EXPECT_TRUE(expect_exact("^a(b{1,3}-)*$", {1, 5}, 6));
  EXPECT_TRUE(expect_exact("^a-?b?$", {1, 3}, 4));
  EXPECT_TRUE(expect_exact("^a-?b?$", {0, 3}, 4));
  Counter length{1, 3};
  ASSERT_TRUE(counted_text(context_, text_of("^a-?b?$"), length, 100));
  EXPECT_EQ(length, Counter{});
}

// What one pattern allows and the other one does not leaves states that lead nowhere.
TEST_F(CountedText, PatternsThatMeet) {
  for (const Counter length : {Counter{0, 5}, Counter{0, 6}, Counter{2, 6}}) {
    EXPECT_TRUE(expect_exact("^(ab|c-)*$", length, 7, "^(ab|ca)*$"));
    EXPECT_TRUE(expect_exact("^(a|b|c-)+$", length, 7, "^(a|b|cb)*$"));
  }
  EXPECT_FALSE(expect_exact("^a(bb)*$", {0, 6}, 7, "^b*$")) << "there is none";
}

// What stands at the beginning alone takes no copies; the last letter of both words is one state.
TEST_F(CountedText, FewStates) {
  Counter length{0, 30'000};
  const Dfa plain = text_of("^data:image/(png|jpeg);base64,[0-9a-zA-Z+/=]*$");
  const auto counted = counted_text(context_, plain, length, 20'000);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->states.size(), 25U);
  EXPECT_EQ(length, (Counter{0, 30'000}));
}

}  // namespace
}  // namespace pleiad::constrain
