#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "constrain/grammars/grammar_test_data.h"

namespace pleiad::constrain::grammars {
namespace {

/// All texts of so many of these letters at most.
std::vector<std::string> texts_of(const std::string& letters, std::size_t most) {
  std::vector<std::string> out = {""};
  for (std::size_t begin = 0, n = 0; n < most; ++n) {
    const std::size_t end = out.size();
    for (; begin < end; ++begin) {
      for (const char letter : letters) out.push_back(out[begin] + letter);
    }
  }
  return out;
}

/// Which of the texts the grammar takes.
std::vector<std::string> taken_of(const std::string& grammar,
                                  const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  const auto made =
      make_reply_grammar(test_vocabulary().trie, text_grammar("lark", grammar), Start::at_once);
  EXPECT_TRUE(made) << (made ? "" : made.message());
  if (!made) return out;
  for (const std::string& text : texts) {
    GrammarReply reply(made.value());
    if (reply.begin_with(text) && reply.allows(test_vocabulary().ends.front())) {
      out.push_back(text);
    }
  }
  return out;
}

std::size_t times(const std::string& text, char letter) {
  return static_cast<std::size_t>(std::ranges::count(text, letter));
}

template <typename Predicate>
void expect_only(const std::string& grammar, const std::vector<std::string>& texts,
                 Predicate is_one) {
  std::vector<std::string> expected;
  std::ranges::copy_if(texts, std::back_inserter(expected), is_one);
  EXPECT_EQ(taken_of(grammar, texts), expected) << grammar;
}

TEST(LarkNumbers, PermutationsAreThoseOfAllElements) {
  expect_only(
      "start: any::0x0\n"
      "any::_: \"\" %if is_ones([0:4])\n"
      " | \"a\" any::set_bit(0) %if bit_clear(0)\n"
      " | \"b\" any::set_bit(1) %if bit_clear(1)\n"
      " | \"c\" any::set_bit(2) %if bit_clear(2)\n"
      " | \"d\" any::set_bit(3) %if bit_clear(3)",
      texts_of("abcd", 5), [](std::string text) {
        std::ranges::sort(text);
        return text == "abcd";
      });
}

TEST(LarkNumbers, ElementsAreCountedEachInItsBits) {
  expect_only(
      "start: some::0\n"
      "some::_: \"a\" some::incr([0:2]) %if lt([0:2], 3)\n"
      " | \"b\" some::incr([2:4]) %if lt([2:4], 1)\n"
      " | \"c\" some::incr([4:6]) | \"\" %if and(ge([0:2], 1), le([4:6], 2))",
      texts_of("abc", 6), [](const std::string& text) {
        return times(text, 'a') >= 1 && times(text, 'a') <= 3 && times(text, 'b') <= 1 &&
               times(text, 'c') <= 2;
      });
}

TEST(LarkNumbers, OneRuleHandsItsNumberToOthers) {
  const auto texts = texts_of("ab", 6);
  const auto is_sorted = [](const std::string& text) { return text.find("ba") == text.npos; };
  expect_only(
      "start: a::0\na::_: \"a\" a::incr(_) %if lt(_, 4) | b::_\n"
      "b::_: \"b\" b::incr(_) %if lt(_, 4) | \"\"",
      texts, [&](const std::string& text) { return is_sorted(text) && text.size() <= 4; });
  // As many of the one as of the other, of which no plain grammar without recursion tells.
  expect_only(
      "start: a::0\na::_: \"a\" a::incr(_) %if lt(_, 9) | b::_\n"
      "b::_: \"b\" b::decr(_) %if gt(_, 0) | \"\" %if is_zeros(_)",
      texts, [&](const std::string& text) {
        return is_sorted(text) && times(text, 'a') == times(text, 'b');
      });
}

TEST(LarkNumbers, ReadsWhatStandsAroundThemAsElsewhere) {
  const std::vector<GrammarCase> cases = {
      // Groups have conditions too, and what is ignored stands behind terminals.
      {"start: a::1 [a::2]\na::_: (\"x\" %if eq(_, 1) | NAME -> it %if eq(_, 2)) \"!\"\n"
       "NAME: /[a-z]+/\n%ignore \" \"",
       {"x!", "x ! ab !", "x!x!"},
       {"ab!", "x!ab", ""}},
      // They begin with themselves.
      {"start: a::0\na::_: a::incr(_) \"x\" %if lt(_, 3) | \"y\"", {"y", "yxxx"}, {"yxxxx", "x"}},
      {"start: a::0\n?a::_: (b::_ \",\"){2} b::set_bit(1)\nb::_: \"x\" %if bit_clear(1) | \"y\" "
       "%if bit_set(1)",
       {"x,x,y"},
       {"x,x,x", "y,y,y", "x,y"}},
      // Over lines, and named before they are defined.
      {"start: (a::3\n | a::4)+\nb: \"b\" %if true\na::_[capture]: \"x\" b %if eq(_, 3)\n"
       "  | \"y\" %if true()",
       {"xb", "yxby"},
       {"x", "yxx", ""}},
      // A grammar within has its own, and is the same for all numbers.
      {"start: a::1 a::2\na::_: \"x\" %lark { start: a::7\na::_: /y+/ %if eq(_, 7) } %if lt(_, 2) "
       "| \"z\" %regex { \"substring_chars\": \"ab\" } %if ge(_, 2)",
       {"xyyzab", "xyz"},
       {"zab", "xyx"}},
      {"start: a::0xffffffffffffffff\na::_: \"x\" b::incr([60:64])\nb::_: \"y\" %if is_ones(_)",
       {"xy"},
       {"x"}},
      {"start: f | a::1\nf[lazy]: /x*y/\na::_: /[xy]*/ \"z\" %if eq(_, 1)", {"xy", "xz"}, {"xyz"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

TEST(LarkNumbers, ConditionsAndFunctionsAreThoseOfTheNumber) {
  const std::vector<std::pair<std::string, bool>> cases = {
      {"eq(_, 0xA5)", true},
      {"eq([0:4], 5)", true},
      {"eq([4:8], 10)", true},
      {"eq([4:64], 10)", true},
      {"ne(_, 165)", false},
      {"ne([0:1], 0)", true},
      {"lt(_, 165)", false},
      {"lt(_, 166)", true},
      {"le(_, 165)", true},
      {"le(_, 164)", false},
      {"gt(_, 164)", true},
      {"gt(_, 165)", false},
      {"ge(_, 165)", true},
      {"ge([1:4], 3)", false},
      {"bit_set(7)", true},
      {"bit_set(63)", false},
      {"bit_clear(1)", true},
      {"bit_clear(0)", false},
      {"is_ones([5:6])", true},
      {"is_ones([5:7])", false},
      {"is_zeros([8:64])", true},
      {"is_zeros([0:2])", false},
      {"bit_count_eq(_, 4)", true},
      {"bit_count_eq([0:4], 4)", false},
      {"bit_count_ne(_, 4)", false},
      {"bit_count_lt(_, 5)", true},
      {"bit_count_lt(_, 4)", false},
      {"bit_count_le(_, 4)", true},
      {"bit_count_gt(_, 3)", true},
      {"bit_count_gt(_, 4)", false},
      {"bit_count_ge(_, 4)", true},
      {"not(true)", false},
      {"and(true, not(true()))", false},
      {"or(not(true), true)", true},
      {"and(bit_set(0), bit_set(2))", true},
  };
  for (const auto& [condition, is_so] : cases) {
    const std::string grammar =
        "start: a::165\na::_: \"yes\" %if " + condition + " | \"no\" %if not(" + condition + ")";
    EXPECT_EQ(taken_of(grammar, {"yes", "no"}), std::vector<std::string>{is_so ? "yes" : "no"})
        << condition;
  }
  const std::vector<std::pair<std::string, std::uint64_t>> functions = {
      {"_", 165},
      {"7", 7},
      {"0x1F", 31},
      {"set_bit(1)", 167},
      {"set_bit(63)", 0x80000000000000A5},
      {"clear_bit(0)", 164},
      {"clear_bit(1)", 165},
      {"bit_and(0x0F)", 5},
      {"bit_or(0x0F)", 175},
      {"incr(_)", 166},
      {"incr([1:3])", 167},
      {"incr([5:6])", 165},  // all are ones
      {"decr(_)", 164},
      {"decr([5:8])", 133},
      {"decr([3:5])", 165},  // all are zeros
  };
  for (const auto& [function, number] : functions) {
    const std::string grammar = fmt::format(
        "start: a::165\na::_: b::{}\nb::_: \"yes\" %if eq(_, {}) | \"no\" %if ne(_, {})", function,
        number, number);
    EXPECT_EQ(taken_of(grammar, {"yes", "no"}), std::vector<std::string>{"yes"}) << function;
  }
}

TEST(LarkNumbers, WhatIsWrongIsNamedWithItsPlace) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"start::_: \"x\"",
       "line 1, column 14: there is no rule \"start\", which is what replies have to be"},
      {"start: a::1\na: \"x\"",
       "line 1, column 8: there is no rule \"a\" with a number (a::_: ...)"},
      {"start: \"x\"\na::_: b::1",
       "line 2, column 7: there is no rule \"b\" with a number (b::_: ...)"},
      {"start: a\na::_: \"x\"",
       "line 1, column 8: \"a\" is a rule with a number: it is named as a::0 or a::_"},
      {"start: a::0\na::_: \"x\"\na: \"y\"",
       "line 2, column 1: \"a\" is defined a second time, with a number"},
      {"start: a::0\na::_: \"x\"\na::_: \"y\"", "line 3, column 1: \"a\" is defined a second time"},
      {"start: a::0\na::1: \"x\"",
       "line 2, column 4: expected '_', which stands for any number, found '1'"},
      {"start: a::0\na::_[lazy]: \"x\"",
       "line 2, column 5: a rule with a number is no terminal: neither lazy nor with a suffix"},
      {"start: a::0\na::_[max_tokens=1]: \"x\"",
       "line 2, column 6: max_tokens of a rule is not supported: a grammar is over text, of which "
       "{n,m} says how long it is"},
      {"start: A::0\nA: \"x\"",
       "line 1, column 9: a number is for rules, whose names are in lower case"},
      {"start: \"x\"\nA::_: \"x\"",
       "line 2, column 2: a number is for rules, whose names are in lower case"},
      {"start: A\nA: a::0", "line 2, column 4: a terminal is made of terminals, not of rules"},
      {"start: a::_\na::_: \"x\"",
       "line 1, column 11: this asks about the number of a rule, and this rule has none (name::_)"},
      {"start: \"x\" %if bit_set(0)",
       "line 1, column 16: this asks about the number of a rule, and this rule has none (name::_)"},
      {"start: a::0\na::_: ~(\"x\" %if bit_set(0))",
       "line 2, column 17: this asks about the number of a rule, and this rule has none (name::_)"},
      {"start: a::+\na::_: \"x\"",
       "line 1, column 11: expected a number, '_' or a function of it, found '+'"},
      {"start: a::0\na::_: b::plus(1)\nb::_: \"x\"",
       "line 2, column 10: there is no function \"plus\" of a number: there are set_bit, "
       "clear_bit, "
       "bit_and, bit_or, incr and decr"},
      {"start: a::0\na::_: \"x\" %if odd(_)",
       "line 2, column 15: there is no condition \"odd\": there are true, eq, ne, lt, le, gt, ge, "
       "bit_set, bit_clear, is_ones, is_zeros, bit_count_eq and the like, and, or, not"},
      {"start: a::0\na::_: \"x\" %if",
       "line 2, column 14: expected a condition behind '%if', found the end of the line"},
      {"start: a::0\na::_: \"x\" %if eq(0, 0)",
       "line 2, column 18: expected '_' or bits as [0:8], found '0'"},
      {"start: a::0\na::_: \"x\" %if eq([3:3], 0)",
       "line 2, column 22: expected bits up to a higher one, as [0:8]"},
      {"start: a::0\na::_: \"x\" %if eq([64:65], 0)", "line 2, column 21: expected a bit up to 63"},
      {"start: a::0\na::_: \"x\" %if eq([0:65], 0)", "line 2, column 23: expected a bit up to 64"},
      {"start: a::18446744073709551616\na::_: \"x\"",
       "line 1, column 11: expected a number of 64 bits at most"},
      {"start: a::0x\na::_: \"x\"", "line 1, column 11: expected a number of 64 bits at most"},
      {"start: \"x\"{0x1}", "line 1, column 12: expected a number, found '0x1'"},
      {"start: a::0\na::_: \"x\" %if eq(_, 1)",
       "no text fits \"start\": each of its ways leads back to itself without end, or to a part "
       "that is no text"},
  };
  for (const auto& [grammar, problem] : cases) {
    EXPECT_EQ(problem_with("lark", grammar), problem) << grammar;
  }
  std::string nested = "start: a::0\na::_: \"x\" %if ";
  for (int i = 0; i < 200; ++i) nested += "not(";
  EXPECT_TRUE(problem_with("lark", nested).ends_with("its conditions are nested too deeply"));
}

TEST(LarkNumbers, OnlyNumbersThatAreComeToAreRead) {
  // Those of what a condition leaves out are not: it would have no end.
  EXPECT_EQ(problem_with("lark", "start: a::0\na::_: \"x\" a::incr(_) %if lt(_, 500) | \"y\""), "");
  // 2^64 of them, one by one; and 2^40 at once.
  const char* const kTooMany =
      "line 2, column 1: the grammar is too large: this rule comes to more numbers than rules are "
      "made for one request";
  EXPECT_EQ(problem_with("lark", "start: a::0\na::_: \"x\" a::incr(_) | \"y\""), kTooMany);
  std::string subsets = "start: a::0\na::_: \"\"";
  for (int i = 0; i < 40; ++i) subsets += fmt::format(" | \"x{}\" a::set_bit({})", i, i);
  EXPECT_EQ(problem_with("lark", subsets), kTooMany);
  // A long list is no deep recursion of ours.
  const std::string list = "start: a::0\na::_: \"x\" a::incr(_) %if lt(_, 2000) | \"y\" | \"\"";
  EXPECT_EQ(taken_of(list, {std::string(2000, 'x'), std::string(2001, 'x'), "xxy", "yx"}),
            (std::vector<std::string>{std::string(2000, 'x'), "xxy"}));
}

}  // namespace
}  // namespace pleiad::constrain::grammars
