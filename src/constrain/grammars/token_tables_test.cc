// Masks of grammars beside reading each token, over a vocabulary whose subtrees are large enough to
// be taken as a whole.
#include "constrain/grammars/token_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "constrain/grammars/compile.h"
#include "constrain/grammars/follow_kinds.h"
#include "constrain/grammars/reply_grammar.h"
#include "constrain/grammars/text_grammar.h"
#include "constrain/testing/slow_grammar_matcher.h"
#include "constrain/tokens/dense_vocabulary_test_data.h"

namespace pleiad::constrain::grammars {
namespace {

/// Replies of random tokens; gives how many masks allowed more than a thousand.
int check_masks(const std::shared_ptr<ReplyGrammar>& grammar, std::uint32_t seed, int n_replies) {
  const DenseVocabulary& test = dense();
  std::mt19937 random(seed);
  int n_large = 0;
  for (int i = 0; i < n_replies; ++i) {
    GrammarReply reply(grammar);
    for (int step = 0; step < 8; ++step) {
      std::vector<std::uint64_t> allowed((test.vocabulary.size() + 63) / 64);
      reply.allowed_next(allowed);
      std::vector<text::TokenId> all;
      for (std::size_t at = 0; at < test.vocabulary.size(); ++at) {
        const auto token = static_cast<text::TokenId>(at);
        const bool is_allowed = (allowed[at / 64] >> (at % 64) & 1) != 0;
        EXPECT_EQ(is_allowed, reply.allows(token))
            << test.vocabulary.pieces()[at] << " at step " << step << " of reply " << i;
        if (is_allowed) all.push_back(token);
      }
      if (::testing::Test::HasFailure()) return n_large;
      if (all.size() > 1000) ++n_large;
      const text::TokenId token = all[random() % all.size()];
      if (token == test.end) break;
      reply.accept(token);
    }
  }
  return n_large;
}

int check_masks(const char* syntax, const std::string& definition) {
  SCOPED_TRACE(definition);
  auto grammar = make_reply_grammar(dense().trie, text_grammar(syntax, definition), Start::at_once);
  EXPECT_TRUE(grammar) << grammar.message();
  return grammar ? check_masks(grammar.value(), 5, 4) : 0;
}

TEST(TokenTables, TextOfManyCharactersIsExact) {
  EXPECT_GT(check_masks("regex", R"((.|\n)*)"), 0);
  EXPECT_GT(check_masks("regex", R"([^\n]{1,6})"), 0);
  EXPECT_GT(check_masks("regex", R"([^7]+)"), 0);
  EXPECT_GT(check_masks("regex", R"([^é]*)"), 0);
  EXPECT_GT(check_masks("gbnf", "root ::= [^\"<&]* \"\\\"\" root | \"77\""), 0);
  for (const char* pattern :
       {R"([a-z]+)", R"([a-zA-Z]+( [a-zA-Z]+){1,3})", R"([^ ]+ [^ ]+)", R"([À-ÿ]+)",
        R"([a-y]{2,9}Z)", R"(\d{1,9}(ab|7)?)", R"((?i)z[ab7]*)"}) {
    check_masks("regex", pattern);
  }
}

TEST(TokenTables, WordsThatHaveToBeSomewhereAreExact) {
  EXPECT_GT(check_masks("regex", R"(.*(ab7|ba).*)"), 0);
  EXPECT_GT(check_masks("regex", R"(.*(a|b).*(Z7|7Z).*)"), 0);
  EXPECT_GT(check_masks("regex", R"(([^-]{3,8}[-7] ){1,5})"), 0);
}

TEST(TokenTables, TerminalsThatTakeTheLongestTextAreExact) {
  for (const char* grammar : {
           "start: NAME (\",\" NAME)*\nNAME: /[a-z]+/\n%ignore / +/",
           "start: (A | B)+\nA: /[ab]+/\nB: /[b7]+Z?/",
           "start: (NAME | NUMBER | \"-\")+\nNAME: /[a-zA-Z_]\\w*/\nNUMBER: /[0-9]+/",
           "start: (/[^ ]+/ \" \")+",
           "start: (A B)+\nA: /a+(7a+)*/\nB: /[^a7]+/",
           "start: (LONG | NAME)+\nLONG: /[é日]+/\nNAME: /[a-zA-Z]+/\n%ignore /[ \\n]+/",
           "start: line+\nline: /[^a\\n][^\\n]*/ \"\\n\" | \"a\" line",
           "start: e\ne: e \"-\" e | NAME | \"{\" e \"}\"\nNAME: /[a-zé]+/\n%ignore / /",
           "start: STRING+\nSTRING: /\"([^\"\\\\\\n]|\\\\[nu])*\"/",
       }) {
    check_masks("lark", grammar);
  }
}

TEST(TokenTables, RulesThatCallEachOtherAreExact) {
  check_masks("gbnf", "root ::= [^-]+ | \"-\" root \"-\"");
  check_masks("gbnf", "root ::= \"{\" [^{}]* root? [^{}]* \"}\"");
  check_masks("gbnf", "root ::= (word \" \"?)+ \"Z\"\nword ::= [a-z]+ | [7é]+");
  check_masks("gbnf", "root ::= any any \"7\"\nany ::= [a-zA-Z ]*");
}

// Where a rule ends at more places than are kept, its callers are followed with it.
TEST(TokenTables, TextThatEndsARuleAtEachCharacterAndBeginsItAgainIsExact) {
  EXPECT_GT(
      check_masks("gbnf", "root ::= \"{\" item* \"}\"\nitem ::= root | [^{}]+ | \"-\" [7Z] \"-\""),
      0);
  // More rules that end together than are followed at once.
  EXPECT_GT(check_masks("gbnf", R"(root ::= a+ "7"
a ::= b+ | "-" b "-"
b ::= c+
c ::= d+ | "Z" d "Z"
d ::= e+
e ::= f+ | "7" f
f ::= [^7"\n]+)"),
            0);
  // One that returns to many states.
  std::string many = "root ::= root \"\\n\" root";
  for (const char* end : {"a", "b", "Z", "7", "-", "é", "日", "ab", "77", "\\\""}) {
    many += std::string(" | text \"") + end + "\" root \"" + end + "\" | text \"" + end + "\"";
  }
  EXPECT_GT(check_masks("gbnf", many + "\ntext ::= word+\nword ::= [^\"\\n]+"), 0);
}

TEST(TokenTables, TextThatBeginsARuleAgainIsNotWalkedFromEachEnd) {
  auto grammar = make_reply_grammar(
      dense().trie, text_grammar("gbnf", "root ::= item+ \"\\n\"\nitem ::= [^\\n]+"),
      Start::at_once);
  ASSERT_TRUE(grammar) << grammar.message();
  const Network& network = grammar.value()->network();
  Parser parser(network);
  Row row;
  parser.begin({network.start}, row);
  Row inside;
  parser.read(row, symbol_of('a'), inside);
  TokenTables tables(*dense().trie, network, {.steps = dense().trie->n_nodes()});
  std::vector<std::uint64_t> allowed((dense().vocabulary.size() + 63) / 64);
  EXPECT_NO_THROW(tables.allow(inside, parser.stacks(), allowed));
}

TEST(TokenTables, RandomGrammarsAreExact) {
  int n = 0;
  for (std::uint32_t seed = 1000; seed < 1040; ++seed) {
    GrammarBudget budget;
    auto compiled = compile(RandomGrammar(seed).make(), budget);
    if (!compiled) continue;
    SCOPED_TRACE(seed);
    check_masks(
        std::make_shared<ReplyGrammar>(
            dense().trie, make_reply(std::move(compiled).value(), Start::at_once, *dense().trie)),
        seed, 1);
    if (HasFailure()) return;
    ++n;
  }
  EXPECT_GT(n, 20);
}

KindSet kind(std::size_t kind) { return KindSet{1} << kind; }

TEST(FollowKinds, AreWhatTheCallersGoOnWith) {
  // root: "a" inner "b" | inner 7; inner: é inner | é, with its last call a tail call.
  Network network;
  network.states.resize(8);
  network.rules = {{0, 0}, {5, 1}};
  network.states[0].edges = {{'a', 'a', 1}};
  network.states[0].calls = {{1, 3}};
  network.states[1].calls = {{1, 2}};
  network.states[2].edges = {{'b', 'b', 4}};
  network.states[3].edges = {{'7', '7', 4}};
  network.states[4].is_final = true;
  network.states[5].edges = {{0xC3, 0xC3, 6}};
  network.states[6].edges = {{0xA9, 0xA9, 7}};
  network.states[7].is_final = true;
  network.states[7].calls = {{1, 4}};
  const auto follow = follow_kinds(network);
  constexpr std::size_t kDigitKind = 2;
  EXPECT_EQ(follow[0], 0U);
  EXPECT_EQ(follow[4], follow[7]);  // a state of both rules
  EXPECT_EQ(follow[5], kind(kSmallLetterKind) | kind(kDigitKind));
  EXPECT_EQ(follow[7], follow[5]);
  EXPECT_EQ(kinds_read_by(network, 0), 0U);  // not all small letters
  network.states[0].edges = {{'a', 'm', 1}, {'n', '~', 1}};
  EXPECT_NE(kinds_read_by(network, 0) & kind(kSmallLetterKind), 0U);
  EXPECT_EQ(kinds_read_by(network, 0) & (kind(kDigitKind) | kind(kLongKind)), 0U);
  EXPECT_EQ(kinds_read_by(network, kNoLongest), 0U);
}

}  // namespace
}  // namespace pleiad::constrain::grammars
