#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace pleiad::api::anthropic {

/// A word, or a sign alone, of a text; what parts them is blank.
struct PassageToken {
  std::size_t begin = 0;  // bytes of the text
  std::size_t end = 0;
  bool is_word = false;  // letters and digits
};

/// Bytes of a word: what goes on is the next one, so that nobody waits for the end of a word that
/// has none.
inline constexpr std::size_t kLongestWord = 256;

/// Those of the text. Letters beyond ASCII are letters; quotation marks, dashes and
/// blanks beyond ASCII are what they are.
std::vector<PassageToken> tokens_of(std::string_view text);

}  // namespace pleiad::api::anthropic
