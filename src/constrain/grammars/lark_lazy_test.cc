// Rules of Lark that take the shortest text, and what may begin beside them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "constrain/grammars/grammar_test_data.h"
#include "constrain/grammars/lark.h"
#include "constrain/testing/allocated_bytes.h"

namespace pleiad::constrain::grammars {
namespace {

TEST(LarkLazy, TakesTheShortestText) {
  const std::vector<GrammarCase> cases = {
      {"start: f \"!\"\nf[lazy]: /[0-9]+/", {"1!"}, {"12!", "!"}},
      {"start: f /a*/\nf[lazy]: /[ab]*b/", {"b", "ab", "aba", "baa"}, {"bb", "abab", "a", ""}},
      {"start: f \"b\"\nf[lazy]: /a*/", {"b", "ab"}, {"aab"}},  // or the empty one
      {"start: f \"x\"\nf[suffix=\"b\"]: /[ab]*/", {"bx", "abx", "aabx"}, {"x", "ax", "bbx"}},
      {"start: f \"x\"\nf[suffix=END]: /(?s:.)*/\nEND: \"<end>\"",
       {"<end>x", "a\n<end>x", "<<end>x"},
       {"<end>", "<end><end>x"}},
      {"start: f \"x\"\nf[suffix=\"\"]: /[ab]*/", {"x", "ax", "bbx"}, {"b"}},
      {"start: f \"x\"\nf[lazy]: A | B \"b\"\nA: /a+/\nB: \"b\"", {"ax", "bbx"}, {"aax", "bx"}},
      {"start: f \"b\"\nf[lazy]: \"a\"\n%ignore \" \"", {"ab", "a  b"}, {" ab"}},
      {"start: f+\nf[lazy]: /a*b/", {"b", "ab", "abb", "bab"}, {"", "ba"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

// A long lazy terminal is made ready for what is beside it once, not for each word.
TEST(LarkLazy, IsNotCopiedForEachTerminalBesideIt) {
  const auto bytes_of = [](int n_words, int length) {
    std::string grammar = "start: f";
    for (int i = 0; i < n_words; ++i) grammar += fmt::format(" | \"a{}\"", i);
    grammar += fmt::format("\nf[lazy]: /q[^b]{{{}}}b/", length);
    const std::size_t before = allocated_bytes();
    EXPECT_EQ(problem_with("lark", grammar), "");
    return allocated_bytes() - before;
  };
  const std::size_t few = bytes_of(10, 1000) - bytes_of(10, 10);
  const std::size_t many = bytes_of(300, 1000) - bytes_of(300, 10);
  EXPECT_LT(many, few + 5'000'000);
}

TEST(LarkLazy, EndsWhatMayBeginBesideIt) {
  const std::vector<GrammarCase> cases = {
      {"start: f \"x\" | T\nf[lazy]: /a*b/\nT: /[ab]*/",
       {"", "aa", "bx", "aabx"},
       {"b", "ab", "ba"}},
      // Lazy ones, too, of which both may have one text.
      {"start: f \"x\" | g \"y\"\nf[lazy]: /aab/\ng[lazy]: /ab|aab/",
       {"aby", "aabx", "aaby"},
       {"abx"}},
      {"start: f \"x\" | g \"y\"\nf[lazy]: /aab/\ng[lazy]: /a+/", {"ay"}, {"aabx", "aay"}},
      // Texts and ranges of rules.
      {"start: f \"x\" | \"aby\" | \"a\"..\"b\" \"z\"\nf[lazy]: \"ab\"",
       {"abx", "az", "bz"},
       {"aby"}},
      {"start: f \"x\" | \"ABy\"i\nf[lazy]: \"ab\"", {"abx", "ABy", "aBY"}, {"aby", "abY"}},
      // What begins there through rules, those that begin with themselves among them, or behind
      // what may be empty; elsewhere it is as it was.
      {"start: one | two\none: f \"x\"\ntwo: list \"z\" T\nlist: list \",\" T | T\nf[lazy]: "
       "\"ab\"\n"
       "T: /[ab]+/",
       {"abx",
        "az"
        "ab",
        "a,abz"
        "ab",
        "bbz"
        "abab"},
       {"abz"
        "a",
        "ab,az"
        "a"}},
      {"start: [\"!\"] f \"x\" | MAYBE T\nMAYBE: /q?/\nf[lazy]: \"ab\"\nT: /[ab]+/",
       {"abx", "!abx", "a", "qab", "qa"},
       {"ab", "aba"}},
      // What it ends was no end of theirs: they take the longest text as before.
      {"start: [T] f \"x\"\nT: /a|aa|b/\nf[lazy]: \"aa\"", {"aax", "baax"}, {"aaax", "aaaax"}},
      {"start: T | %lark {\nstart: f \"x\"\nf[lazy]: \"ab\"\n}\nT: /[ab]+/", {"abx", "a"}, {"ab"}},
  };
  for (const GrammarCase& one : cases) expect_as_said("lark", one);
}

TEST(LarkLazy, FreeTextComesToACallWhereItBegins) {
  expect_as_said("lark", {"start: (foo | bar)* end\nend: TEXT\nTEXT: /(.|\\n)*/\n"
                          "foo_head[lazy]: TEXT \"<function\"\n"
                          "foo: foo_head \"=foo>\" %json {\"type\": \"object\"} \"</function>\"\n"
                          "bar_head[lazy]: TEXT \"<function\"\n"
                          "bar: bar_head \"=bar>\" /[0-9]+/ \"</function>\"",
                          {"", "any text\n", "a <function=bar>12</function>", "<functio",
                           "x<function=foo>{\"a\":1}</function>y<function=bar>7</function>z"},
                          {"<function", "a <function=baz>", "<function=bar></function>",
                           "<function=foo>{}</function><function"}});
}

TEST(LarkLazy, IsWhatItSaysOverAllShortTexts) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts.back().size() < 4; ++i) {
    for (const char c : {'a', 'b'}) texts.push_back(texts[i] + c);
  }
  std::mt19937 random(7);
  std::size_t n_taken = 0;
  std::size_t n_ended = 0;
  for (int round = 0; round < 40; ++round) {
    const std::string regexes[] = {random_regex(random, 3), random_regex(random, 3),
                                   random_regex(random, 3)};
    const std::string grammar = fmt::format(
        "start: f \"x\" | g \"y\" | T \"z\" | \"-\" T\nf[lazy]: /{}/\ng[suffix=/b?/]: /{}/\n"
        "T: /{}/",
        regexes[0], regexes[1], regexes[2]);
    const std::regex all[] = {std::regex(regexes[0]), std::regex(regexes[1] + "b?"),
                              std::regex(regexes[2])};
    const auto is = [&](int i, const std::string& text) { return std::regex_match(text, all[i]); };
    /// Whether a text of a lazy one begins it that is not empty, and shorter where it is asked.
    const auto begins = [&](int i, const std::string& text, bool is_shorter) {
      for (std::size_t n = 1; n + is_shorter <= text.size(); ++n) {
        if (is(i, text.substr(0, n))) return true;
      }
      return false;
    };
    const auto made =
        make_reply_grammar(test_vocabulary().trie, text_grammar("lark", grammar), Start::at_once);
    ASSERT_TRUE(made) << grammar << made.message();
    const auto takes_text = [&](const std::string& text) {
      GrammarReply reply(made.value());
      return reply.begin_with(text) && reply.allows(test_vocabulary().ends.front());
    };
    for (const std::string& text : texts) {
      SCOPED_TRACE(grammar + "\n" + text);
      const bool goes_through = begins(0, text, true) || begins(1, text, true);
      const bool ended = begins(0, text, false) || begins(1, text, false);
      EXPECT_EQ(takes_text(text + "x"), is(0, text) && !goes_through);
      EXPECT_EQ(takes_text(text + "y"), is(1, text) && !goes_through);
      EXPECT_EQ(takes_text(text + "z"), is(2, text) && !ended);
      EXPECT_EQ(takes_text("-" + text), is(2, text));
      n_taken += is(0, text) && !goes_through;
      n_ended += is(2, text) && ended;
    }
  }
  EXPECT_GT(n_taken, 50);
  EXPECT_GT(n_ended, 100);
}

TEST(LarkLazy, WhatOtherAttributesSayIsHeldOrRefused) {
  // Names of what was read change no text.
  expect_as_said("lark", {"start[capture]: f[\"x\"]\nf[capture=\"g\", suffix=\"b\", "
                          "stop_capture=\"s\"]: \"a\"",
                          {"ab", "abx"},
                          {"a"}});
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"start[stop=\"x\"]: \"a\"",
       "line 1, column 7: stop, which takes back what was written, is not supported: suffix keeps "
       "it, and the request may have stop texts"},
      {"start[lazy, max_tokens=5]: \"a\"",
       "line 1, column 13: max_tokens of a rule is not supported: a grammar is over text, of which "
       "{n,m} says how long it is"},
      {"start[temperature=0.5]: \"a\"",
       "line 1, column 7: temperature of a rule is not supported: it is the request's, for the "
       "whole reply"},
      {"start[greedy]: \"a\"",
       "line 1, column 7: the attribute \"greedy\" is not known: there are lazy, suffix, capture "
       "and "
       "stop_capture"},
      {"start[suffix=\"a\", suffix=\"b\"]: \"a\"",
       "line 1, column 26: a rule has one suffix at most"},
      {"start[stop_capture=\"s\"]: \"a\"",
       "line 1, column 7: stop_capture names what a suffix is, and there is none"},
      {"start[capture=x]: \"a\"", "line 1, column 15: expected a name in quotes, found 'x'"},
      {"start[\"x\"]: \"a\"", "line 1, column 7: expected an attribute, found a text"},
      {"start[lazy: \"a\"", "line 1, column 11: expected ']', found ':'"},
      {"start[lazy]: a\na: \"a\"",
       "line 1, column 14: a terminal is made of terminals, not of rules"},
      {"start: A\nA[lazy]: \"a\"",
       "line 2, column 2: attributes are for rules, whose names are in lower case"},
      {"start: f \"x\" | T\nf[lazy]: /a?/ \"b\" | T\nT: \"ab\" & \"c\"", ""},
  };
  for (const auto& [grammar, problem] : cases) {
    EXPECT_EQ(problem_with("lark", grammar), problem) << grammar;
  }
}

TEST(LarkLazy, WhatCostsTooMuchIsRefused) {
  EXPECT_TRUE(problem_with("lark", "start: f \"x\"\nf[lazy]: /[ab]*a[ab]{40}/")
                  .starts_with("the grammar is too large"));
  // One rule for each set of lazy ones beside it.
  std::string many = "start: r0\n";
  for (int i = 0; i < 300; ++i) {
    many += fmt::format("r{}: f{} \"x\" | r{} | T\nf{}[lazy]: /[ab]{{{}}}c[ab]*d/\n", i, i, i + 1,
                        i, i);
  }
  EXPECT_TRUE(
      problem_with("lark", many + "r300: T\nT: /[a-d]*/").starts_with("the grammar is too large"));
  // Each terminal beside all the lazy ones.
  std::string wide = "start: \"a\"";
  for (int i = 0; i < 6000; ++i) wide += fmt::format(" | f{}", i);
  for (int i = 0; i < 9000; ++i) wide += fmt::format(" | \"{}\"", i);
  for (int i = 0; i < 6000; ++i) wide += fmt::format("\nf{}[lazy]: \"b{}\"", i, i);
  EXPECT_TRUE(problem_with("lark", wide).starts_with("the grammar is too large"));
}

}  // namespace
}  // namespace pleiad::constrain::grammars
