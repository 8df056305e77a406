#pragma once

#include <memory>
#include <string>
#include <vector>

#include "constrain/tokens/token_trie.h"
#include "text/testing/piece_vocabulary.h"

// A vocabulary whose trie has subtrees that are large enough to be taken as a whole.
namespace pleiad::constrain {

/// All texts of up to four of some characters, and what stands around strings.
struct DenseVocabulary {
  text::PieceVocabulary vocabulary{pieces()};
  text::TokenId end = vocabulary.tag(text::Tag::turn_close);
  std::shared_ptr<const TokenTrie> trie =
      std::make_shared<const TokenTrie>(*vocabulary, std::vector{end});

  static std::vector<std::string> pieces() {
    std::vector<std::string> out;
    const std::vector<std::string> characters = {
        "a", "b", "Z", "7", "-", "\xE2\x96\x81", "\xC3\xA9", "\xE6\x97\xA5"};
    std::vector<std::string> longer = {""};
    for (int length = 1; length <= 4; ++length) {
      std::vector<std::string> next;
      for (const std::string& before : longer) {
        for (const std::string& character : characters) next.push_back(before + character);
      }
      // Of the longest every third: nodes without a token, and subtrees that lack some.
      for (std::size_t i = 0; i < next.size(); i += length == 4 ? 3 : 1) {
        out.push_back(next[i]);
      }
      longer = std::move(next);
    }
    for (const char* piece : {"ab\"",
                              "a\",\"b",
                              "\":\"a",
                              "\"}",
                              "a\"]",
                              "{\"a",
                              "[\"",
                              "a\\n",
                              "\\u00e9",
                              "a\n",
                              "\xC2\xA0",
                              "a\xC2\xA0",
                              "\xE2\x80\xA8",
                              "b\xE2\x80\xA8"
                              "b",
                              "a,b",
                              "true",
                              "\":",
                              "}]",
                              "call:",
                              "{a:",
                              ",\"a\":",
                              "\"a",
                              "\"b",
                              ",\"a",
                              "\",\"b\":\"",
                              "7,\"ab\"",
                              "{\"a\":7,\"a\":",
                              "{\"a\":7,\"b\":",
                              "a\":7}",
                              "\xE2\x96\x81\"a\"",
                              ",a:7",
                              "a:7,b:",
                              "\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81",
                              "77777777",
                              "aaaaaaaaaaaaaaaa"}) {
      out.emplace_back(piece);
    }
    return out;
  }
};

inline const DenseVocabulary& dense() {
  static const DenseVocabulary vocabulary;
  return vocabulary;
}

}  // namespace pleiad::constrain
