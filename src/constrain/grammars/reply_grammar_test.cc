#include "constrain/grammars/reply_grammar.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "constrain/grammars/compile.h"
#include "constrain/grammars/grammar_test_data.h"
#include "constrain/testing/slow_grammar_matcher.h"

namespace pleiad::constrain::grammars {
namespace {

std::shared_ptr<ReplyGrammar> grammar_of(const GrammarTree& tree, Start start = Start::at_once) {
  GrammarBudget budget;
  auto compiled = compile(tree, budget);
  if (!compiled) return nullptr;
  const auto& trie = test_vocabulary().trie;
  return std::make_shared<ReplyGrammar>(trie,
                                        make_reply(std::move(compiled).value(), start, *trie));
}

std::shared_ptr<ReplyGrammar> gbnf_grammar(const char* text, Start start = Start::at_once) {
  auto made = make_reply_grammar(test_vocabulary().trie, text_grammar("gbnf", text), start);
  EXPECT_TRUE(made) << (made ? "" : made.message());
  return made ? made.value() : nullptr;
}

/// A reply of tokens chosen at random; at each place the mask is what trying each token says.
std::optional<std::string> checked_reply(std::shared_ptr<ReplyGrammar> grammar,
                                         std::mt19937& random, int limit) {
  const TestVocabulary& test = test_vocabulary();
  GrammarReply reply(std::move(grammar));
  std::string text;
  Bits bits((test.vocabulary->size() + 63) / 64);
  for (int step = 0; step < limit; ++step) {
    EXPECT_TRUE(reply.allowed_next(bits));
    std::vector<text::TokenId> allowed;
    for (std::size_t i = 0; i < test.vocabulary->size(); ++i) {
      const auto token = static_cast<text::TokenId>(i);
      EXPECT_EQ(has(bits, token), reply.allows(token)) << "token " << i << " " << test.pieces[i];
      if (has(bits, token)) allowed.push_back(token);
    }
    if (::testing::Test::HasFailure() || allowed.empty()) return std::nullopt;
    const text::TokenId token = allowed[random() % allowed.size()];
    reply.accept(token);
    if (test.is_end(token)) return text;
    text::append_piece_bytes(*test.vocabulary, token, text);
  }
  return std::nullopt;
}

TEST(ReplyGrammar, MasksAreWhatTryingEachTokenSays) {
  std::mt19937 random(1);
  int n_ended = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const GrammarTree tree = RandomGrammar(seed).make();
    const auto grammar = grammar_of(tree);
    if (!grammar) continue;
    SCOPED_TRACE(seed);
    const auto text = checked_reply(grammar, random, 12);
    if (HasFailure()) return;
    if (!text || text->size() > 40) continue;
    EXPECT_TRUE(SlowMatcher(tree, *text).matches()) << *text;
    ++n_ended;
  }
  EXPECT_GT(n_ended, 60);
}

constexpr const char* kJsonGrammar = R"(
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::= "{" ws ( string ":" ws value ("," ws string ":" ws value)* )? "}" ws
array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws     ::= | " " | "\n" [ \t]{0,20}
)";

TEST(ReplyGrammar, RepliesUnderAGrammarOfJsonAreJson) {
  const auto grammar = gbnf_grammar(kJsonGrammar);
  std::mt19937 random(2);
  int n_ended = 0;
  for (int i = 0; i < 40; ++i) {
    const auto text = checked_reply(grammar, random, 60);
    if (HasFailure()) return;
    if (!text) continue;
    ++n_ended;
    EXPECT_TRUE(Json::accept(*text)) << *text;
  }
  EXPECT_GT(n_ended, 5);
}

TEST(ReplyGrammar, BeginsBehindTheThought) {
  const TestVocabulary& test = test_vocabulary();
  const text::TokenId yes = test.vocabulary->byte_piece('y');
  GrammarReply after(gbnf_grammar("root ::= \"y\"?", Start::after_thought));
  EXPECT_TRUE(after.allows(yes));
  EXPECT_TRUE(after.allows(test.ends[0]));
  EXPECT_FALSE(after.allows(test.vocabulary->byte_piece('n')));
  after.accept(test.tag(text::Tag::channel_open));
  EXPECT_TRUE(after.allows(test.vocabulary->byte_piece('n')));
  EXPECT_FALSE(after.allows(test.ends[0]));
  after.accept(test.tag(text::Tag::channel_close));
  EXPECT_FALSE(after.allows(test.vocabulary->byte_piece('n')));
  after.accept(yes);
  EXPECT_TRUE(after.allows(test.ends[0]));

  GrammarReply inside(gbnf_grammar("root ::= \"y\"", Start::in_thought));
  EXPECT_TRUE(inside.allows(test.vocabulary->byte_piece('n')));
  inside.accept(test.tag(text::Tag::channel_close));
  EXPECT_FALSE(inside.allows(test.vocabulary->byte_piece('n')));
  EXPECT_TRUE(inside.allows(yes));
}

TEST(ReplyGrammar, GoesOnWithWhatIsBegun) {
  GrammarReply reply(gbnf_grammar("root ::= \"abc\" \"def\""));
  EXPECT_FALSE(GrammarReply(gbnf_grammar("root ::= \"abc\"")).begin_with("abd"));
  ASSERT_TRUE(reply.begin_with("abcd"));
  EXPECT_TRUE(reply.allows(test_vocabulary().vocabulary->byte_piece('e')));
  EXPECT_FALSE(reply.allows(test_vocabulary().ends[0]));
}

TEST(ReplyGrammar, WhatWasTooMuchForOnePlaceIsForgottenAtTheNext) {
  std::string text = "root ::= \"s\" [0-9]+ | \"h\" hard\nx ::= \"q\" x | \"z\"\nhard ::= r0";
  std::string rules;
  for (int i = 0; i < 200; ++i) {
    if (i > 0) text += fmt::format(" | r{}", i);
    rules += fmt::format("\nr{} ::= x \"{}\"", i, i);
  }
  const auto grammar = gbnf_grammar((text + rules).c_str());
  ASSERT_TRUE(grammar);
  TokenTables tables(grammar->trie(), grammar->network(), {.set_items = 150});
  Parser parser(grammar->network());
  Row begin, simple;
  parser.begin({.state = grammar->network().start}, begin);
  parser.read(begin, symbol_of('s'), simple);
  Bits bits((test_vocabulary().vocabulary->size() + 63) / 64);
  EXPECT_THROW(tables.allow(begin, parser.stacks(), bits), sampling::ConstraintError);
  bits.assign(bits.size(), 0);
  ASSERT_NO_THROW(tables.allow(simple, parser.stacks(), bits));
  EXPECT_TRUE(has(bits, test_vocabulary().vocabulary->byte_piece('7')));
  TokenTables hasty(grammar->trie(), grammar->network(), {.steps = 3});
  EXPECT_THROW(hasty.allow(simple, parser.stacks(), bits), sampling::ConstraintError);
}

TEST(ReplyGrammar, WhatIsPreparedIsWhatIsAllowed) {
  GrammarReply prepared(gbnf_grammar("root ::= \"ab\" | \"ac\"{2}"));
  GrammarReply asked(gbnf_grammar("root ::= \"ab\" | \"ac\"{2}"));
  for (const char c : std::string_view("acac")) {
    prepared.prepare();
    Bits first((test_vocabulary().vocabulary->size() + 63) / 64), second(first.size());
    prepared.allowed_next(first);
    asked.allowed_next(second);
    EXPECT_EQ(first, second);
    const auto token = test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(c));
    prepared.accept(token);
    asked.accept(token);
  }
}

TEST(ReplyGrammar, DropsOldNodesWithoutForgettingWhereItIs) {
  // Each bracket leaves a node for good; the reply has more of them than are kept.
  const auto grammar = gbnf_grammar("root ::= (\"(\" root \")\")*");
  Parser parser(grammar->network());
  Row row, next;
  parser.begin({.state = grammar->network().start}, row);
  for (int i = 0; i < 50; ++i) {
    for (const char c : std::string("((()))(")) {
      parser.read(row, symbol_of(c), next);
      std::swap(row, next);
    }
    const std::size_t before = parser.stacks().n_frames();
    parser.keep(row);
    EXPECT_LE(parser.stacks().n_frames(), before);
  }
  EXPECT_LT(parser.stacks().n_frames(), 250U);
  for (int i = 0; i < 50; ++i) {
    parser.read(row, kEnd, next);
    EXPECT_FALSE(next.alive());
    parser.read(row, symbol_of(')'), next);
    std::swap(row, next);
  }
  parser.read(row, kEnd, next);
  EXPECT_TRUE(next.alive());
}

TEST(ReplyGrammar, ChoicesAreTexts) {
  const Json names = {"red", "green",
                      "r\xC3\xA9"
                      "d\n"};
  EXPECT_TRUE(takes("choice", names, "red"));
  EXPECT_TRUE(takes("choice", names,
                    "r\xC3\xA9"
                    "d\n"));
  EXPECT_FALSE(takes("choice", names, "re"));
  EXPECT_FALSE(takes("choice", names, "redgreen"));
  EXPECT_EQ(problem_with("choice", Json::array()), "expected a list of texts");
  EXPECT_EQ(problem_with("choice", "red"), "expected a list of texts");
  EXPECT_EQ(problem_with("choice", Json::array({"a", 1})), "text 2: expected a string");
  EXPECT_EQ(problem_with("choice", Json(std::vector<std::string>(10'001, "a"))),
            "expected at most 10,000 texts, found 10,001");
  EXPECT_EQ(problem_with("choice", Json::array({""})), "text 1: expected one that is not empty");
  Json many = Json::array();
  for (int i = 0; i < 5'000; ++i) many.push_back(fmt::format("name {}", i * 7919 % 100'000));
  EXPECT_TRUE(takes("choice", many, "name 7919"));
  EXPECT_FALSE(takes("choice", many, "name 100000"));
}

TEST(ReplyGrammar, SyntaxesThatAreNotKnownAreRefused) {
  EXPECT_EQ(
      problem_with("ebnf", "x"),
      "the syntax of a grammar is \"gbnf\", \"lark\", \"regex\", \"choice\" or \"structural_tag\"");
  EXPECT_EQ(problem_with("gbnf", 5), "expected the grammar as a string");
  const auto made =
      make_reply_grammar(test_vocabulary().trie, Json{{"type", "grammar"}}, Start::at_once);
  EXPECT_EQ(made.message(), "a grammar needs a \"syntax\" and a \"definition\"");
}

}  // namespace
}  // namespace pleiad::constrain::grammars
