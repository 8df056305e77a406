#include "constrain/grammars/regex.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "constrain/grammars/grammar_test_data.h"

namespace pleiad::constrain::grammars {
namespace {

TEST(RegexGrammar, MatchesWholeTexts) {
  const std::vector<GrammarCase> cases = {
      {"[0-9]{3}-[0-9]{4}", {"555-1234"}, {"555-12345", "x555-1234", ""}},
      {"^(yes|no)$", {"yes", "no"}, {"yes!", ""}},
      {"^a|b$", {"a", "b"}, {"ab"}},
      {"(^x+$|y)", {"xx", "y"}, {"xy"}},
      {"\\w+@\\w+\\.com", {"a@b.com"}, {"a@b.org"}},
      {"a.c",
       {"abc", "a\rc",
        "a\xC3\xA9"
        "c"},
       {"a\nc", "ac"}},
      {"(?s:a.c)", {"a\nc"}, {"ac"}},
      {"(?i)yes", {"YES", "yEs"}, {"no"}},
      {"(?i)^yes$", {"YES", "yEs"}, {"no"}},
      {"a(?i:b[c-d])", {"aBD", "abc"}, {"Abc"}},
      {"(?i:[^a])", {"b"}, {"a", "A"}},
      {"(?x) a b # c\n [a #] \\  {2} \\#", {"aba  #", "ab   #", "ab#  #"}, {"a b a  #", "abb  #"}},
      {"(?m)a.b|(?-x: c)", {"a-b", " c"}, {"a\nb", "c"}},
      {"\\Aa\\U000000e9\\a\\Z", {"a\xC3\xA9\a"}, {"a"}},
      {"(?P<year>\\d{4})", {"2026"}, {"26"}},
      {"(?:a|b)*?c", {"c", "abbac"}, {"ab"}},
      {"", {""}, {"a"}},
      {"\\u00e9|\\x41", {"\xC3\xA9", "A"}, {"e"}},
      // More states than it would have as one machine with a way on per symbol.
      {"[ab]*a[ab]{31}",
       {"babbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},
       {"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}},
      {"(.|\\n){2,3000}", {"ab", "a\n\n"}, {"a"}},
      {"(?!0)[0-9]+(?=;);|0", {"10;", "0"}, {"01;", "0;", "10"}},
      {"^(?:(?!\\*/)[*/a-z ])+$", {"a * b / c", "/*a"}, {"*/", "a */ b"}},
      {"(?i)(?=.*x)[a-z]{3}(?!.)", {"aXc", "abx"}, {"abc", "xabc"}},
      {"\\b[a-z-]+\\b", {"a-b", "ab"}, {"-a", "a-", ""}},
      {"[a ]*\\Ba\\B[a ]*", {"aaa", " aaa "}, {"aa", "a a"}},
      {"\\p{Lu}\\p{L}{0,60}", {"\xC3\x89\xC3\xA9", "Ab"}, {"ab", "A1"}},
      // As outlines writes the numbers of books.
      {"(?:ISBN(?:-1[03])?:? )?(?=[0-9X]{10}$|(?=(?:[0-9]+[- ]){3})[- 0-9X]{13}$|97[89][0-9]{10}$|"
       "(?=(?:[0-9]+[- ]){4})[- 0-9]{17}$)(?:97[89][- ]?)?[0-9]{1,5}[- ]?[0-9]+[- ]?[0-9]+[- ]?"
       "[0-9X]",
       {"ISBN-13: 978-0-306-40615-7", "0-306-40615-2", "030640615X"},
       {"978-0-306-40615", "0-306-406152", "ISBN 03064061521"}},
      {"(?=.*\xC3\xA9)...", {"a\xC3\xA9z"}, {"abc"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("regex", one);
}

TEST(RegexGrammar, WhatIsNotSupportedIsNamedWithItsPlace) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"ab(?=c)", "line 1, column 1: no text matches it"},
      {"(?<!c)a", "line 1, column 3: looking back is not supported"},
      {"[[:digit:]]+", "line 1, column 2: '[:digit:]', a class of POSIX, is not supported"},
      {"(a)\\1", "line 1, column 5: '\\1', which refers back, is not supported"},
      {"(?P<y>a)(?P=y)", "line 1, column 11: referring back ('(?P=name)') is not supported"},
      {"(?<y>a)\\k<y>", "line 1, column 9: '\\k', which refers back, is not supported"},
      {"a(?#x)", "line 1, column 4: a comment ('(?#...)') is not supported"},
      {"(a)?(?(1)b|c)", "line 1, column 7: a condition ('(?(1)...)') is not supported"},
      {"a(?R)?b", "line 1, column 4: a pattern that repeats in itself ('(?R)') is not supported"},
      {"(?>a)", "line 1, column 3: a group that gives nothing back ('(?>...)') is not supported"},
      {"a++",
       "line 1, column 3: '+' behind another repetition is not supported: what is repeated twice "
       "needs brackets around it"},
      {"(?=(?:a|b)*a(?:a|b){30}$)(?:ab|ba|a)*", "line 1, column 1: it is too large"},
      {"(?=a)+b", "line 1, column 7: '^', '$', '\\b' and what looks ahead cannot be repeated"},
      {"a\\pL", "line 1, column 4: '\\p' needs the name of a property in braces"},
      {"b(a", "line 1, column 2: this '(' is not closed"},
      {"b(a|(b)", "line 1, column 2: this '(' is not closed"},
      {"b(?=a", "line 1, column 2: this '(' is not closed"},
      {"b[a", "line 1, column 2: this '[' is not closed"},
      {"a\n**",
       "line 2, column 2: '*' behind another repetition is not supported: what is repeated twice "
       "needs brackets around it"},
      {"a|*", "line 1, column 3: '*' repeats nothing"},
      {"(?q)a", "line 1, column 3: '(?q' is not supported: of flags, a, i, m, s, u and x are"},
      {"(?-u)a", "line 1, column 4: '(?-u' is not supported: replies are text of whole characters"},
      {"(?m)^a$", "line 1, column 5: with the flag m '^' is about lines, which is not supported"},
      {"a[]",
       "line 1, column 2: no character is one of these: what is between '[' and ']' is none"},
      {"a[^\\s\\S]",
       "line 1, column 2: no character is one of these: what is between '[' and ']' is none"},
      {"a\\07",
       "line 1, column 3: '\\07' is not supported: '\\x' and two hexadecimal digits are a "
       "character by its number"},
      {"a\\0", "line 1, column 2: replies never have the character U+0000"},
      {"a\\uD83D",
       "line 1, column 2: this is half a character, which stands in no text: halves come as pairs"},
      {"a{1000000}", "line 1, column 10: a number in braces is 100,000 at most"},
      {"a{2,1}", "line 1, column 7: '{2,1}' asks for more than it allows"},
      {"a{b}", "line 1, column 3: a '{' needs one or two numbers, and a '}'"},
      {"a{1", "line 1, column 4: a '{' needs one or two numbers, and a '}'"},
      {"a^b",
       "line 1, column 2: '^' and '$' are supported at the begin and at the end alone: the whole "
       "text has to match"},
      {"(a$)b",
       "line 1, column 3: '^' and '$' are supported at the begin and at the end alone: the whole "
       "text has to match"},
  };
  for (const auto& [pattern, problem] : cases) {
    EXPECT_EQ(problem_with("regex", pattern), problem) << pattern;
  }
  EXPECT_TRUE(problem_with("regex", "((((a{1000}){1000}){1000}){1000})")
                  .starts_with("the grammar is too large"));
}

}  // namespace
}  // namespace pleiad::constrain::grammars
