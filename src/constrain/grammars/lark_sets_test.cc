// Terminals of Lark that are made of others with & and ~.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>
#include <vector>

#include "constrain/grammars/grammar_test_data.h"
#include "constrain/grammars/lark.h"

namespace pleiad::constrain::grammars {
namespace {

TEST(LarkSets, AreReadAsTheyAreWritten) {
  const std::vector<GrammarCase> cases = {
      {"start: A\nA: /[a-z]*/ & ~/if|else/", {"", "i", "iff", "els"}, {"if", "else", "A"}},
      // Lines, but no two line feeds in a row.
      {"start: LINES\nLINES: /[a-z \\n]*/ & ~/(?s:.*)\\n\\n(?s:.*)/",
       {"a b\nc\n", "\n"},
       {"a\n\nb", "\n\n"}},
      {"start: T\nT: /a+/ & /(aa)*/ & ~\"aaaa\" | \"b\"",
       {"aa", "aaaaaa", "b"},
       {"a", "aaaa", "aab"}},
      {"start: T\nT: /a+/\n & B\n | C\nB: /.../\nC: \"c\"", {"aaa", "c"}, {"aa", "aaaa"}},
      // ~ binds before + and before what follows, & behind what stands side by side.
      {"start: T\nT: ~\"a\"+ & /a*/", {"", "aa", "aaaaa"}, {"a", "b"}},
      {"start: T\nT: \"a\" ~\"b\" & /.b?/", {"a"}, {"ab", "b"}},
      {"start: T\nT: \"a\"~2 ~(\"b\" | \"c\")", {"aa", "aabb"}, {"aab", "aac", "a"}},
      {"start: T\nT: ~~/a|b/", {"a", "b"}, {"", "ab"}},
      {"start: T\nT: (~/b/ & /./) \"!\"", {"a!"}, {"b!", "!"}},
      // Whole characters, control characters among them.
      {"start: T\nT: ~/x/ & /(?s:.)/", {"\xC3\xA9", "\n", "\x01"}, {"\xC3", "x"}},
      {"start: T\nT: ~\"\"", {"\xF0\x9F\x98\x80", "a"}, {"", "\xFF"}},
      // What it names may come later, and what it gives takes the longest text.
      {"start: W W\nW: L+ & ~KEY\nL: /[a-z]/\nKEY: \"if\"\n%ignore \" \"",
       {"a b", "ifx i"},
       {"if a", "ab"}},
      {"start: T\nT: A & ~B\nA: B | /c/ & ~/d/\nB: /a/ & ~/b/", {"c"}, {"a", "b", "d"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
  EXPECT_EQ(problem_with("lark", "start: T\nT: /a/ & /b/"),
            "no text fits \"start\": each of its ways leads back to itself without end, or to a "
            "part that is no text");
}

TEST(LarkSets, AreTheSetsThatTheyNameOverAllShortTexts) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts.back().size() < 5; ++i) {
    for (const char c : {'a', 'b'}) texts.push_back(texts[i] + c);
  }
  std::mt19937 random(11);
  int n_taken = 0;
  for (int round = 0; round < 60; ++round) {
    const std::string regexes[] = {random_regex(random, 3), random_regex(random, 3),
                                   random_regex(random, 3)};
    const std::regex read[] = {std::regex(regexes[0]), std::regex(regexes[1]),
                               std::regex(regexes[2])};
    const auto is = [&](int i, const std::string& text) { return std::regex_match(text, read[i]); };
    const std::string grammar =
        fmt::format("start: T\nT: (/{}/ & ~/{}/ | ~(/[ab]*/ & /{}/) & /[ab]*/) \"!\"", regexes[0],
                    regexes[1], regexes[2]);
    for (const std::string& text : texts) {
      const bool expected = (is(0, text) && !is(1, text)) || !is(2, text);
      EXPECT_EQ(takes("lark", grammar, text + "!"), expected) << grammar << "\n" << text;
      n_taken += expected;
    }
  }
  EXPECT_GT(n_taken, 100);
  EXPECT_LT(n_taken, 60 * static_cast<int>(texts.size()) - 100);
}

TEST(LarkSets, WhatCostsTooMuchIsRefused) {
  std::string all = "start: T\nT: /[ab]*/";
  for (int i = 0; i < 40; ++i) all += fmt::format(" & ~/[ab]*a[ab]{{{}}}/", i);
  EXPECT_TRUE(problem_with("lark", all).starts_with("the grammar is too large"));
  EXPECT_TRUE(problem_with("lark", "start: T\nT: ~/[ab]*a[ab]{40}/")
                  .starts_with("the grammar is too large"));
}

}  // namespace
}  // namespace pleiad::constrain::grammars
