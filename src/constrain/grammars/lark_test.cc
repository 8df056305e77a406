#include "constrain/grammars/lark.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "constrain/grammars/grammar_test_data.h"

namespace pleiad::constrain::grammars {
namespace {

TEST(Lark, IsReadAsItIsWritten) {
  const std::vector<GrammarCase> cases = {
      {"start: \"yes\" | \"no\"", {"yes", "no"}, {"", "ye", "yesno"}},
      {"// a comment\nstart: a b  # another\na: \"x\"\n\nb: \"y\"\n | \"z\" -> last\n",
       {"xy", "xz"},
       {"x"}},
      {"?start: _x+\n!_x: (\"a\"\n | \"b\") [\"c\"]", {"a", "bcac"}, {"", "c"}},
      {"start: \"a\"~2 \"b\"~1..2 \"c\"{2} \"d\"{1,} \"e\"{,2}",
       {"aabccd", "aabbccddee"},
       {"abccd"}},
      {"start: \"a\"..\"c\" | \"x\"i | /[0-9]{2}/", {"b", "x", "X", "42"}, {"d", "4"}},
      {"start: /a.b/s /c/i", {"a\nbC"}, {"a\nb"}},
      {"start: \"\\u00e9\\n\\x41\\\"\\\\\"", {"\xC3\xA9\nA\"\\"}, {""}},
      {"start: \"\\ud83d\\ude00\"", {"\xF0\x9F\x98\x80"}, {""}},
      {"start: /a\\/b/", {"a/b"}, {"ab"}},
      {"start: A B\nA: B \"x\" | \"q\"\nB: /[0-9]/+", {"12x3", "q7"}, {"x3"}},
      {"start: \\\n  \"a\"", {"a"}, {""}},
      {"%llguidance {}\nstart: \"\"", {""}, {"a"}},
      {"start: \"a\" ~/b/ \"x\"", {"ax"}, {"abx", "a"}},
      {"start: /a\nb/", {"a\nb"}, {"ab"}},
      {"%import common.INT -> int\nstart: int T -> last\nT: \"!\" int", {"12!3"}, {"12", "12!"}},
      {"start: my-rule\nmy-rule: \"a\"->name", {"a"}, {""}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

TEST(Lark, RegularExpressionsAreRusts) {
  const std::vector<GrammarCase> cases = {
      {"start: /a b [c d] # what\n \\  {2}/x", {"abc  ", "abd  "}, {"a b c  ", "abc", "ab   "}},
      {"start: /(?x) a b(?-x: c)/", {"ab c"}, {"abc", "a b c"}},
      {"start: /a.b/msu /(?Us)c+./i", {"a\nbCc\n"}, {"a\nb"}},
      {"start: /[[:alpha:]_]+[^[:^digit:]]/", {"ab_1"}, {"ab", "a:1", "1"}},
      {"start: /[a-e&&[^b]--[cd]]+/", {"ae"}, {"b", "c", "&"}},
      {"start: /[a-c~~b-d]/", {"a", "d"}, {"b", "c", "~"}},
      {"start: /[a-c--B]/i", {"a", "A", "c"}, {"b", "B", "-"}},
      {"start: /[[:a][:b]]/", {":", "a", "b"}, {"[", "]"}},
      {"start: /[]a][^]b][-x][x-]/", {"]a--", "acxx"}, {"]]--", "abxx"}},
      {"start: /[a[bc]]/ /[\\[]/", {"a[", "c["}, {"[[", "a]["}},
      {"start: /\\x{e9}\\u{E9}\\U{e9}\\U000000e9\\a\\pL\\p{Greek}/",
       {"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\ax\xCE\xB1"},
       {""}},
      {"start: /(?s)^a{ 1 , 2 }$/", {"a", "aa"}, {"", "aaa"}},
      {"start: /\\Aa{2}{3}\\z/ /b*+/", {"aaaaaa", "aaaaaabb"}, {"aa"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
  const std::vector<std::pair<std::string, const char*>> problems = {
      {"/[]/", "line 1, column 9: this '[' is not closed: a ']' at its begin is a character"},
      {"/a[a[b]/", "line 1, column 10: this '[' is not closed"},
      {"/[[:x:]]/",
       "line 1, column 10: there is no class '[:x:]': there are [:alpha:], [:digit:] and the "
       "others of POSIX"},
      {"/[a&&b]/",
       "line 1, column 9: no character is one of these: what is between '[' and ']' is none"},
      {"/(?R)a/", "line 1, column 11: a pattern that repeats in itself ('(?R)') is not supported"},
      {"/(?a)b/", "line 1, column 11: '(?a' is not supported: of flags, i, m, s, u, x and U are"},
      {"/a$/m", "line 1, column 10: with the flag m '$' is about lines, which is not supported"},
      {"/a/l", "line 1, column 11: the flag 'l' is not supported"},
      {"/" + std::string(40, '[') + "a/", "line 1, column 43: its brackets are nested too deeply"},
      {"/a" + std::string(40, '*') + "/",
       "line 1, column 42: its repetitions are nested too deeply"},
  };
  for (const auto& [regex, problem] : problems) {
    EXPECT_EQ(problem_with("lark", "start: " + regex), problem);
  }
  // What is combined is looked at again and again.
  std::string many = "start: /[";
  for (int i = 0; i < 2000; ++i) many += fmt::format("\\x{{{:x}}}", 0x1000 + 2 * i);
  for (int i = 0; i < 2000; ++i) many += "--a";
  EXPECT_TRUE(
      problem_with("lark", many + "]/").ends_with("its brackets combine too many characters"));
}

TEST(Lark, LeavesOutWhatIsIgnored) {
  const char* const kSum =
      "%import common.INT\n%import common (WS_INLINE, CNAME)\n%ignore WS_INLINE\n%ignore /#.*/\n"
      "start: expr\n?expr: expr \"+\" term | term\n?term: INT | CNAME | \"(\" expr \")\"";
  expect_as_said("lark", {kSum,
                          {"1+2", "1 + (x) ", "(( a+b ) +3)# end", "x1"},
                          {" 1+2", "1 2", "1+", "1\n+2", "1x", "ab cd"}});
}

TEST(Lark, OptionsSayWhereAndHowOftenTextIsIgnored) {
  const std::string grammar = "start: \"a\" \"b\"\n%ignore \" \"\n%ignore /_+/";
  const auto is = [&](const char* options, const char* text) {
    return takes("lark", options + grammar, text);
  };
  EXPECT_TRUE(is("", "a _ b ") && !is("", " ab"));
  EXPECT_TRUE(is("%llguidance {\"allow_initial_skip\": true}\n", " _ab"));
  const char* const kOnce =
      "%llguidance {\"ignore_once\": true}\n%llguidance {\"no_forcing\": false}\n";
  EXPECT_TRUE(is(kOnce, "a b__") && !is(kOnce, "a _b") && !is(kOnce, " ab"));
}

TEST(Lark, PartsOfATextAreNamedByWhatTheyAreCutInto) {
  const std::vector<GrammarCase> cases = {
      {"start: %regex {\"substring_chars\": \"aba\"}", {"", "a", "ab", "ba", "aba"}, {"aa", "bb"}},
      {"start: \"<\" WORDS \">\"\nWORDS: %regex {\n  \"substring_words\": \"foo bar. baz\"\n}",
       {"<>", "<foo bar>", "<bar. >"},
       {"<fo>", "<foo baz>"}},
      {"start: T\nT: %regex {\"substring_chunks\": [\"abc\", \"de\", \"fg\"]} & /.+/",
       {"abc", "de", "defg"},
       {"", "ab", "cde"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

TEST(Lark, AGrammarWithinAGrammarHasItsOwnNames) {
  const std::vector<GrammarCase> cases = {
      {"start: \"a\" %lark {\nstart: b+\nb: \"b\" T\nT: /[0-9]/\n%ignore \"x\"\n} T\n"
       "T: \"a\"\n%ignore \"y\"",
       {"ab1a", "ab1b2xa", "abx1ya", "ab1xxyay"},
       {"aa", "aby1a", "ab1ax", "aba"}},
      {"start: %lark { start: %lark { start: \"(\" x \")\"\nx: \"1\"{2} } x\nx: \"2\" } x\nx: "
       "\"3\"",
       {"(11)23"},
       {"(11)33", "(22)23"}},
      {"%llguidance {\"ignore_once\": true}\nstart: %lark {\n%llguidance {\"allow_initial_skip\": "
       "true}\nstart: \"b\"\n%ignore \"x\"\n} \"a\"\n%ignore \"y\"",
       {"xxbxxya", "ba"},
       {"byya", "yba"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

TEST(Lark, ImportedNamesAreThoseOfTheGrammarThatImportsThem) {
  const std::vector<GrammarCase> cases = {
      {"start: \"x\" int\nint: %lark {\n%import common.INT -> int\nstart: int{2} T\n"
       "T: \"!\" int\n%ignore \" \"\n}",
       {"x1 2!3"},
       {"x1", "x1 2"}},
      {"start: i %lark {\n%import common.INT -> i\nstart: i\n} i\ni: j\nj: \"b\"",
       {"b12b"},
       {"1b1", "bbb"}},
      {"%import common.INT -> i\nstart: i %lark {\nstart: i\ni: j{1,2}\nj: %lark { start: i\ni: "
       "\"b\" }\n} T\nT: \".\" i",
       {"1b.2", "1bb.2"},
       {"b1.2", "1bbb.2"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

TEST(Lark, WhatLooksLikeGbnfIsNamed) {
  EXPECT_EQ(problem_with("lark", "# rules\nroot ::= [a-z]+"),
            "line 2, column 8: expected '_', which stands for any number, found '='; this looks "
            "like GBNF, and is read as Lark");
  EXPECT_EQ(
      problem_with("lark", "Root-Rule  ::= \"a\""),
      "line 1, column 2: a name is in lower case (a rule) or in upper case (a terminal); this "
      "looks like GBNF, and is read as Lark");
  // A rule of Lark comes first.
  EXPECT_EQ(problem_with("lark", "start: \"a\"\nb ::= \"b\""),
            "line 2, column 5: expected '_', which stands for any number, found '='");
}

TEST(Lark, TerminalsTakeTheLongestText) {
  // Two names need something between them; a keyword does not.
  expect_as_said(
      "lark", {"start: NAME NAME\nNAME: /[a-z]+/\n%ignore \" \"", {"ab cd", "a  b "}, {"ab", "a"}});
  expect_as_said("lark", {"start: \"if\" NAME\nNAME: /[a-z]+/", {"ifx"}, {"if"}});
  expect_as_said("lark", {"start: /a+/ /b?a/", {"aba"}, {"aa", "aaa"}});
  expect_as_said("lark",
                 {"start: WORD* END\nWORD: /[a-z]+;?/\nEND: \".\"", {"ab;cd.", "."}, {"ab;;."}});
}

TEST(Lark, KnowsTheModuleCommon) {
  const auto is = [](const char* name, const char* text) {
    return takes("lark", fmt::format("%import common.{} -> T\nstart: T", name), text);
  };
  EXPECT_TRUE(is("INT", "042") && is("SIGNED_INT", "-4") && !is("INT", "-4"));
  EXPECT_TRUE(is("NUMBER", "1") && is("NUMBER", "1.5e-3") && is("NUMBER", ".5") &&
              !is("NUMBER", "."));
  EXPECT_TRUE(is("FLOAT", "1.") && is("FLOAT", "1e9") && !is("FLOAT", "1"));
  EXPECT_TRUE(is("SIGNED_FLOAT", "+1.5") && is("SIGNED_NUMBER", "-7") && is("DECIMAL", "1.5"));
  EXPECT_TRUE(is("ESCAPED_STRING", "\"a\\\"b\"") && !is("ESCAPED_STRING", "\"a\nb\""));
  EXPECT_TRUE(is("CNAME", "_a1") && !is("CNAME", "1a") && is("WORD", "aB") && is("LETTER", "Q"));
  EXPECT_TRUE(is("HEXDIGIT", "F") && is("DIGIT", "7") && is("LCASE_LETTER", "a"));
  EXPECT_TRUE(is("UCASE_LETTER", "A") && is("WS", " \n\t") && is("WS_INLINE", " \t"));
  EXPECT_TRUE(is("NEWLINE", "\r\n\n") && is("CR", "\r") && is("LF", "\n"));
  EXPECT_TRUE(is("C_COMMENT", "/* a * b\n **/") && !is("C_COMMENT", "/* */ */"));
  EXPECT_TRUE(is("CPP_COMMENT", "// x") && is("SH_COMMENT", "# x") && is("SQL_COMMENT", "-- x"));
}

TEST(Lark, TerminalsLeadThroughBoundedLevelsAlone) {
  std::string chain = "start: A0\n";
  for (int i = 0; i < 99; ++i) {
    chain +=
        fmt::format("A{}: {}\"x\" A{}{}\n", i, std::string(30, '['), i + 1, std::string(30, ']'));
  }
  EXPECT_TRUE(problem_with("lark", chain + "A99: \"y\"").find("too many others") !=
              std::string::npos);
  std::string flat = "start: A0\n";
  for (int i = 0; i < 99; ++i) flat += fmt::format("A{}: \"x\" A{}\n", i, i + 1);
  EXPECT_EQ(problem_with("lark", flat + "A99: \"y\""), "");
}

TEST(Lark, WhatIsWrongIsNamedWithItsPlace) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"", "line 1, column 1: there is no rule \"start\", which is what replies have to be"},
      {"start: a", "line 1, column 8: there is no rule or terminal \"a\""},
      {"start: A\nA: b\nb: \"x\"",
       "line 2, column 4: a terminal is made of terminals, not of rules"},
      {"start: A\nA: \"x\" B\nB: A?",
       "line 1, column 8: the terminal \"A\" leads to itself, or through too many others: what "
       "repeats in itself is a rule, in lower case"},
      {"start: \"a", "line 1, column 8: this '\"' is not closed"},
      {"start: /a", "line 1, column 8: this '/' is not closed"},
      {"start: (\"a\"", "line 1, column 12: expected ')', found the end"},
      {"start: \"a\")", "line 1, column 11: expected the end of the line, found ')'"},
      {"start \"a\"", "line 1, column 7: expected ':', found a text"},
      {"start.2: \"a\"",
       "line 1, column 6: priorities are not supported: all readings are followed"},
      {"start: A\nA.1: \"a\"",
       "line 2, column 2: priorities are not supported: all readings are followed"},
      {"start: A.2\nA: \"a\"",
       "line 1, column 9: priorities are not supported: all readings are followed"},
      {"start{x}: x",
       "line 1, column 6: templates are not supported: write the rule out for each of its uses"},
      {"start: x{\"a\"}",
       "line 1, column 9: templates are not supported: write the rule out for each of its uses"},
      {"start: _x{b, C}",
       "line 1, column 10: templates are not supported: write the rule out for each of its uses"},
      {"start: A\nA{B}: B",
       "line 2, column 2: templates are not supported: write the rule out for each of its uses"},
      {"start: \"a\"{b}", "line 1, column 12: expected a number, found 'b'"},
      {"start: A\nA[lazy]: \"x\"",
       "line 2, column 2: attributes are for rules, whose names are in lower case"},
      {"start: 'a'",
       "line 1, column 8: expected a rule or a part of one, found ''': texts stand in double "
       "quotes"},
      {"start: <think>",
       "line 1, column 8: tokens (<...>) are not supported: a grammar is over the reply's text, "
       "and "
       "begins behind its thinking"},
      {"start: %regex {}",
       "line 1, column 15: expected substring_chunks, a list of texts, or substring_words or "
       "substring_chars, a text"},
      {"start: %regex {\"substring_chunks\": [1]}",
       "line 1, column 15: expected substring_chunks, a list of texts, or substring_words or "
       "substring_chars, a text"},
      {"start: %regex {\"substring_lines\": \"a\"}",
       "line 1, column 15: expected substring_chunks, a list of texts, or substring_words or "
       "substring_chars, a text"},
      {"start: %regex {\"substring_chars\": }",
       "line 1, column 15: in the object that begins here: not JSON: parse error at line 1, column "
       "21: syntax error while parsing value - unexpected '}'; expected '[', '{', or a literal"},
      {"start: %regex \"a\"", "line 1, column 15: expected an object of JSON, found '\"'"},
      {"%llguidance {\"allow_invalid_utf8\": true}\nstart: \"a\"",
       "line 1, column 13: %llguidance: allow_invalid_utf8: is not supported: replies are text"},
      {"%llguidance {\"no_forcing\": true}\nstart: \"a\"",
       "line 1, column 13: %llguidance: no_forcing: is not supported: the request's forced_text "
       "says "
       "it"},
      {"%llguidance {\"ignore_once\": 1}\nstart: \"a\"",
       "line 1, column 13: %llguidance: ignore_once: expected true or false"},
      {"%llguidance {\"skip\": 1}\nstart: \"a\"",
       "line 1, column 13: %llguidance: skip: is not known: there are allow_initial_skip and "
       "ignore_once"},
      {"start: %lark {\na: \"x\"\n}",
       "line 1, column 15: there is no rule \"start\", which is what replies have to be"},
      {"start: x %lark {\nstart: x\n}\nx: \"x\"",
       "line 2, column 8: there is no rule or terminal \"x\""},
      {"start: %lark { start: \"x\"", "line 1, column 26: expected '}', found the end"},
      {"start: %lark x", "line 1, column 14: expected '{', found 'x'"},
      {"start: T\nT: %lark { start: \"x\" }",
       "line 2, column 4: a terminal is made of terminals, not of grammars"},
      {"%declare A\nstart: A",
       "line 1, column 1: '%declare' is not supported: a terminal needs its text"},
      {"%override start: \"a\"",
       "line 1, column 1: '%override' is not supported: all rules are those of this grammar"},
      {"%import python.NAME\nstart: NAME",
       "line 1, column 9: terminals can be imported from the module common alone"},
      {"%import common.FOO\nstart: FOO",
       "line 1, column 16: there is no terminal \"FOO\" in common"},
      {"start: /a/ & /b/",
       "line 1, column 12: '&' makes terminals, whose names are in upper case, of terminals"},
      {"start: ~b\nb: /x/", "line 1, column 9: a terminal is made of terminals, not of rules"},
      {"start: A\nA: /a/ &",
       "line 2, column 9: '&' stands between two terminals, found the end of the line"},
      {"start: A\nA: & /a/", "line 2, column 4: '&' stands between two terminals, found '&'"},
      {"start: A\nA: ~", "line 2, column 5: expected a part of a rule, found the end of the line"},
      {"start: A\nA: " + std::string(200, '~') + "/a/",
       "line 2, column 104: its '~' are nested too deeply"},
      {"start: A\nA: ~b\nb: /x/",
       "line 2, column 5: a terminal is made of terminals, not of rules"},
      {"start: A\nA: /a/ & ~A",
       "line 1, column 8: the terminal \"A\" leads to itself, or through too many others: what "
       "repeats in itself is a rule, in lower case"},
      {"start: @other",
       "line 1, column 8: '@', which names other grammars of a request, is not supported: %lark "
       "{...} and %json {...} hold them"},
      {"start: /a(?=b)/", "line 1, column 10: looking ahead is not supported here"},
      {"start: /a\\bb/", "line 1, column 10: '\\b' and '\\B' are not supported here"},
      {"start: \"a\"s", "line 1, column 11: the flag 's' is not supported"},
      {"start: \"a\"~3..2", "line 1, column 11: expected at least 3 times, found 2"},
      {"start: \"b\"..\"a\"", "line 1, column 8: '..' needs two characters in order"},
      {"start: \"\\q\"",
       "line 1, column 9: this escape is not known: there are \\n, \\r, \\t, \\f, \\v, \\b, \\0, "
       "\\\\, \\\", \\', \\/, \\x, \\u and \\U"},
      {"start: Ab",
       "line 1, column 9: a name is in lower case (a rule) or in upper case (a terminal)"},
      {"start: \"a\"\nstart: \"b\"", "line 2, column 1: \"start\" is defined a second time"},
      {"start: " + std::string(200, '('), "line 1, column 108: its brackets are nested too deeply"},
  };
  for (const auto& [grammar, problem] : cases) {
    EXPECT_EQ(problem_with("lark", grammar), problem) << grammar;
  }
}

TEST(Lark, WhatCostsTooMuchIsRefused) {
  std::string doubling = "start: T0\n";
  for (int i = 0; i < 60; ++i) doubling += fmt::format("T{}: T{} T{}\n", i, i + 1, i + 1);
  // The last may be nothing, too.
  for (const char* last : {"\"a\"", "\"\""}) {
    EXPECT_TRUE(
        problem_with("lark", doubling + "T60: " + last).starts_with("the grammar is too large"))
        << last;
  }
  EXPECT_EQ(problem_with("lark",
                         "start: %regex {\"substring_chars\": \"" + std::string(5000, 'a') + "\"}"),
            "line 1, column 15: the parts of this text are too many to be told apart");
  std::string nested = "\"x\"";
  for (int i = 0; i < 120; ++i) nested = "%lark { start: " + nested + " }";
  EXPECT_TRUE(
      problem_with("lark", "start: " + nested).ends_with("its grammars are nested too deeply"));
  // A terminal is followed as one machine with a way on per symbol.
  EXPECT_TRUE(problem_with("lark", "start: /[ab]*a[ab]{40}/ \"c\"")
                  .starts_with("the grammar is too large"));
}

}  // namespace
}  // namespace pleiad::constrain::grammars
