#include "constrain/tokens/forced_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/testing/json.h"
#include "constrain/grammars/text_grammar.h"
#include "constrain/tokens/word_tokenizer_test_data.h"
#include "text/stream_decoder.h"

namespace pleiad::constrain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Constraint = std::unique_ptr<sampling::TokenConstraint>;

constexpr const char* kPerson = R"({"type":"object","properties":{"name":{"type":"string"},
    "age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false})";

TEST(ForcedText, NamesAreCutAsTheTokenizerDoes) {
  const Constraint reply = words().json(kPerson);
  EXPECT_THAT(words().forced(*reply), IsEmpty()) << "a brace, or one with a quote";
  words().accept(*reply, "{\"");
  EXPECT_THAT(words().forced(*reply), ElementsAre("name")) << "a quote may go on behind the colon";
  words().accept(*reply, "name");
  EXPECT_THAT(words().forced(*reply), IsEmpty());
  words().accept(*reply, "\":\"");
  EXPECT_THAT(words().forced(*reply), IsEmpty());
  words().accept(*reply, "hello");
  words().accept(*reply, "\"");
  EXPECT_THAT(words().forced(*reply), IsEmpty()) << "a comma, or one with a quote";
  words().accept(*reply, ",");
  words().accept(*reply, "\n");
  EXPECT_THAT(words().forced(*reply), IsEmpty()) << "how far in is open";
  words().accept(*reply, "\"");
  EXPECT_THAT(words().forced(*reply), ElementsAre("age", "\":")) << "no piece has a number behind";
}

TEST(ForcedText, WithinAWordTheCutGoesOnFromThere) {
  const Constraint reply = words().json(kPerson);
  words().accept(*reply, "{\"");
  words().accept(*reply, "n");
  EXPECT_THAT(words().forced(*reply), ElementsAre("a", "me"));
  EXPECT_THAT(words().forced(*reply, 1), ElementsAre("a"));
  EXPECT_THAT(words().forced(*reply, 0), IsEmpty());
}

TEST(ForcedText, WhatIsWhollyCompelledEndsTheReply) {
  const Constraint reply = words().json(R"({"const":"hello"})");
  EXPECT_THAT(words().forced(*reply), ElementsAre("\"", "hello", "\"", "<turn|>"));
  words().accept(*reply, "\"");
  EXPECT_THAT(words().forced(*reply, 2), ElementsAre("hello", "\""));
}

TEST(ForcedText, AlternativesThatBeginAlikeLeaveTheirForkToTheModel) {
  const Constraint reply = words().json(R"({"enum":["in_progress","in_review"]})");
  EXPECT_THAT(words().forced(*reply), ElementsAre("\"", "in")) << "a piece has the fork within it";
  words().accept_all(*reply);
  words().accept(*reply, "_p");
  EXPECT_THAT(words().forced(*reply),
              ElementsAre("r", "o", "g", "r", "e", "s", "s", "\"", "<turn|>"));
  const Constraint other = words().json(R"({"enum":["in_a","in_b"]})");
  EXPECT_THAT(words().forced(*other), ElementsAre("\"", "in", "_")) << "no piece has it";
}

TEST(ForcedText, ControlTokensAreThemselves) {
  const Json tools = json_from(R"([{"function":{"name":"get_item","parameters":{"type":"object",
      "properties":{"name":{"type":"string"}},"required":["name"]}}}])");
  ToolPolicy policy;
  policy.must_call = true;
  policy.parallel = false;
  const Constraint must = std::move(words().forms->tools(1, tools, policy, Start::at_once)).value();
  EXPECT_THAT(words().forced(*must), ElementsAre("<|tool_call>", "call", ":", "get", "_", "item",
                                                 "{", "name", ":", "<|\"|>"));
  words().accept_all(*must);
  EXPECT_THAT(words().forced(*must), IsEmpty());
  words().accept(*must, "hello");
  words().accept(*must, "<|\"|>");
  EXPECT_THAT(words().forced(*must), ElementsAre("}", "<tool_call|>", "<turn|>"));

  policy.must_call = false;
  const Constraint may = std::move(words().forms->tools(1, tools, policy, Start::at_once)).value();
  EXPECT_THAT(words().forced(*may), IsEmpty()) << "text around calls is free";
  words().accept(*may, "<|tool_call>");
  EXPECT_EQ(words().forced(*may).front(), "call");
  words().accept_all(*may);
  words().accept(*may, "<|\"|>");
  EXPECT_THAT(words().forced(*may), ElementsAre("}", "<tool_call|>")) << "and so it is behind them";
  words().accept_all(*may);
  EXPECT_THAT(words().forced(*may), IsEmpty());

  const Constraint either =
      std::move(words().forms->tools_or_json(1, tools, policy, json_from(kPerson), Start::at_once))
          .value();
  EXPECT_THAT(words().forced(*either), IsEmpty());
  words().accept(*either, "<|tool_call>");
  EXPECT_EQ(words().forced(*either).front(), "call");
}

TEST(ForcedText, GrammarsOfUsersCompelToo) {
  const auto reply_of = [](const char* syntax, const Json& definition) {
    return std::move(
               words().forms->json(1, grammars::text_grammar(syntax, definition), Start::at_once))
        .value();
  };
  const Constraint choice = reply_of("choice", Json::array({"hello name", "hello item"}));
  EXPECT_THAT(words().forced(*choice), ElementsAre("hello", "\xE2\x96\x81"));
  words().accept_all(*choice);
  words().accept(*choice, "it");
  EXPECT_THAT(words().forced(*choice), ElementsAre("em", "<turn|>"));
  const Constraint gbnf = reply_of("gbnf", "root ::= \"call\" [0-9]+ \"get\"");
  EXPECT_THAT(words().forced(*gbnf), ElementsAre("call"));
  words().accept_all(*gbnf);
  words().accept(*gbnf, "00");
  EXPECT_THAT(words().forced(*gbnf), IsEmpty());
  words().accept(*gbnf, "g");
  EXPECT_THAT(words().forced(*gbnf), ElementsAre("e", "t", "<turn|>"));
}

TEST(ForcedText, WhatClosesIsCompelledWhereNothingElseMayCome) {
  const Constraint reply = words().json(R"({"type":"object","properties":{"item":{"const":"hello"}},
      "required":["item"],"additionalProperties":false})");
  for (const char* piece : {"{\"", "item", "\":", "\"", "hello", "\""}) {
    words().accept(*reply, piece);
  }
  words().accept(*reply, "\n");
  EXPECT_THAT(words().forced(*reply), IsEmpty()) << "how far in is open";
  words().accept(*reply, "}");
  EXPECT_THAT(words().forced(*reply), ElementsAre("<turn|>"));
}

TEST(ForcedText, CharactersAreNotTornApart) {
  // Both begin with the same byte; one of them is a piece.
  const Constraint two = words().json("{\"enum\":[\"\xC3\xA9\",\"\xC3\xA8\"]}");
  EXPECT_THAT(words().forced(*two), ElementsAre("\""));
  words().accept_all(*two);
  words().accept(*two, "<0xC3>");
  EXPECT_THAT(words().forced(*two), IsEmpty());
  words().accept(*two, "<0xA9>");
  EXPECT_THAT(words().forced(*two), ElementsAre("\"", "<turn|>"));
  const Constraint one = words().json("{\"const\":\"\xC3\xA9\"}");
  EXPECT_THAT(words().forced(*one), ElementsAre("\"", "\xC3\xA9", "\"", "<turn|>"));
}

TEST(ForcedText, LongTextsComeInParts) {
  const std::string text(3 * ForcedText::kMostSymbols, '0');
  const Constraint reply = words().json(("{\"const\":\"" + text + "\"}").c_str());
  std::string found;
  for (int part = 0; part < 10; ++part) {
    const auto tokens = reply->forced_next(10'000);
    if (tokens.empty()) break;
    for (const text::TokenId token : tokens) {
      if (token == words().ends[0]) break;
      reply->accept(token);
      text::append_piece_bytes(words().tokenizer->vocabulary(), token, found);
    }
    if (tokens.back() == words().ends[0]) break;
  }
  EXPECT_EQ(found, "\"" + text + "\"");
}

// With a quote behind it "abc" is cut before the c, else behind the a: of no piece is one sure.
TEST(ForcedText, WhereAPieceMayReachOverTheEndWhatStandsBeforeItIsCutBothWays) {
  EXPECT_THAT(words().spell(words().tokenizer->encode_text("abc\"")), ElementsAre("ab", "c\""));
  EXPECT_THAT(words().spell(words().tokenizer->encode_text("abcd")), ElementsAre("a", "bc", "d"));
  const Constraint either = words().json(R"({"type":"string","pattern":"^abcd?$"})");
  EXPECT_THAT(words().forced(*either), ElementsAre("\""));
  const Constraint other = words().json(R"({"type":"string","pattern":"^abc[de]$"})");
  EXPECT_THAT(words().forced(*other), ElementsAre("\"", "a", "bc"));
}

TEST(ForcedText, WithoutATokenizerTextIsLeftToTheModel) {
  ReplyForms forms(words().tokenizer->vocabulary(), words().ends);
  const Constraint reply =
      std::move(forms.json(1, json_from(R"({"const":1})"), Start::at_once)).value();
  EXPECT_THAT(reply->forced_next(100), IsEmpty());
  words().accept(*reply, "1");
  EXPECT_THAT(words().forced(*reply), ElementsAre("<turn|>"));
}

TEST(ForcedText, ATokenizerThatTakesWholePiecesFirstCutsNothing) {
  const WordTokenizer whole(true);
  EXPECT_THAT(whole.forced(*whole.json(R"({"const":"hello"})")), IsEmpty());
}

/// Reads an "a" wherever it is, three times.
struct WearyReader {
  struct Place {
    bool can_go_on() const { return true; }
  };
  static constexpr std::uint64_t kAnySteps = 1'000'000'000;

  void allow_steps(std::uint64_t n) { allowed = n; }
  std::optional<Symbol> only_symbol(const Place& /*place*/) const { return symbol_of('a'); }
  void read(const Place& /*from*/, Symbol /*symbol*/, Place& /*out*/) {
    EXPECT_EQ(allowed, ForcedText::kMostSteps);
    if (++n_read > 3) throw sampling::ConstraintError("weary");
  }
  SymbolSet symbols(const Place& /*place*/) const { return {}; }

  std::uint64_t allowed = 0;
  int n_read = 0;
};

TEST(ForcedText, WhereLookingAheadIsGivenUpAnythingMayFollow) {
  WearyReader reader;
  const ForcedText text = forced_text(reader, WearyReader::Place());
  EXPECT_EQ(text.symbols, Symbols(3, symbol_of('a')));
  EXPECT_TRUE(text.next.all());
  EXPECT_EQ(reader.allowed, WearyReader::kAnySteps);
}

// Each alternative is a way of its own to read the name: what looking ahead costs ends before it.
TEST(ForcedText, ManyWaysToReadALongNameAreFollowedInParts) {
  const std::string name = "begin " + std::string(700, 'n') + " end";
  Json schema = {{"anyOf", Json::array()}};
  for (int i = 0; i < 150; ++i) {
    schema["anyOf"].push_back({{"type", "object"},
                               {"properties", {{name, {{"const", i}}}}},
                               {"required", {name}},
                               {"additionalProperties", false}});
  }
  const Constraint reply = words().json(to_text(schema).c_str());
  words().accept(*reply, "{\"");
  std::string found;
  int n_parts = 0;
  for (; found.size() < name.size() && n_parts < 20; ++n_parts) {
    const auto tokens = reply->forced_next(10'000);
    ASSERT_FALSE(tokens.empty()) << found;
    for (const text::TokenId token : tokens) {
      reply->accept(token);
      text::append_piece_bytes(words().tokenizer->vocabulary(), token, found);
    }
  }
  EXPECT_EQ(found.substr(0, name.size()), name);
  EXPECT_GT(n_parts, 1);
}

/// The tokens that may come.
std::vector<text::TokenId> allowed_of(sampling::TokenConstraint& reply) {
  std::vector<std::uint64_t> allowed((words().tokenizer->vocabulary().size() + 63) / 64);
  EXPECT_TRUE(reply.allowed_next(allowed));
  std::vector<text::TokenId> all;
  for (std::size_t token = 0; token < allowed.size() * 64; ++token) {
    if ((allowed[token / 64] >> (token % 64) & 1) != 0) {
      all.push_back(static_cast<text::TokenId>(token));
    }
  }
  return all;
}

/// Replies of random tokens, where none is forced.
class RandomReplies {
 public:
  explicit RandomReplies(std::uint32_t seed) : random_(seed) {}

  /// Each forced token is one that the mask allows at its place and the first of what is forced
  /// there; in the end all that was forced at a place is what the tokenizer makes of the text that
  /// begins there.
  void expect_exact(sampling::TokenConstraint& reply) {
    struct Place {
      std::size_t at;
      std::vector<text::TokenId> forced;
    };
    std::vector<Place> places;
    std::vector<text::TokenId> ahead;
    std::string text;
    for (int step = 0; step < 100; ++step) {
      const std::vector<text::TokenId> forced = reply.forced_next(1000);
      ASSERT_GE(forced.size(), ahead.size());
      ASSERT_TRUE(std::ranges::equal(std::span(forced).first(ahead.size()), ahead));
      const std::vector<text::TokenId> may_come = allowed_of(reply);
      ASSERT_FALSE(may_come.empty());
      text::TokenId token = may_come[random_() % may_come.size()];
      if (!forced.empty()) {
        places.push_back({text.size(), forced});
        token = forced.front();
        ASSERT_TRUE(std::ranges::find(may_come, token) != may_come.end());
        ++n_forced;
      }
      ahead.assign(forced.begin() + (forced.empty() ? 0 : 1), forced.end());
      reply.accept(token);
      if (token == words().ends[0]) break;
      text::append_piece_bytes(words().tokenizer->vocabulary(), token, text);
    }
    for (Place& place : places) {
      std::erase(place.forced, words().ends[0]);
      const auto cut = words().tokenizer->encode_text(std::string_view(text).substr(place.at));
      // Of what was not written in a hundred steps nothing is known.
      if (cut.size() < place.forced.size()) continue;
      ASSERT_TRUE(std::ranges::equal(std::span(cut).first(place.forced.size()), place.forced))
          << text << " at " << place.at;
      ++n_compared;
    }
  }

  int n_forced = 0;
  int n_compared = 0;

 private:
  std::mt19937 random_;
};

TEST(ForcedText, IsWhatMasksAllowAndTheTokenizerMakesOfTheWhole) {
  RandomReplies replies(7);
  for (const char* schema :
       {kPerson, R"({"enum":["in_progress","in_review","item",12,120]})",
        R"({"type":"array","items":{"enum":["name","named"]},"minItems":2,"maxItems":4})",
        R"({"type":"object","properties":{"item":{"const":"hello"}},"required":["item"]})",
        R"({"type":"array","items":{"enum":["abc","abcd","aabcab"]},"maxItems":4})",
        R"({"type":"string","pattern":"^get[0-9]{2}(name|age)$"})"}) {
    for (int round = 0; round < 20; ++round) {
      replies.expect_exact(*words().json(schema));
      if (HasFatalFailure()) FAIL() << schema;
    }
  }
  EXPECT_GT(replies.n_forced, 200);
  EXPECT_GT(replies.n_compared, 200);
}

}  // namespace
}  // namespace pleiad::constrain
