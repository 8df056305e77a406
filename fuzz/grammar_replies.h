#pragma once

// Any grammar, and bytes that choose among what is allowed: nothing hangs, and something is always
// allowed. The grammar ends at the first zero byte.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "constrain/grammars/reply_grammar.h"
#include "constrain/grammars/text_grammar.h"
#include "text/vocabulary.h"

namespace pleiad::fuzz {

/// Bytes, control tokens and some pieces of several bytes.
struct GrammarTokens {
  std::vector<std::string> pieces;
  std::vector<text::PieceKind> kinds;
  std::unique_ptr<text::Vocabulary> vocabulary;
  std::shared_ptr<const constrain::TokenTrie> trie;
  text::TokenId end = 0;

  GrammarTokens() {
    for (const std::string_view tag : text::kTagTexts) add(tag, text::PieceKind::control);
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte) {
      add(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">",
          text::PieceKind::byte);
    }
    for (const char* piece : {"ab", "aa", "abc", "12", "\":",
                              "\xE2\x96\x81"
                              "a",
                              "), (", "\n\n"}) {
      add(piece, text::PieceKind::normal);
    }
    text::TokenizerSpec spec;
    spec.source = "fuzz";
    spec.pieces.assign(pieces.begin(), pieces.end());
    spec.kinds = kinds;
    vocabulary = std::make_unique<text::Vocabulary>(spec);
    end = *vocabulary->tag(text::Tag::turn_close);
    trie = std::make_shared<constrain::TokenTrie>(*vocabulary, std::vector{end});
  }

  void add(std::string_view piece, text::PieceKind kind) {
    pieces.emplace_back(piece);
    kinds.push_back(kind);
  }
};

inline void write_grammar_reply(const char* syntax, const std::uint8_t* data, std::size_t size) {
  namespace grammars = constrain::grammars;
  static const GrammarTokens tokens;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t length = std::min(text.find('\0'), text.size());
  const auto grammar = grammars::make_reply_grammar(
      tokens.trie, grammars::text_grammar(syntax, text.substr(0, length)),
      constrain::Start::at_once);
  if (!grammar) {
    CHECK(!grammar.message().empty());
    return;
  }
  grammars::GrammarReply reply(grammar.value());
  std::vector<std::uint64_t> allowed((tokens.pieces.size() + 63) / 64);
  try {
    const std::size_t last = std::min(size, length + 300);
    for (std::size_t i = length; i < last; ++i) {
      reply.allowed_next(allowed);
      std::vector<text::TokenId> may_come;
      for (std::size_t id = 0; id < tokens.pieces.size(); ++id) {
        if ((allowed[id / 64] >> (id % 64) & 1) == 0) continue;
        may_come.push_back(static_cast<text::TokenId>(id));
      }
      CHECK(!may_come.empty());
      const text::TokenId token = may_come[data[i] % may_come.size()];
      CHECK(reply.allows(token));
      reply.accept(token);
      if (token == tokens.end) break;
    }
  } catch (const sampling::ConstraintError&) {
    // More readings than are followed.
  }
}

}  // namespace pleiad::fuzz
