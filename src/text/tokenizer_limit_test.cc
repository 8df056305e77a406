#include <gtest/gtest.h>

#include <random>

#include "text/tokenizer_test_data.h"

namespace pleiad::text {
namespace {

using Tokens = std::vector<TokenId>;

Tokens first(const Tokens& tokens, std::size_t count) {
  return {tokens.begin(), tokens.begin() + std::min(count, tokens.size())};
}

Tokens last(const Tokens& tokens, std::size_t count) {
  return {tokens.end() - std::min(count, tokens.size()), tokens.end()};
}

/// Texts of the golden corpus, one after the other in an order that a seed chooses: many
/// languages, control tokens that are spelled, long runs, bytes that are not UTF-8.
std::string mixed_text(std::size_t n_texts, std::uint32_t seed) {
  const std::vector<CorpusText> corpus = golden_corpus();
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t i = 0; i < n_texts; ++i) text += corpus[random() % corpus.size()].text;
  return text;
}

/// A character that joins its like, so that a text of it is one run.
char joining_character(const Vocabulary& vocabulary) {
  for (char c = '!'; c < 127; ++c) {
    if (vocabulary.find(std::string(2, c)) >= 0) return c;
  }
  return '\n';
}

class TokenizerLimit : public testing::TestWithParam<const char*> {
 protected:
  Tokenizer tokenizer_ = std::string_view(GetParam()) == "json" ? golden_tokenizer()
                                                                : GgufArrays::golden().tokenizer();
};

INSTANTIATE_TEST_SUITE_P(Sources, TokenizerLimit, testing::Values("json", "gguf"));

TEST_P(TokenizerLimit, GivesTheBeginningOfTheWholeEncoding) {
  for (const CorpusText& golden : golden_corpus()) {
    for (const std::size_t most : {0, 1, 2, 7, 40}) {
      const EncodeLimit limit{.tokens = most, .wants_them = true, .stop = {}};
      const Encoding found = tokenizer_.encode_text(golden.text, limit);
      EXPECT_EQ(found.tokens, first(golden.ids, found.tokens.size()));
      EXPECT_GE(found.tokens.size(), std::min(most, golden.ids.size()));
      EXPECT_LE(found.least_count, golden.ids.size());
      EXPECT_EQ(found.least_count > most, golden.ids.size() > most);
      if (found.whole) {
        EXPECT_EQ(found.tokens, golden.ids);
      }
    }
  }
}

TEST_P(TokenizerLimit, IsFoundToBePassedExactlyWhereItIs) {
  for (const CorpusText& golden : golden_corpus()) {
    for (const std::size_t most : {0, 1, 5, 30}) {
      const Encoding found = tokenizer_.encode_text(golden.text, {.tokens = most});
      EXPECT_EQ(found.whole, golden.ids.size() <= most) << golden.text;
      EXPECT_LE(found.least_count, golden.ids.size());
      if (!found.whole) {
        EXPECT_GT(found.least_count, most) << golden.text;
      }
    }
  }
}

TEST_P(TokenizerLimit, ALongTextIsNotReadToItsEnd) {
  std::string text;
  while (text.size() < 4U << 20) text += "the cat and the house ";
  int n_asked = 0;
  EncodeLimit limit{.tokens = 200'000, .wants_them = true};
  limit.stop = [&] {
    ++n_asked;
    return false;
  };
  const Encoding found = tokenizer_.encode_text(text, limit);
  EXPECT_FALSE(found.whole);
  EXPECT_GT(found.tokens.size(), 200'000U);
  EXPECT_LT(found.tokens.size(), 200'100U);
  EXPECT_GT(n_asked, 0);
  EXPECT_LT(n_asked, 200);
}

TEST_P(TokenizerLimit, WhatIsTooLongByItsBytesIsNotEncodedAtAll) {
  const std::size_t longest = tokenizer_.longest_piece();
  ASSERT_GT(longest, 0U);
  const std::string text(longest * 101, 'a');
  const Encoding found = tokenizer_.encode_text(text, {.tokens = 100});
  EXPECT_FALSE(found.whole);
  EXPECT_EQ(found.least_count, 101U);
  EXPECT_TRUE(found.tokens.empty());
  Prompt prompt;
  for (int i = 0; i < 3; ++i) {
    prompt.add_control(Tag::turn_open);
    prompt.add_text(std::string(longest * 40, 'a'));
  }
  const Encoding of_prompt = tokenizer_.encode(prompt, {.tokens = 100});
  EXPECT_FALSE(of_prompt.whole);
  EXPECT_EQ(of_prompt.least_count, 123U);
  EXPECT_TRUE(of_prompt.tokens.empty());
}

TEST_P(TokenizerLimit, AnEndlessWordIsGivenUpBeforeItIsMerged) {
  // Fits by its bytes behind many short pieces that use up the room.
  std::string text;
  for (int i = 0; i < 90; ++i) text += "\x01";
  const char letter = joining_character(tokenizer_.vocabulary());
  text += std::string(11 * tokenizer_.longest_piece(), letter);
  const Encoding found = tokenizer_.encode_text(text, {.tokens = 100});
  EXPECT_FALSE(found.whole);
  EXPECT_EQ(found.tokens.size(), 90U);
  EXPECT_EQ(found.least_count, 101U);
}

TEST_P(TokenizerLimit, EndsWhenItIsTold) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "the cat ";
  EncodeLimit limit;
  limit.stop = [] { return true; };
  const Encoding found = tokenizer_.encode_text(text, limit);
  EXPECT_FALSE(found.whole);
  EXPECT_LT(found.tokens.size(), 20'000U);
}

TEST_P(TokenizerLimit, BothEndsOfALongTextAreThoseOfTheWhole) {
  for (const std::uint32_t seed : {1, 2, 3}) {
    const std::string text = mixed_text(1500, seed);
    const Tokens as_text = tokenizer_.encode_text(text);
    const Tokens with_control = tokenizer_.encode_with_control(text);
    for (const std::size_t count : {0, 1, 2, 3, 50, 51, 52, 53, 400}) {
      const Encoding begin = tokenizer_.first_tokens(text, count).value();
      EXPECT_EQ(first(begin.tokens, count), first(as_text, count));
      EXPECT_FALSE(begin.whole);
      EXPECT_LE(begin.least_count, as_text.size());
      const Encoding end = tokenizer_.last_tokens(text, count).value();
      EXPECT_EQ(last(end.tokens, count), last(with_control, count));
      EXPECT_FALSE(end.whole);
      EXPECT_LE(end.least_count, with_control.size());
      EXPECT_LT(end.tokens.size(), with_control.size());
    }
    const Encoding all = tokenizer_.first_tokens(text, as_text.size()).value();
    EXPECT_EQ(all.tokens, as_text);
    EXPECT_TRUE(all.whole);
    EXPECT_EQ(tokenizer_.last_tokens(text, with_control.size()).value().tokens, with_control);
  }
}

TEST_P(TokenizerLimit, ALongTextWithoutAPlaceToCutCannotBeShortened) {
  const std::string text(2U << 20, joining_character(tokenizer_.vocabulary()));
  ASSERT_FALSE(tokenizer_.first_tokens(text, 10));
  EXPECT_NE(tokenizer_.first_tokens(text, 10).message().find("cannot be shortened"),
            std::string::npos);
  EXPECT_FALSE(tokenizer_.last_tokens(text, 10));
}

}  // namespace
}  // namespace pleiad::text
