#include "api/anthropic/citations/passage_tokens.h"

#include <algorithm>

#include "base/utf8.h"

namespace pleiad::api::anthropic {
namespace {

enum class CharacterKind { blank, word, sign };

CharacterKind kind_of_character(char32_t c) {
  using Kind = CharacterKind;
  if (c == U' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x3000) {
    return Kind::blank;
  }
  if (c >= 0x3001 && c <= 0x303F) return Kind::sign;
  if (c >= 0x2000 && c <= 0x206F) return c <= 0x200B || c >= 0x2028 ? Kind::blank : Kind::sign;
  if (c < 0x80) {
    const bool is_word =
        (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z');
    return is_word ? Kind::word : Kind::sign;
  }
  return c < 0xC0 && c != 0xAA && c != 0xB5 && c != 0xBA ? Kind::sign : Kind::word;
}

}  // namespace

std::vector<PassageToken> tokens_of(std::string_view text) {
  using Kind = CharacterKind;
  std::vector<PassageToken> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t known = utf8_length(rest);
    const Kind kind = known == 0 ? Kind::sign : kind_of_character(utf8_code_point(rest));
    const std::size_t end = at + std::max<std::size_t>(known, 1);
    const bool goes_on = kind == Kind::word && !tokens.empty() && tokens.back().is_word &&
                         tokens.back().end == at && end - tokens.back().begin <= kLongestWord;
    if (goes_on) {
      tokens.back().end = end;
    } else if (kind != Kind::blank) {
      tokens.push_back({at, end, kind == Kind::word});
    }
    at = end;
  }
  return tokens;
}

}  // namespace pleiad::api::anthropic
