#include "constrain/grammars/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "constrain/constrain_test_data.h"
#include "constrain/grammars/compile.h"
#include "constrain/grammars/gbnf.h"
#include "constrain/testing/slow_grammar_matcher.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {
namespace {

/// Compares the parser with the slow matcher on all texts of a, b and c up to a length.
class AllTexts {
 public:
  explicit AllTexts(const GrammarTree& tree) : tree_(tree) {
    GrammarBudget budget;
    auto compiled = compile(tree, budget);
    compiles_ = static_cast<bool>(compiled);
    if (compiles_) {
      network_ = make_reply(std::move(compiled).value(), Start::at_once, *test_vocabulary().trie);
    }
  }

  void compare(std::size_t longest, const std::string& what) {
    ASSERT_EQ(compiles_, SlowMatcher(tree_, "").matches_anything()) << what;
    if (!compiles_) return;
    Parser parser(network_);
    Row row;
    parser.begin({.state = network_.start}, row);
    compare_from(parser, row, "", longest, what);
  }

  std::size_t n_matched = 0;

 private:
  void compare_from(Parser& parser, const Row& row, const std::string& text, std::size_t longest,
                    const std::string& what) {
    const SlowMatcher slow(tree_, text);
    Row next;
    parser.read(row, kEnd, next);
    ASSERT_EQ(next.alive(), slow.matches()) << what << " '" << text << "'";
    n_matched += slow.matches();
    for (const char c : {'a', 'b', 'c'}) {
      const std::string longer = text + c;
      parser.read(row, symbol_of(c), next);
      ASSERT_EQ(next.alive(), SlowMatcher(tree_, longer).is_begin())
          << what << " '" << longer << "'";
      if (!next.alive() || longer.size() == longest) continue;
      compare_from(parser, Row(next), longer, longest, what);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

  const GrammarTree& tree_;
  bool compiles_ = false;
  Network network_;
};

std::size_t compare_gbnf(std::string_view text, std::size_t longest = 6) {
  const Result<GrammarTree> tree = read_gbnf(text);
  EXPECT_TRUE(tree) << (tree ? "" : tree.message());
  if (!tree) return 0;
  AllTexts all(tree.value());
  all.compare(longest, std::string(text));
  return all.n_matched;
}

TEST(GrammarParser, FollowsWhatGrammarsAreHardFor) {
  // Left recursion, direct, through others, hidden behind what may be empty.
  EXPECT_GT(compare_gbnf("root ::= root \"a\" | \"b\""), 3U);
  EXPECT_GT(compare_gbnf("root ::= x \"a\" | \"b\"\nx ::= root \"c\" | y\ny ::= root | x \"b\""),
            3U);
  EXPECT_GT(compare_gbnf("root ::= e root \"a\" | \"b\"\ne ::= \"c\"?"), 3U);
  EXPECT_GT(compare_gbnf("root ::= e f root? \"a\"\ne ::= f*\nf ::= e | \"b\"?"), 3U);
  // Ambiguity, to the point of rules that are themselves.
  EXPECT_GT(compare_gbnf("root ::= root root | \"a\" | \"b\""), 50U);
  EXPECT_GT(compare_gbnf("root ::= root | x\nx ::= root | \"a\" x | \"\""), 3U);
  EXPECT_GT(compare_gbnf("root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"\""), 3U);
  // Right recursion, palindromes, what is empty or may be.
  EXPECT_GT(compare_gbnf("root ::= \"a\" root | \"b\""), 3U);
  EXPECT_GT(compare_gbnf("root ::= \"a\" root \"a\" | \"b\" root \"b\" | [abc]?"), 20U);
  EXPECT_GT(compare_gbnf("root ::= (e e)* \"a\" e{2,3}\ne ::= \"\" | \"b\""), 3U);
  EXPECT_EQ(compare_gbnf("root ::= \"\""), 1U);
}

TEST(GrammarParser, IsAsTheSlowMatcherOnRandomGrammars) {
  std::size_t n_matched = 0;
  for (std::uint32_t seed = 0; seed < 4'000; ++seed) {
    const GrammarTree tree = RandomGrammar(seed).make();
    AllTexts all(tree);
    all.compare(4, fmt::format("seed {}", seed));
    if (HasFatalFailure()) return;
    n_matched += all.n_matched;
  }
  EXPECT_GT(n_matched, 3'000U);
}

/// A reply of the grammar's network, and a text that it reads.
struct LongText {
  explicit LongText(std::string_view gbnf) {
    auto tree = read_gbnf(gbnf);
    GrammarBudget budget;
    auto compiled = compile(tree.value(), budget);
    network = make_reply(std::move(compiled).value(), Start::at_once, *test_vocabulary().trie);
  }
  bool read(const std::string& text) {
    Parser parser(network);
    Row row, next;
    parser.begin({.state = network.start}, row);
    for (const char c : text) {
      parser.read(row, symbol_of(c), next);
      std::swap(row, next);
      n_readers = std::max(n_readers, row.readers.size());
    }
    n_frames = parser.stacks().n_frames();
    parser.read(row, kEnd, next);
    return next.alive();
  }
  Network network;
  std::size_t n_readers = 0, n_frames = 0;
};

TEST(GrammarParser, ListsOfAnyLengthTakeNoMoreRoom) {
  for (const char* gbnf : {"root ::= item \",\" root | item\nitem ::= [a-z]+ | \"[\" root \"]\"",
                           "root ::= root \",\" item | item\nitem ::= [a-z]+ | \"[\" root \"]\"",
                           "root ::= item (\",\" item)*\nitem ::= [a-z]+ | \"[\" root \"]\""}) {
    LongText text(gbnf);
    std::string list = "ab";
    for (int i = 0; i < 2'000; ++i) list += ",[x,yz]";
    EXPECT_TRUE(text.read(list)) << gbnf;
    EXPECT_LT(text.n_readers, 8U) << gbnf;
    EXPECT_LT(text.n_frames, 40U) << gbnf;
  }
}

TEST(GrammarParser, ManyReadingsCostNoMoreThanTheirPlaces) {
  // Each of these can be read in more than two to the 200 ways.
  LongText sums("root ::= root [+*] root | [0-9]");
  std::string sum = "1";
  for (int i = 0; i < 200; ++i) sum += i % 3 == 0 ? "+1" : "*2";
  EXPECT_TRUE(sums.read(sum));
  EXPECT_LT(sums.n_readers, 500U);
  LongText brackets("root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"\"");
  EXPECT_TRUE(brackets.read(std::string(500, 'a') + std::string(250, 'b') + std::string(250, 'c')));
  EXPECT_LT(brackets.n_readers, 8U);
}

TEST(GrammarParser, NestsAsDeepAsTheTextDoes) {
  LongText text("root ::= \"(\" root \")\" | \"\"");
  EXPECT_TRUE(text.read(std::string(3'000, '(') + std::string(3'000, ')')));
  EXPECT_FALSE(text.read(std::string(3'000, '(') + std::string(2'999, ')')));
}

TEST(GrammarParser, WhatTakesTooManyWaysIsGivenUp) {
  LongText text("root ::= root root | \"a\" root | \"a\"");
  EXPECT_THROW(text.read(std::string(3'000, 'a')), sampling::ConstraintError);
}

}  // namespace
}  // namespace pleiad::constrain::grammars
