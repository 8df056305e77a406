#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "constrain/replies/grammar.h"
#include "text/stream_decoder.h"
#include "text/vocabulary.h"

// A small vocabulary with tokens of all awkward kinds, and ways to run a grammar.
namespace pleiad::constrain {

struct TestVocabulary {
  std::vector<std::string> pieces;
  std::vector<text::PieceKind> kinds;
  std::vector<text::TokenId> ends;
  std::unique_ptr<text::Vocabulary> vocabulary;
  std::shared_ptr<const TokenTrie> trie;

  TestVocabulary() {
    for (const std::string_view tag : text::kTagTexts) add(tag, text::PieceKind::control);
    for (int byte = 0; byte < 256; ++byte) {
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", byte);
      add(name, text::PieceKind::byte);
    }
    for (char c = '!'; c <= '~'; ++c) add(std::string(1, c));
    for (const char* piece : {"\xE2\x96\x81",
                              "\n",
                              "\t",
                              "\n\n",
                              "\xE2\x96\x81\xE2\x96\x81",
                              "\":{\"",
                              "\":[{\"",
                              "\":",
                              "\",\"",
                              "\"}",
                              "\"}]}",
                              "}]",
                              "]}",
                              "}}",
                              "}}}",
                              "]]",
                              "[[",
                              "[[[[",
                              "{\"",
                              "[\"",
                              "[{",
                              "true",
                              "false",
                              "null",
                              "tr",
                              "ue",
                              "name",
                              "age",
                              "\"name\":",
                              "\"name\":\"",
                              "name\":",
                              ",\"",
                              ",\n\xE2\x96\x81\xE2\x96\x81\"",
                              "{\n\xE2\x96\x81\xE2\x96\x81\"",
                              "\n\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81",
                              ":\xE2\x96\x81\"",
                              "\xE2\x96\x81\"",
                              "\xE2\x96\x81{",
                              "12",
                              "123",
                              "-1",
                              "0.",
                              ".5",
                              "e1",
                              "00",
                              "1,2,3,",
                              "hello",
                              "\xE2\x96\x81world",
                              "abc",
                              "\xC3\xA9",
                              "\xE6\x97\xA5\xE6\x9C\xAC",
                              "\xF0\x9F\x98\x80",
                              "\\n",
                              "\\u",
                              "\\\"",
                              "\"\"",
                              "2024-",
                              "-02-29",
                              "call:",
                              "call:get",
                              "{city:",
                              "},",
                              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                              "<turn|>x",
                              "<|\"|>y",
                              "```json"}) {
      add(piece);
    }
    add("<unused1>", text::PieceKind::unused);
    text::TokenizerSpec spec;
    spec.source = "test";
    spec.pieces.assign(pieces.begin(), pieces.end());
    spec.kinds = kinds;
    vocabulary = std::make_unique<text::Vocabulary>(spec);
    ends = {*vocabulary->tag(text::Tag::turn_close), *vocabulary->tag(text::Tag::eos)};
    trie = std::make_shared<TokenTrie>(*vocabulary, ends);
  }

  void add(std::string_view piece, text::PieceKind kind = text::PieceKind::normal) {
    pieces.emplace_back(piece);
    kinds.push_back(kind);
  }
  text::TokenId tag(text::Tag tag) const { return *vocabulary->tag(tag); }
  bool is_end(text::TokenId token) const { return token == ends[0] || token == ends[1]; }
};

inline const TestVocabulary& test_vocabulary() {
  static const TestVocabulary vocabulary;
  return vocabulary;
}

using Bits = std::vector<std::uint64_t>;

inline bool has(const Bits& bits, text::TokenId token) {
  return (bits[static_cast<std::size_t>(token) / 64] >> (token % 64) & 1) != 0;
}

inline Bits allowed_by(GrammarConstraint& constraint) {
  Bits bits((test_vocabulary().vocabulary->size() + 63) / 64, ~std::uint64_t{0});
  EXPECT_TRUE(constraint.allowed_next(bits));
  return bits;
}

/// The mask is what trying each token says.
inline void expect_exact(GrammarConstraint& constraint, const Bits& bits) {
  for (std::size_t i = 0; i < test_vocabulary().vocabulary->size(); ++i) {
    const auto token = static_cast<text::TokenId>(i);
    ASSERT_EQ(has(bits, token), constraint.allows(token))
        << "token " << i << " " << test_vocabulary().pieces[i];
  }
}

/// A reply of tokens chosen at random, without its end; nothing where it was longer than
/// `limit`. Closing tokens are likelier, or values would nest for ever.
inline std::optional<std::vector<text::TokenId>> random_reply(Grammar& grammar,
                                                              std::mt19937& random, bool exact,
                                                              int limit = 400) {
  const TestVocabulary& test = test_vocabulary();
  GrammarConstraint constraint(std::shared_ptr<Grammar>(std::shared_ptr<Grammar>(), &grammar));
  std::vector<text::TokenId> reply;
  for (int step = 0; step < limit; ++step) {
    const Bits bits = allowed_by(constraint);
    if (exact) expect_exact(constraint, bits);
    if (testing::Test::HasFatalFailure()) return std::nullopt;
    std::vector<text::TokenId> all, closing;
    for (std::size_t i = 0; i < test.vocabulary->size(); ++i) {
      const auto token = static_cast<text::TokenId>(i);
      if (!has(bits, token)) continue;
      all.push_back(token);
      const std::string& piece = test.pieces[i];
      if (test.is_end(token) || piece == "}" || piece == "]" || piece == "\"" ||
          piece == "<|\"|>" || piece == "<channel|>" || piece == "<tool_call|>") {
        closing.push_back(token);
      }
    }
    EXPECT_FALSE(all.empty()) << "nothing may follow";
    if (all.empty()) return std::nullopt;
    const bool closes = !closing.empty() && random() % 4 != 0;
    const auto& from = closes ? closing : all;
    const text::TokenId token = from[random() % from.size()];
    constraint.accept(token);
    if (test.is_end(token)) return reply;
    reply.push_back(token);
  }
  return std::nullopt;
}

inline std::string text_of(const std::vector<text::TokenId>& tokens) {
  std::string out;
  for (const text::TokenId token : tokens) {
    text::append_piece_bytes(*test_vocabulary().vocabulary, token, out);
  }
  return out;
}

/// Whether the grammar takes the text, byte by byte, as the whole reply.
inline bool takes(Grammar& grammar, std::string_view text) {
  GrammarConstraint constraint(std::shared_ptr<Grammar>(std::shared_ptr<Grammar>(), &grammar));
  for (const char c : text) {
    const text::TokenId token =
        test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(c));
    if (!constraint.allows(token)) return false;
    constraint.accept(token);
  }
  return constraint.may_end();
}

/// Text with its tags spelled, as single tokens.
inline std::vector<text::TokenId> tokens_of(std::string_view text) {
  std::vector<text::TokenId> out;
  while (!text.empty()) {
    std::optional<text::Tag> found;
    for (const std::string_view tag : text::kTagTexts) {
      if (text.starts_with(tag)) found = text::find_tag(tag);
    }
    if (found) {
      out.push_back(test_vocabulary().tag(*found));
      text.remove_prefix(text::tag_text(*found).size());
    } else {
      out.push_back(
          test_vocabulary().vocabulary->byte_piece(static_cast<std::uint8_t>(text.front())));
      text.remove_prefix(1);
    }
  }
  return out;
}

/// Whether a reply may be this one.
inline bool takes_call(const std::shared_ptr<Grammar>& grammar, std::string_view text) {
  GrammarConstraint constraint(grammar);
  for (const text::TokenId token : tokens_of(text)) {
    if (!constraint.allows(token)) return false;
    constraint.accept(token);
  }
  return constraint.may_end();
}

}  // namespace pleiad::constrain
