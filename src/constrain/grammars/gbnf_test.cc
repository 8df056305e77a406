#include "constrain/grammars/gbnf.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "constrain/grammars/grammar_test_data.h"

namespace pleiad::constrain::grammars {
namespace {

TEST(Gbnf, IsReadAsItIsWritten) {
  const std::vector<GrammarCase> cases = {
      {"root ::= \"yes\" | \"no\"", {"yes", "no"}, {"", "ye", "yesno"}},
      {"# a comment\nroot ::= a b # another\n\na ::= \"x\"\nb ::=\n  \"y\"", {"xy"}, {"x"}},
      {"root ::= (\n  \"a\"\n  # inside\n  | \"b\" )+\n", {"a", "bab"}, {""}},
      {"root ::= \"a\" |\n  \"b\"\n  | \"c\"", {"a", "b", "c"}, {"ab"}},
      {"root ::= [a-cx]{2}", {"ab", "xx"}, {"a", "abc", "dd"}},
      {"root ::= [^a-c\\n]{1,2}", {"d", "\xC3\xA9z"}, {"", "a", "\n", "ddd"}},
      {"root ::= \"a\"{2,} \"b\"{ 0 , 1 }", {"aa", "aaaab"}, {"a", "aabb"}},
      {"root ::= [a-]{1} [\\]\\^\\-\\\\]", {"-]", "a^", "a-", "a\\"}, {"b]"}},
      {"root ::= .", {"a", "\n", "\xE6\x97\xA5", "\xF0\x9F\x98\x80"}, {"", "ab", "\xC3"}},
      {"root ::= \"\\x41\\u00e9\\U0001F600\\t\\\"\"", {"A\xC3\xA9\xF0\x9F\x98\x80\t\""}, {"A"}},
      {"root ::= [\xE3\x81\x81-\xE3\x82\x9F]+", {"\xE3\x81\x82\xE3\x81\x84"}, {"a"}},
      {"root ::= UPPER-case_1\nUPPER-case_1 ::= \"a\"?", {"", "a"}, {"aa"}},
      {"root ::= \"a\"?*", {"", "aaa"}, {"b"}},
      {"root ::= \"\" \"a\"", {"a"}, {""}},
  };
  for (const GrammarCase& one : cases) expect_as_said("gbnf", one);
}

TEST(Gbnf, WhatIsWrongIsNamedWithItsPlace) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"", "line 1, column 1: there is no rule \"root\", which is what replies have to be"},
      {"root ::= \"a\n", "line 1, column 10: this '\"' is not closed"},
      {"root ::= [a", "line 1, column 10: this '[' is not closed"},
      {"root ::= \"\xC3\xA9\" ( \"a\"", "line 1, column 14: this '(' is not closed"},
      {"root ::= \"a\" )", "line 1, column 14: expected the end of the rule \"root\", found ')'"},
      {"root: \"a\"",
       "line 1, column 5: expected '::=' behind \"root\", found ':'; this looks like Lark, and is "
       "read as GBNF"},
      {"# a comment\n  %import common.INT\nstart: INT",
       "line 2, column 3: expected the name of a rule, found '%'; this looks like Lark, and is "
       "read "
       "as GBNF"},
      {"root = \"a\"", "line 1, column 6: expected '::=' behind \"root\", found '='"},
      {"root ::= \"a\"\n  other",
       "line 2, column 8: expected '::=' behind \"other\", found the end"},
      {"root ::= a\nb ::= \"x\"", "line 1, column 10: there is no rule \"a\""},
      {"root ::= \"a\"\nroot ::= \"b\"", "line 2, column 1: \"root\" is defined a second time"},
      {"root ::= *", "line 1, column 10: '*' repeats nothing"},
      {"root ::= \"a\"{}", "line 1, column 14: expected a number, found '}'"},
      {"root ::= \"a\"{3,2}", "line 1, column 13: expected at least 3 times, found 2"},
      {"root ::= \"a\"{1000000}", "line 1, column 14: expected a number up to 100000"},
      {"root ::= \"a\"{1;2}", "line 1, column 15: expected '}', found ';'"},
      {"root ::= [z-a]", "line 1, column 11: a range needs two characters in order"},
      {"root ::= \"\\q\"",
       "line 1, column 11: this escape is not known: there are \\n, \\r, \\t, \\\\, \\\", \\[, "
       "\\], "
       "\\-, \\^, \\x, \\u and \\U"},
      {"root ::= \"\\xG0\"", "line 1, column 13: expected 2 hexadecimal digits, found 'G'"},
      {"root ::= <think>",
       "line 1, column 10: tokens (<...>) are not supported: a grammar is over the reply's text, "
       "and begins behind its thinking"},
      {"root ::= !<[12]>",
       "line 1, column 10: tokens (<...>) are not supported: a grammar is over the reply's text, "
       "and begins behind its thinking"},
      {"root ::= \"\xFF\"", "line 1, column 11: the grammar is not UTF-8"},
      {"root ::= root \"a\"",
       "no text fits \"root\": each of its ways leads back to itself without end, or to a part "
       "that is no text"},
  };
  for (const auto& [grammar, problem] : cases) {
    EXPECT_EQ(problem_with("gbnf", grammar), problem) << grammar;
  }
  EXPECT_EQ(problem_with("gbnf", "root ::= " + std::string(200, '(')),
            "line 1, column 110: its brackets are nested too deeply");
  EXPECT_EQ(problem_with("gbnf", "root ::= \"a\"" + std::string(200, '?')),
            "line 1, column 113: its repetitions are nested too deeply");
}

TEST(Gbnf, WhatCostsTooMuchIsRefused) {
  const std::vector<std::string> hostile = {
      "root ::= (((\"a\"{1000}){1000}){1000}){1000}",
      "root ::= (((((\"\"{100000}){100000}){100000}){100000}){100000}){100000}",
      "root ::= (x{1,1000} | x{1,999}){1,1000}\nx ::= [a-z]{1,100}",
      "root ::= x\nx ::= ((x? [a-z]{0,5000})? x?){0,5000}",
  };
  for (const std::string& grammar : hostile) {
    EXPECT_TRUE(problem_with("gbnf", grammar).starts_with("the grammar is too large"))
        << grammar << ": " << problem_with("gbnf", grammar);
  }
  // Each rule doubles the one before.
  std::string doubling = "root ::= r0\n";
  for (int i = 0; i < 64; ++i) {
    doubling += fmt::format("r{} ::= r{} r{}\n", i, i + 1, i + 1);
  }
  EXPECT_EQ(problem_with("gbnf", doubling + "r64 ::= \"a\""), "");
  // Brackets and repetitions may each be nested, but not the product of both.
  std::string deep = "root ::= r0\n";
  for (int i = 0; i < 24; ++i) {
    deep += fmt::format("r{} ::= ", i);
    for (int level = 0; level < 99; ++level) deep += "(\"a\"";
    deep += i < 23 ? fmt::format(" r{}", i + 1) : " \"b\"";
    for (int level = 0; level < 99; ++level) deep += ")" + std::string(100, '*');
    deep += "\n";
  }
  EXPECT_TRUE(problem_with("gbnf", deep).ends_with("its repetitions are nested too deeply"));
  // Rules that are each as deep as they may be, and lead through each other.
  std::string chain = "root ::= r0\n";
  for (int i = 0; i < 200; ++i) {
    const std::string inside = i < 199 ? fmt::format("r{}", i + 1) : "\"b\"";
    chain += fmt::format("r{} ::= {}({}){} \"a\"\n", i, std::string(9, '('), inside,
                         "*" + std::string(9, ')') + std::string(99, '*'));
  }
  EXPECT_TRUE(problem_with("gbnf", chain).starts_with("the grammar is too large"));
  EXPECT_EQ(problem_with("gbnf", std::string(300'000, '#')), "the grammar is larger than 256 KiB");
}

}  // namespace
}  // namespace pleiad::constrain::grammars
