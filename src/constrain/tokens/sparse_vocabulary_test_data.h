#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "constrain/tokens/token_trie.h"
#include "text/testing/piece_vocabulary.h"

// A vocabulary of many words, of which few have a mark or a letter that is not of ASCII.
namespace pleiad::constrain {

struct SparseVocabulary {
  text::PieceVocabulary vocabulary{pieces()};
  text::TokenId end = vocabulary.tag(text::Tag::turn_close);
  std::shared_ptr<const TokenTrie> trie =
      std::make_shared<const TokenTrie>(*vocabulary, std::vector{end});

  static std::vector<std::string> pieces() {
    std::mt19937 random(1);
    std::vector<std::string> out = {"\"", "\":", "\"}", "a\"", "b-\"", "\\n", "-", "7", "7-"};
    for (int i = 0; i < 6'000; ++i) {
      std::string word = i % 3 == 0 ? "\xE2\x96\x81" : "";
      const auto n_characters = 2 + random() % 11;
      for (unsigned at = 0; at < n_characters; ++at) {
        const unsigned one = random() % 200;
        word += one == 0   ? std::string("\xC3\xA9")
                : one == 1 ? std::string("-")
                : one < 4  ? std::string("7")
                           : std::string(1, static_cast<char>('a' + one % 26));
      }
      if (std::ranges::find(out, word) == out.end()) out.push_back(word);
    }
    return out;
  }
};

inline const SparseVocabulary& sparse() {
  static const SparseVocabulary vocabulary;
  return vocabulary;
}

}  // namespace pleiad::constrain
